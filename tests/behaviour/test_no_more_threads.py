"""The system refuses to start more threads or processes."""

import errno
import json
import os
import threading
from multiprocessing import util
from pathlib import Path
from typing import Any

import pytest

from support.commands import Finished, multinet, run_eval
from support.task_files import write_corridors
from support.thoroughness import first_by_default


@pytest.fixture
def tasks(tmp_path: Path) -> Path:
    return write_corridors(tmp_path / "tasks", 4, 4, 4)


def begin(run: Path, tasks: Path, *options: object) -> Finished:
    return run_eval("-m", "optimal", "-B", "render_mode=none", "--task-dir", tasks, "--run-dir", run, *options)


def allow(monkeypatch: pytest.MonkeyPatch, owner: Any, name: str, allowed: int, refusal: Exception) -> None:
    """Let something of the standard library be called so often, and then raise."""
    original, calls = getattr(owner, name), iter(range(allowed))

    def call(*arguments: Any, **named: Any) -> Any:
        if next(calls, None) is None:
            raise refusal
        return original(*arguments, **named)

    monkeypatch.setattr(owner, name, call)


def assert_refused_cleanly(finished: Finished, what: str) -> None:
    assert finished.exit_code == 1
    assert "Traceback" not in finished.stderr
    assert f"error: cannot start {what}" in finished.stderr
    assert "the system allows no more threads and processes here" in finished.stderr


@pytest.mark.more
def test_whichever_thread_cannot_start_the_run_ends_with_a_message_and_can_be_resumed(
    tmp_path: Path, tasks: Path
) -> None:
    ended = False
    for allowed in range(20):
        run = tmp_path / f"run-{allowed}"
        with pytest.MonkeyPatch.context() as patched:
            allow(patched, threading.Thread, "start", allowed, RuntimeError("can't start new thread"))
            finished = begin(run, tasks, "--workers", 3, "--max-time", 100)
        ended = finished.exit_code == 0
        if ended:
            break
        assert_refused_cleanly(finished, "the thread")
        assert multinet("runs", "resume", run).exit_code == 0
        assert json.loads((run / "results.json").read_text())["success_rate"] == 1.0
    assert ended
    assert allowed > 3


@first_by_default("allowed", [1, 0])
def test_a_worker_process_that_cannot_start_ends_the_run_with_a_message(
    tmp_path: Path, tasks: Path, monkeypatch: pytest.MonkeyPatch, allowed: int
) -> None:
    run = tmp_path / "run"
    refusal = BlockingIOError(errno.EAGAIN, os.strerror(errno.EAGAIN))
    with monkeypatch.context() as patched:
        allow(patched, util, "spawnv_passfds", allowed, refusal)
        finished = begin(run, tasks, "--workers", 2, "--executor", "processes")
    assert_refused_cleanly(finished, "a worker process: Resource temporarily unavailable")
    assert f"continue with: multinet runs resume {run}" in finished.stderr
    assert multinet("runs", "resume", run, "--executor", "local").exit_code == 0
