"""Every command that reads a TOML file refuses an unusable one in a line."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from support.commands import multinet
from support.runs import SteeredModel, record_run
from support.worlds import corridor

READERS: dict[str, tuple[str, ...]] = {
    "experiment run": ("experiment", "run", "FILE", "--dry-run"),
    "experiment preview": ("experiment", "preview", "FILE"),
    "eval --prices": ("eval", "-m", "random", "--prices", "FILE", "--dry-run"),
    "runs resume --prices": ("runs", "resume", "RUN", "--prices", "FILE"),
    "plan --prices": ("plan", "--suite", "tiers", "--difference", "0.5", "--prices", "FILE"),
    "runs rescore --weights": ("runs", "rescore", "RUN", "--weights", "FILE", "--metric", "composite"),
    "compare --weights": ("compare", "RUN", "RUN", "--weights", "FILE", "--score", "composite"),
    "leaderboard --weights": ("leaderboard", "RUN", "--weights", "FILE", "--score", "composite"),
    "tasks list": ("tasks", "list", "FILE"),
    "tasks generate": ("tasks", "generate", "FILE", "-o", "OUT"),
    "eval --benchmark": ("eval", "-m", "random", "--benchmark", "FILE"),
}
SYNTAX = "it is not TOML: "
FILES: dict[str, tuple[Callable[[Path], object], str]] = {
    "missing": (lambda path: None, "there is no such file"),
    "folder": (Path.mkdir, "it is a folder, expected a regular file"),
    "FIFO": (os.mkfifo, "it is a FIFO, expected a regular file"),
    "device": (lambda path: path.symlink_to("/dev/zero"), "it is a character device, expected a regular file"),
    "large": (lambda path: path.write_bytes(b"#" * (2**20 + 1)), "it has 1048577 bytes, expected at most 1048576"),
    "UTF-16": (lambda path: path.write_text("a = 1\n", "utf-16"), f"{SYNTAX}byte 0: not UTF-8 text"),
    "nested": (lambda path: path.write_text("a = " + "[" * 100_000), f"{SYNTAX}expected at most 50 levels"),
    "dotted": (lambda path: path.write_text(".".join("a" * 100_000) + " = 1"), f"{SYNTAX}expected at most 50 levels"),
}
CASES = [*((name, "FIFO") for name in READERS), *((next(iter(READERS)), file) for file in FILES if file != "FIFO")]
"""Every reader is given one file, and the first one all of them."""


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return record_run(tmp_path_factory.mktemp("runs") / "run", [corridor("@.G")], SteeredModel("F")).path


@pytest.mark.parametrize(("name", "kind"), CASES)
def test_an_unusable_toml_file_is_refused_in_a_line(name: str, kind: str, run: Path, tmp_path: Path) -> None:
    make, message = FILES[kind]
    file = tmp_path / "file.toml"
    make(file)
    places = {"FILE": file, "RUN": run, "OUT": tmp_path / "out"}
    finished = multinet(*(places.get(word, word) for word in READERS[name]))
    assert (finished.exit_code, finished.stdout) == (2, "")
    said = finished.stderr.splitlines()[-1]
    assert said.startswith(f"error: {file}: {message}")
    assert len(finished.stderr) < 1000
