"""Locks of runs, and their removal."""

import json
import os
import socket
import subprocess
import sys
import threading
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from multinet_eval.record import lock
from multinet_eval.record.lock import RunLock
from multinet_eval.record.record_folders import RunError


def holder(run: Path) -> Any:
    return json.loads((run / "lock").read_text(encoding="utf-8"))


def ended_process() -> int:
    process = subprocess.Popen([sys.executable, "-S", "-c", ""])
    process.wait()
    return process.pid


def leave_lock(run: Path, **other: Any) -> None:
    """Leave the lock of this process, but for what is said."""
    with RunLock(run):
        left = holder(run)
    (run / "lock").write_text(json.dumps({**left, **other}), encoding="utf-8")


def test_a_lock_names_its_holder_and_is_removed(tmp_path: Path) -> None:
    with RunLock(tmp_path) as held:
        found = holder(tmp_path)
        assert (found["host"], found["pid"], int(found["heartbeat"])) == (socket.gethostname(), os.getpid(), 0)
        assert list(tmp_path.iterdir()) == [tmp_path / "lock"]
        held.check()
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(RunError):
        held.check()


def test_heartbeats_are_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lock, "HEARTBEAT", 0.001)
    with RunLock(tmp_path) as held:
        while int(holder(tmp_path)["heartbeat"]) < 20:
            held.check()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "left",
    [
        pytest.param({"pid": None}, id="of nobody known"),
        pytest.param({"host": "elsewhere", "pid": 2**22 + 1}, id="of another machine"),
        pytest.param({"processes": 1, "pid": 2**22 + 1}, id="of another container"),
        pytest.param({}, id="of a living process"),
        pytest.param({"pid": 10**30}, id="of no process that there can be"),
    ],
)
def test_a_possibly_live_lock_is_refused_unless_taken_over(tmp_path: Path, left: dict[str, Any]) -> None:
    leave_lock(tmp_path, **left)
    before = (tmp_path / "lock").read_bytes()
    with pytest.raises(RunError, match=r"is being played by process .* --take-over"), RunLock(tmp_path):
        pass
    assert (tmp_path / "lock").read_bytes() == before
    with RunLock(tmp_path, take_over=True):
        assert holder(tmp_path)["pid"] == os.getpid()


@pytest.mark.parametrize("content", [b"", b"{", b"[1]", b"\xff", b"3", b"[" * 100_000])
def test_a_damaged_lock_is_refused_unless_it_is_taken_over(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "lock").write_bytes(content)
    with pytest.raises(RunError, match="does not say by which process, or cannot be read"), RunLock(tmp_path):
        pass
    with RunLock(tmp_path, take_over=True) as held:
        held.check()


@pytest.mark.parametrize("other", ["ended", "number given to another"])
def test_a_lock_whose_process_has_ended_is_taken_silently(tmp_path: Path, other: str) -> None:
    leave_lock(tmp_path, **({"pid": ended_process()} if other == "ended" else {"started": "1"}))
    with RunLock(tmp_path) as held:
        held.check()
        assert holder(tmp_path)["pid"] == os.getpid()


def test_a_lost_lock_is_noticed_and_the_new_one_kept(tmp_path: Path) -> None:
    with RunLock(tmp_path) as first:
        first.check()
        with RunLock(tmp_path, take_over=True) as second:
            with pytest.raises(RunError, match="another process has taken over the run"):
                first.check()
            second.check()
        assert first.lost
    assert list(tmp_path.iterdir()) == []


def test_a_removed_lock_file_is_not_called_a_take_over(tmp_path: Path) -> None:
    with RunLock(tmp_path) as held:
        (tmp_path / "lock").unlink()
        with pytest.raises(RunError, match=r"^the lock file .*lock was removed while the run was played"):
            held.check()


def test_a_heartbeat_notices_a_replaced_lock(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lock, "HEARTBEAT", 0.001)
    with RunLock(tmp_path) as first:
        (tmp_path / "lock").rename(tmp_path / ".nfs0001")
        with RunLock(tmp_path) as second:
            while not first.lost:
                second.check()
    assert [path.name for path in tmp_path.iterdir()] == [".nfs0001"]


@pytest.mark.parametrize("stale", [False, True])
def test_one_of_several_simultaneous_locks_wins(tmp_path: Path, stale: bool) -> None:
    ended = ended_process()
    for _ in range(5):
        if stale:
            leave_lock(tmp_path, pid=ended)
        winners = race(tmp_path, 6)
        assert winners == 1
        assert list(tmp_path.iterdir()) == []


def race(run: Path, many: int) -> int:
    """Let so many threads take a lock at once; returns how many had it before any let go of it."""
    begin, tried = threading.Barrier(many), threading.Barrier(many)
    won: list[RunLock] = []
    refused: list[str] = []

    def take() -> None:
        with ExitStack() as stack:
            begin.wait()
            try:
                won.append(stack.enter_context(RunLock(run)))
            except RunError as error:
                refused.append(str(error))
            tried.wait()

    threads = [threading.Thread(target=take) for _ in range(many)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all("is being played by process" in message for message in refused)
    return len(won)


def test_a_folder_that_is_gone_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(RunError, match=r"cannot lock the run: .*/gone/lock: No such file"), RunLock(tmp_path / "gone"):
        pass
