"""Recorded runs of the small tasks, made by the program."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from support.commands import run

RECORDED = {"MULTINET_NO_RECORD": ""}


@pytest.fixture(scope="session")
def walked(tasks: Path, third_party: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished run of a forward walk, which solves the first and the last of the three tasks."""
    path = tmp_path_factory.mktemp("runs") / "walked"
    options = ["-m", "walker", "--task-dir", tasks, "-B", "tile_size=8", "--run-dir", path, "-q"]
    finished = run("multinet", "eval", *options, path=[third_party], variables=RECORDED)
    assert (finished.returncode, finished.stderr) == (0, "")
    return path


@pytest.fixture
def copied(walked: Path, tmp_path: Path) -> Callable[[str], Path]:
    """Makes a copy of the run under a name in a folder ``runs`` of its own."""
    return lambda name: Path(shutil.copytree(walked, tmp_path / "runs" / name))


@pytest.fixture
def cut_short(copied: Callable[[str], Path]) -> Path:
    """A copy of the run, stopped in its second episode."""
    path = copied("cut-short")
    (path / "results.json").unlink()
    (path / "episodes" / "2.jsonl").unlink()
    file = path / "episodes" / "1.jsonl"
    file.write_text("".join(file.read_text(encoding="utf-8").splitlines(keepends=True)[:5]), encoding="utf-8")
    return path
