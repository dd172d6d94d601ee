"""Plugin distributions made by tests, and those of ``examples/``, installed for the time of a test."""

import os
import subprocess
import sys
import tomllib
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Protocol

import attrs
import pytest

from gridworld.plugins import PluginRecord, Registry, get_registry, load_registry
from gridworld.solver import solve
from gridworld.task_spec import TaskSpecification
from gridworld.world import Episode, World, compile_world
from support.tilings import make_topology

INTERPRETER_TIMEOUT = 120


class Install(Protocol):
    """`write_distribution` into a folder that is on the path already, with a version to fall back on."""

    def __call__(
        self,
        name: str,
        entry_points: Mapping[str, str],
        files: Mapping[str, str],
        *,
        version: str = "1.0",
        requires: Iterable[str] = (),
    ) -> None: ...


def write_distribution(
    folder: Path,
    name: str,
    version: str,
    entry_points: Mapping[str, str],
    files: Mapping[str, str],
    requires: Iterable[str] = (),
) -> None:
    """Install a distribution into a folder.

    Args:
        folder: what is to be on the path; made if it does not exist.
        name: the distribution's name, spelled as its author spells it.
        version: its version.
        entry_points: entry point name to value, in the group ``gridworld``.
        files: path below `folder` to text, such as ``"my_plugin.py"``.
        requires: requirements as in ``Requires-Dist``.
    """
    requirements = [f"Requires-Dist: {requirement}" for requirement in requires]
    metadata = ["Metadata-Version: 2.1", f"Name: {name}", f"Version: {version}", *requirements]
    listed = ["[gridworld]", *(f"{entry} = {value}" for entry, value in entry_points.items())]
    dist_info = f"{name.replace('-', '_')}-{version}.dist-info"
    written = {
        f"{dist_info}/METADATA": "\n".join(metadata) + "\n",
        f"{dist_info}/entry_points.txt": "\n".join(listed) + "\n",
        f"{dist_info}/RECORD": "",
        **files,
    }
    for path, text in written.items():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")


def models_module(*names: str) -> str:
    """The source of a plugin module that provides models with these names, in this order."""
    return f"""
from gridworld.hookspecs import ModelInfo, hookimpl

@hookimpl
def gridworld_models():
    return [ModelInfo(name, "A model.", "gridworld.model_interface:RandomModelInterface") for name in {names!r}]
"""


def record_of(registry: Registry, distribution: str) -> PluginRecord:
    """The record of a distribution that has one plugin."""
    (record,) = (record for record in registry.plugins if record.distribution == distribution)
    return record


def run_python(
    code: str, path: Iterable[Path], variables: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Run code in a fresh interpreter that has the folders of `path` first on its path."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GRIDWORLD_")}
    inherited = filter(None, [environment.get("PYTHONPATH")])
    environment["PYTHONPATH"] = os.pathsep.join([*(str(folder) for folder in path), *inherited])
    environment["GRIDWORLD_CACHE"] = ""  # no table is kept
    return subprocess.run(
        [sys.executable, "-c", code],
        env=environment | dict(variables or {}),
        capture_output=True,
        text=True,
        timeout=INTERPRETER_TIMEOUT,
        check=False,
    )


PLUGIN = """
from gridworld.hookspecs import ModelInfo, hookimpl


@hookimpl
def gridworld_models():
    return [ModelInfo(name, "A model.", "{module}:" + target, **more) for name, target, more in {models!r}]
"""


def install_models(
    monkeypatch: pytest.MonkeyPatch,
    folder: Path,
    source: str,
    models: Mapping[str, str],
    **declared: object,
) -> None:
    """Install a distribution with models.

    Args:
        monkeypatch: ends the installation.
        folder: where it is written.
        source: the module with the classes.
        models: name of each model to its class.
        declared: further fields of each `ModelInfo`.
    """
    module = f"models_of_{folder.name.replace('-', '_')}"
    listed = [(name, target, declared) for name, target in models.items()]
    written = {
        f"{module}-1.0.dist-info/METADATA": f"Metadata-Version: 2.1\nName: {module}\nVersion: 1.0\n",
        f"{module}-1.0.dist-info/entry_points.txt": f"[gridworld]\nentry = {module}_plugin\n",
        f"{module}-1.0.dist-info/RECORD": "",
        f"{module}_plugin.py": PLUGIN.replace("{module}", module).replace("{models!r}", repr(listed)),
        f"{module}.py": source,
    }
    for path, text in written.items():
        place = folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8")
    for name in (module, f"{module}_plugin"):
        sys.modules.pop(name, None)  # of another test
    monkeypatch.syspath_prepend(folder)


