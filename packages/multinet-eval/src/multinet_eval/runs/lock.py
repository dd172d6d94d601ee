"""`RunLock`: makes sure that one process at a time plays a recorded run, also on a disk that several machines share."""

from __future__ import annotations

import json
import os
import secrets
import socket
import threading
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any

from multinet_eval.runs.run_directory import RunError

__all__ = ["HEARTBEAT", "LOCK", "RunLock", "is_gone", "read_lock"]

LOCK = "lock"
"""The name of the file in the run's folder."""
HEARTBEAT = 5.0
"""Seconds between two heartbeats."""


class RunLock:
    """Holds a run while it is played, as a context manager.

    The file is made exclusively and names the host, the process, and how often its heart has beaten. A lock whose
    process is known to be gone, since it was of this machine, is taken over without asking.

    Args:
        run: the run's folder.
        take_over: whether to take the lock from whoever holds it.

    Raises:
        RunError: somebody else holds it, or it cannot be written.
    """

    def __init__(self, run: Path, take_over: bool = False) -> None:
        self._path = run / LOCK
        self._token = secrets.token_hex(8)
        self._beats = 0
        self._over = threading.Event()
        self._take_over = take_over
        self._thread = threading.Thread(target=self._beat, name="heartbeat", daemon=True)

    @property
    def lost(self) -> bool:
        """Whether another process has taken the lock over."""
        return self._holder().get("token") != self._token

    def __enter__(self) -> RunLock:
        try:
            self._acquire()
        except OSError as error:
            raise RunError(f"cannot lock the run: {self._path}: {error.strerror}") from error
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._over.set()
        self._thread.join()
        with suppress(OSError):
            if not self.lost:
                self._path.unlink()

    def _acquire(self) -> None:
        holder = self._holder() if self._path.exists() else None
        if holder is not None:
            if not self._take_over and not is_gone(holder):
                raise RunError(_in_use(self._path, holder))
            # Renamed, so that of two processes that find the same lock only one can take it.
            stale = self._path.with_name(f"{LOCK}.{self._token}")
            with suppress(FileNotFoundError):
                self._path.rename(stale)
                stale.unlink()
        try:
            descriptor = os.open(self._path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o644)
        except FileExistsError:
            raise RunError(_in_use(self._path, self._holder())) from None
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(self._text())

    def _text(self) -> str:
        holder = {"host": socket.gethostname(), "pid": os.getpid(), "token": self._token, "heartbeat": self._beats}
        return json.dumps(holder) + "\n"

    def _beat(self) -> None:
        while not self._over.wait(HEARTBEAT):
            self._beats += 1
            with suppress(OSError):
                if not self.lost:
                    self._path.write_text(self._text(), encoding="utf-8")

    def _holder(self) -> Mapping[str, Any]:
        return read_lock(self._path.parent)


def read_lock(run: Path) -> Mapping[str, Any]:
    """Who holds the lock of a run: ``host``, ``pid``, ``token`` and ``heartbeat``; empty where that cannot be read.

    Args:
        run: the run's folder.
    """
    try:
        found = json.loads((run / LOCK).read_bytes())
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def is_gone(holder: Mapping[str, Any]) -> bool:
    """Whether the process that holds a lock, as `read_lock` returns it, is known to have ended."""
    process = holder.get("pid")
    if holder.get("host") != socket.gethostname() or not isinstance(process, int):
        return False
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return True
    except OSError:
        return False
    return False


def _in_use(path: Path, holder: Mapping[str, Any]) -> str:
    who = f"process {holder.get('pid', 'unknown')} on {holder.get('host', 'an unknown host')}"
    return (
        f"the run is being played by {who} (its lock is {path}): wait for it, or take it over with --take-over if you "
        "know that it has ended"
    )
