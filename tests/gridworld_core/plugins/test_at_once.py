"""Threads and processes that load the plugins and play at the same time, each as if it were alone."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

PROGRAM = Path(__file__).parents[2] / "playing_at_once.py"
pytestmark = pytest.mark.thorough

PROCESSES = 4


def start(threads: int) -> "subprocess.Popen[str]":
    command = [sys.executable, str(PROGRAM), str(threads)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def finish(process: "subprocess.Popen[str]") -> Any:
    printed, complaints = process.communicate(timeout=300)
    assert (process.returncode, complaints) == (0, "")
    return json.loads(printed)


def test_sixteen_threads_in_each_of_four_processes_load_the_plugins_once_and_play_as_one_thread_does() -> None:
    alone = finish(start(threads=1))
    assert all(isinstance(end, list) for end in alone["ends"]), alone
    assert len({json.dumps(end) for end in alone["ends"]}) == 16

    processes = [start(threads=16) for _ in range(PROCESSES)]
    assert [finish(process) for process in processes] == [alone] * PROCESSES
    assert alone["registries"] == 1
