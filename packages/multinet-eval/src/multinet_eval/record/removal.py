"""Removing recorded runs."""

from __future__ import annotations

import shutil
from pathlib import Path

from multinet_eval.record.lock import LOCK, RunLock, check_unlocked
from multinet_eval.record.record_folders import RUN, NotRecordedError, RunError
from multinet_eval.record.run_directory import is_run

__all__ = ["check_removable", "remove_run"]


def check_removable(path: Path, take_over: bool = False) -> None:
    """Make sure that a folder holds a recorded run, damaged or not, which nobody plays.

    Args:
        path: the folder.
        take_over: whether it may be held by a process.

    Raises:
        NotRecordedError: it holds no run.
        RunError: the run is being played.
    """
    if not is_run(path):
        raise NotRecordedError(path, RUN)
    if not take_over:
        check_unlocked(path)


def remove_run(path: Path, take_over: bool = False) -> None:
    """Remove the folder of a recorded run with all that is in it, damaged or not.

    A removal that was interrupted leaves what still is such a run, and can be repeated.

    Args:
        path: its folder.
        take_over: whether to take the run from a process that holds it.

    Raises:
        NotRecordedError: it holds no run.
        RunError: the run is being played, or it cannot be removed.
    """
    check_removable(path, take_over)
    try:
        with RunLock(path, take_over):
            _remove_contents(path)
        path.rmdir()
    except OSError as error:
        raise RunError(f"cannot remove {path}: {error.strerror}") from error


def _remove_contents(path: Path) -> None:
    """Remove everything but the lock, last of all what makes the folder a run."""
    for inner in sorted(path.iterdir(), key=lambda each: (each.name == RUN.file, each.name)):
        if inner.is_dir() and not inner.is_symlink():
            shutil.rmtree(inner)
        elif inner.name != LOCK:
            inner.unlink()
