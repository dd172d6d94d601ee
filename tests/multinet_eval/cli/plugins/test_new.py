"""``multinet plugins new``: distributions that are complete, and sound as they are.

In the eyes of Ruff and mypy: ``tests/libraries/test_written_plugins.py``.
"""

import json
import os
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

from multinet_eval.cli.plugins.new import TRY_OUT, write_plugin
from support.commands import run
from support.plugins import write_distribution
from support.programs import Finished, json_of
from support.thoroughness import in_turn


def project_of(folder: Path) -> dict[str, Any]:
    project: dict[str, Any] = tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return project


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A distribution of each kind, called ``my-model`` and so on, untouched."""
    parent = tmp_path_factory.mktemp("written")
    return {kind: write_plugin(kind, f"my-{kind}", parent)[0] for kind in TRY_OUT}


@pytest.fixture(scope="module")
def path(written: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """What has to be on the path so that all of them are installed beside each other."""
    site = tmp_path_factory.mktemp("site")
    for folder in written.values():
        project = project_of(folder)
        entry_points = project["entry-points"]["gridworld"]
        write_distribution(site, project["name"], project["version"], entry_points, {}, project["dependencies"])
    return [site, *(folder / "src" for folder in written.values())]


def in_folder(folder: Path, path: list[Path], *arguments: str) -> Finished:
    """Run a Python module where a plugin's author would."""
    inherited = filter(None, [os.environ.get("PYTHONPATH")])
    variables = os.environ | {"PYTHONPATH": os.pathsep.join([*map(str, path), *inherited])}
    return subprocess.run(
        [sys.executable, "-m", *arguments], cwd=folder, env=variables,
        capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip


def files_of(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


@pytest.mark.parametrize("kind", TRY_OUT)
def test_a_distribution_is_written_whole(written: dict[str, Path], kind: str) -> None:
    package = f"src/my_{kind}"
    further = {"mechanism": [], "goal": [], "benchmark": [f"{package}/tasks/first_door.json"]}
    modules = [f"{package}/__init__.py", *further.get(kind, [f"{package}/{kind}.py"])]
    assert files_of(written[kind]) == sorted(["README.md", "pyproject.toml", f"tests/test_my_{kind}.py", *modules])
    for file in files_of(written[kind]):
        assert "$" not in (written[kind] / file).read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "kind", [pytest.param(kind, marks=() if kind == "goal" else pytest.mark.more) for kind in TRY_OUT]
)
def test_its_own_test_passes(written: dict[str, Path], path: list[Path], kind: str) -> None:
    finished = in_folder(written[kind], path, "pytest", "-q", "-p", "no:cacheprovider", "tests")
    assert finished.returncode == 0, finished.stdout[-3000:]


def test_they_are_listed_and_not_heavy(path: list[Path]) -> None:
    finished = run("multinet", "plugins", "list", "--json", path=path)
    listed = {plugin["distribution"]: plugin for plugin in json.loads(finished.stdout)["plugins"]}
    for kind in TRY_OUT:
        plugin = listed[f"my-{kind}"]
        assert (plugin["status"], plugin["heavy_imports"]) == ("loaded", [])
        assert plugin["provides"] == [{"kind": kind, "name": f"my_{kind}"}]


@pytest.mark.parametrize(
    "kind",
    [
        "backend",
        *(pytest.param(kind, marks=pytest.mark.more) for kind in ("model", "tiling", "benchmark", "protocol")),
    ],
)
def test_an_untouched_plugin_is_tried_out_as_advised(path: list[Path], kind: str) -> None:
    program, *options = TRY_OUT[kind].replace("$name", f"my_{kind}").split()
    results = json_of(run(program, *options, "--json", path=path))
    assert results["num_tasks"] > 0
    if "optimal" in options:
        assert results["success_rate"] == 1


def new(kind: str, name: str, folder: Path, *options: str) -> Finished:
    return run("multinet", "plugins", "new", kind, name, *options, cwd=folder)


def test_it_goes_into_another_folder_if_asked_and_says_what_to_do_next(tmp_path: Path) -> None:
    (tmp_path / "in here").mkdir()
    finished = new("goal", "near-it", tmp_path, "-o", "in here")
    assert finished.returncode == 0
    assert (tmp_path / "in here" / "near-it" / "pyproject.toml").is_file()
    commands = ["pip install './in here/near-it' pytest", "pytest './in here/near-it'", "multinet plugins show near_it"]
    assert [line.strip() for line in finished.stdout.splitlines()[1:]] == commands


@in_turn("kind, name", list(TRY_OUT), ["My.Plugin_2", "x", "UPPER", "random-model", "a--b"])
def test_every_name_of_a_distribution_will_do(tmp_path: Path, kind: str, name: str) -> None:
    folder, _ = write_plugin(kind, name, tmp_path)
    for file in folder.rglob("*.py"):
        compile(file.read_text(encoding="utf-8"), str(file), "exec")
    assert project_of(folder)["name"] == name
