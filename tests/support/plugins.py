"""Plugin distributions made by tests, and those of ``examples/``, installed during a test.

`importlib.metadata` only reads folders on the path, so a ``*.dist-info`` folder beside module files is an installed
distribution, without pip or a virtual environment.
"""

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
from gridworld.testing.conformance import with_item as with_item  # the tests have it from here
from gridworld.world import Episode, World


class Install(Protocol):
    """`write_distribution` into a folder on the path, with a default version."""

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
        folder: folder for the path; made if it does not exist.
        name: name of the distribution, in any spelling.
        version: version of the distribution.
        entry_points: values of entry points by name, in the group ``gridworld``.
        files: texts by path below `folder`, such as ``"my_plugin.py"``.
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
    """The source of a plugin module that provides models with these names, in order."""
    return f"""
from gridworld.hookspecs import ModelInfo, hookimpl

@hookimpl
def gridworld_models():
    return [ModelInfo(name, "A model.", "gridworld.model_interface:RandomModelInterface") for name in {names!r}]
"""


def record_of(registry: Registry, distribution: str) -> PluginRecord:
    """The record of the only plugin of a distribution."""
    (record,) = (record for record in registry.plugins if record.distribution == distribution)
    return record


MODELS = """
from gridworld.hookspecs import ModelInfo, hookimpl


@hookimpl
def gridworld_models():
    return [ModelInfo(name, "A model.", "{module}:" + target, **more) for name, target, more in {models!r}]
"""


def install_models(
    monkeypatch: pytest.MonkeyPatch, folder: Path, source: str, models: Mapping[str, str], **declared: object
) -> None:
    """Install a distribution with models, in this process and those that it starts.

    Args:
        monkeypatch: ends the installation.
        folder: folder of the distribution.
        source: source of the module with the classes.
        models: class of each model, by name.
        declared: further fields of each `ModelInfo`.
    """
    module = f"models_of_{folder.name.replace('-', '_')}"
    listed = [(name, target, declared) for name, target in models.items()]
    plugin = MODELS.replace("{module}", module).replace("{models!r}", repr(listed))
    files = {f"{module}_plugin.py": plugin, f"{module}.py": source}
    write_distribution(folder, module, "1.0", {"entry": f"{module}_plugin"}, files)
    for name in (module, f"{module}_plugin"):
        sys.modules.pop(name, None)  # of another test
    monkeypatch.syspath_prepend(folder)


@attrs.frozen
class Example:
    """An example distribution, described by its ``pyproject.toml``."""

    folder: Path

    @property
    def project(self) -> dict[str, Any]:
        """The table ``[project]``."""
        with (self.folder / "pyproject.toml").open("rb") as file:
            project: dict[str, Any] = tomllib.load(file)["project"]
        return project

    @property
    def source(self) -> Path:
        """Folder of its import package."""
        return self.folder / "src"

    @property
    def entry_points(self) -> dict[str, str]:
        """Modules of its entry points in the group ``gridworld``, by name."""
        listed: dict[str, str] = self.project["entry-points"]["gridworld"]
        return listed


EXAMPLES = {
    folder.name: Example(folder)
    for folder in sorted((Path(__file__).parents[2] / "examples").glob("gridworld-example-*"))
}


def install_examples(site: Path, *names: str) -> list[Path]:
    """Write the metadata of some examples, by default of all, into a folder; returns the folders for the path."""
    examples = [EXAMPLES[name] for name in names or EXAMPLES]
    for example in examples:
        project = example.project
        write_distribution(site, project["name"], project["version"], example.entry_points, {}, project["dependencies"])
    return [site, *(example.source for example in examples)]


def prepend(folders: Iterable[Path], patch: pytest.MonkeyPatch) -> None:
    """Put folders first on the path."""
    for folder in folders:
        patch.syspath_prepend(folder)


def load_from(folders: Iterable[Path]) -> Registry:
    """Load everything that is installed, and the distributions in some folders."""
    with pytest.MonkeyPatch.context() as patch:
        prepend(folders, patch)
        return load_registry()


@cache
def example_catalogs() -> Registry:
    """Catalogs with the types of the examples, to read and compile tasks with; the registry in use does not change."""
    with TemporaryDirectory() as site:
        return load_from(install_examples(Path(site)))


TILINGS = sorted({*get_registry().tilings.names(), "rhombille"})
on_every_tiling = pytest.mark.parametrize("tiling", TILINGS)


def win(world: World) -> Episode:
    """Play a shortest plan to its end."""
    plan = solve(world).plan
    assert plan is not None
    episode = Episode(world)
    episode.reset()
    for action in plan:
        assert not episode.terminated
        episode.step(action)
    assert episode.succeeded
    return episode


def install_example_backends(folder: Path, patch: pytest.MonkeyPatch) -> None:
    """Put the backends ``warehouse`` and ``text`` on the path of this process and of those that it starts."""
    prepend(install_examples(folder, "gridworld-example-simulator", "gridworld-example-text-backend"), patch)
