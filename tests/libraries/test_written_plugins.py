"""Distributions written by ``multinet plugins new``, in the eyes of Ruff and mypy."""

import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from multinet_eval.cli.plugins.new import TRY_OUT, write_plugin
from support.sources import imported_names

RULES = ("--select", "A,B,C4,C90,E,F,I,N,PT,PTH,RET,RUF,SIM,UP,W", "--ignore", "A002,E501")
DISTRIBUTIONS = {
    "gridworld": "gridworld-core",
    "gridworld_polygons": "gridworld-multigrid",
    "multinet_eval": "multinet-eval",
}


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A distribution of each kind, called ``my-model`` and so on, untouched."""
    parent = tmp_path_factory.mktemp("written")
    return {kind: write_plugin(kind, f"my-{kind}", parent)[0] for kind in TRY_OUT}


def module(name: str, folder: Path, *arguments: str, path: str = "") -> None:
    """Run a Python module, which has to succeed."""
    finished = subprocess.run(
        [sys.executable, "-m", name, *arguments], cwd=folder, env=os.environ | {"MYPYPATH": path},
        capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert finished.returncode == 0, finished.stdout


def test_they_pass_ruff(written: dict[str, Path]) -> None:
    for folder in written.values():
        module("ruff", folder, "check", "--isolated", "--no-cache", *RULES, ".")


def test_they_pass_mypy_strictly(written: dict[str, Path], tmp_path: Path) -> None:
    packages = [argument for kind in TRY_OUT for argument in ("-p", f"my_{kind}")]
    path = os.pathsep.join(str(folder / "src") for folder in written.values())
    module("mypy", tmp_path, "--strict", "--config-file", "", "--cache-dir", str(tmp_path), *packages, path=path)


def test_they_declare_exactly_what_they_import(written: dict[str, Path]) -> None:
    for kind, folder in written.items():
        imported = {
            module.split(".")[0]
            for file in (folder / "src").rglob("*.py")
            for module, _ in imported_names(file.read_text(encoding="utf-8"))
        }
        used = {DISTRIBUTIONS.get(each, each) for each in imported - sys.stdlib_module_names - {f"my_{kind}"}}
        project = tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8"))["project"]
        assert used == {requirement.split(">=")[0] for requirement in project["dependencies"]}
