"""No file makes a command that reads tasks fail in another way than with exit code 1 or 2 and a message.

Memory and time are bounded: see `fuzzed_files`, which does the work in a process of its own.
"""

import json
import os
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import fuzzed_files
from support.programs import assert_refused, environment, run
from support.runs import write_corridor
from support.worlds import describe

TIMEOUT = 3600


def fuzz(seed: int, count: int, folder: Path) -> dict[str, int]:
    """How often each command ended with which exit code."""
    finished = subprocess.run(
        [sys.executable, fuzzed_files.__file__, str(seed), str(count), str(folder / "work")],
        env=environment(variables={"OPENBLAS_NUM_THREADS": "1"}),
        capture_output=True,
        text=True,
        timeout=TIMEOUT,
        check=False,
    )
    assert (finished.returncode, finished.stderr) == (0, "")
    *failures, endings = map(json.loads, finished.stdout.splitlines())
    assert failures == []
    counted: dict[str, int] = endings
    return counted


def test_mutated_files_are_read_or_refused_in_words_by_every_command(tmp_path: Path) -> None:
    endings = fuzz(1, 60, tmp_path)
    assert {name.rpartition(": ")[0] for name in endings} == set(fuzzed_files.COMMANDS)
    assert sum(count for name, count in endings.items() if name.endswith(": 0")) >= 15


@pytest.mark.thorough
@pytest.mark.parametrize("seed", range(2, 12))
def test_ten_thousand_mutated_files_are_read_or_refused_in_words(tmp_path: Path, seed: int) -> None:
    endings = fuzz(seed, 1000, tmp_path)
    assert {name for name in fuzzed_files.COMMANDS if f"{name}: 0" not in endings} <= {"validate --strict"}


READERS = [
    *(["tasks", name] for name in ("show", "solve", "validate", "upgrade", "list", "lengths")),
    ["tasks", "render", "-o", "out.png"],
    ["tasks", "demos", "-o", "out"],
    ["tasks", "gallery", "-o", "out"],
    ["prompts", "show", "-m", "ollama", "-M", "model=m"],
    ["eval", "-m", "random", "--task-dir"],
]
OF_FOLDERS = ("list", "lengths", "demos", "gallery", "--task-dir")


def read_by(command: list[str], path: Path, cwd: Path) -> tuple[int, str]:
    """Exit code and output of a command that is given a file, or its folder if it reads folders only."""
    meant = path.parent if any(word in OF_FOLDERS for word in command) else path
    finished = run("multinet", *command, meant, cwd=cwd)
    return finished.returncode, finished.stdout + finished.stderr


@pytest.mark.parametrize("command", READERS, ids=" ".join)
def test_a_fifo_is_refused_and_not_read(command: list[str], tmp_path: Path) -> None:
    (tmp_path / "tasks").mkdir()
    os.mkfifo(tmp_path / "tasks" / "x.json")
    code, said = read_by(command, tmp_path / "tasks" / "x.json", tmp_path)
    assert code in (1, 2)
    assert "is a FIFO, expected a regular file" in said


def test_sockets_devices_and_folders_are_refused_and_not_read(tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as listening:
        (tmp_path / "tasks").mkdir()
        listening.bind(os.path.relpath(tmp_path / "tasks" / "x.json"))
        _, said = read_by(["tasks", "solve"], tmp_path / "tasks" / "x.json", tmp_path)
    assert "is a socket, expected a regular file" in said
    assert_refused(run("multinet", "tasks", "show", "/dev/zero"), "is a character device, expected a regular file")
    assert_refused(run("multinet", "tasks", "show", tmp_path), "Is a directory")


def test_a_file_of_gigabytes_is_refused_and_not_read(tmp_path: Path) -> None:
    with (tmp_path / "x.json").open("wb") as sparse:
        sparse.truncate(10 * 2**30)
    assert_refused(
        run("multinet", "tasks", "show", tmp_path / "x.json"), "10737418240 bytes, expected at most 67108864"
    )


@pytest.mark.parametrize("command", READERS, ids=" ".join)
def test_a_maze_of_ten_billion_cells_is_refused_before_it_is_laid_out(command: list[str], tmp_path: Path) -> None:
    data: dict[str, Any] = describe("#####\n#@.G#\n#####")
    data["maze"]["dimensions"] = [100_000, 100_000]
    (tmp_path / "tasks").mkdir()
    (tmp_path / "tasks" / "x.json").write_text(json.dumps(data))
    code, said = read_by(command, tmp_path / "tasks" / "x.json", tmp_path)
    assert code in (1, 2)
    assert "maze.dimensions[0]: must be at least 3 and at most 512, got 100000" in said


@pytest.mark.parametrize("command", ["upgrade", pytest.param("validate", marks=pytest.mark.thorough)])
def test_a_maze_of_the_largest_sides_is_read(command: str, tmp_path: Path) -> None:
    write_corridor(tmp_path, "task")
    data = json.loads((tmp_path / "task.json").read_text())
    data["maze"] |= {"dimensions": [512, 512], "walls": []}
    (tmp_path / "task.json").write_text(json.dumps(data))
    finished = run("multinet", "tasks", command, tmp_path / "task.json")
    assert (finished.returncode, finished.stderr) == (0, "")