FOLDER = Path(__file__).parents[2] / "examples"


@attrs.frozen
class Example:
    """One of the example distributions, as its ``pyproject.toml`` describes it."""

    folder: Path

    @property
    def project(self) -> dict[str, Any]:
        """The table ``[project]``."""
        with (self.folder / "pyproject.toml").open("rb") as file:
            project: dict[str, Any] = tomllib.load(file)["project"]
        return project

    @property
    def source(self) -> Path:
        """The folder that holds its import package."""
        return self.folder / "src"

    @property
    def entry_points(self) -> dict[str, str]:
        """Entry point name to module, in the group ``gridworld``."""
        listed: dict[str, str] = self.project["entry-points"]["gridworld"]
        return listed


EXAMPLES = {folder.name: Example(folder) for folder in sorted(FOLDER.glob("gridworld-example-*"))}


def install_examples(site: Path) -> list[Path]:
    """Write the metadata of all examples into a folder; returns what has to be on the path."""
    for example in EXAMPLES.values():
        project = example.project
        write_distribution(site, project["name"], project["version"], example.entry_points, {}, project["dependencies"])
    return [site, *(example.source for example in EXAMPLES.values())]


def prepend(folders: Iterable[Path], patch: pytest.MonkeyPatch) -> None:
    """Put folders on the path, in front."""
    for folder in folders:
        patch.syspath_prepend(folder)


def load_from(folders: Iterable[Path]) -> Registry:
    """All that is installed, with what lies in folders that are on the path for as long as it takes to load them."""
    with pytest.MonkeyPatch.context() as patch:
        prepend(folders, patch)
        return load_registry()


@cache
def example_catalogs() -> Registry:
    """The types of the examples beside the installed ones, to be handed to what reads and compiles tasks.

    The registry in use stays as it is.
    """
    with TemporaryDirectory() as site:
        return load_from(install_examples(Path(site)))


TILINGS = sorted({*get_registry().tilings.names(), "rhombille"})
on_every_tiling = pytest.mark.parametrize("tiling", TILINGS)


def world_on(tiling: str, task: TaskSpecification) -> World:
    """A task compiled on a tiling."""
    return compile_world(task, make_topology(tiling, task.maze.dimensions))


def win(world: World) -> Episode:
    """The episode of a shortest plan, played to its end."""
    plan = solve(world).plan
    assert plan is not None
    episode = Episode(world)
    episode.reset()
    for action in plan:
        assert not episode.terminated
        episode.step(action)
    assert episode.succeeded
    return episode


BACKEND_EXAMPLES = ("gridworld-example-simulator", "gridworld-example-text-backend")


def install_example_backends(folder: Path, patch: pytest.MonkeyPatch) -> None:
    """Put the backends ``warehouse`` and ``text`` on the path of this process and of those that it starts."""
    for name in BACKEND_EXAMPLES:
        project = tomllib.loads((FOLDER / name / "pyproject.toml").read_text(encoding="utf-8"))["project"]
        described = folder / f"{name.replace('-', '_')}-{project['version']}.dist-info"
        described.mkdir(parents=True)
        metadata = f"Metadata-Version: 2.1\nName: {name}\nVersion: {project['version']}\n"
        (described / "METADATA").write_text(metadata, encoding="utf-8")
        listed = "".join(f"{key} = {value}\n" for key, value in project["entry-points"]["gridworld"].items())
        (described / "entry_points.txt").write_text(f"[gridworld]\n{listed}", encoding="utf-8")
        (described / "RECORD").touch()
        patch.syspath_prepend(FOLDER / name / "src")
    patch.syspath_prepend(folder)
