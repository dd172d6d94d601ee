"""Write access to a run: a lock lets one process play it, and claims protect it from writes of earlier sessions."""

from __future__ import annotations

import fcntl
import json
import os
import re
import secrets
import socket
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import Any

import attrs

from gridworld.errors import GridworldError
from gridworld.support.files import FileError, read_json, rename_new, temporary_name, write_text
from multinet_eval.record.record_folders import RunError, TakenOverError
from multinet_eval.support.output import compact_json
from multinet_eval.support.worker_processes import starting

LOCK = "lock"
"""Name of the lock file, which names the process that plays a run."""
HEARTBEAT = 5.0
"""Seconds between two heartbeats."""
NOTICE = 0.05
"""Maximum time in seconds until a process notices that its lock was removed."""
MOST_BYTES_OF_A_LOCK = 65_536
DIGITS = 10
"""Number of digits of the heartbeat counter; a fixed width, so that it can be overwritten."""


class RunLock:
    """Context manager that locks the folder of a run, or of several, while it is played.

    The file names the host, the process and the number of heartbeats. The lock of a dead process on this machine is
    taken over without asking.

    Args:
        run: the folder.
        take_over: whether to take the lock from another process.

    Raises:
        RunError: another process holds the lock, or the lock cannot be written.
    """

    def __init__(self, run: Path, take_over: bool = False) -> None:
        self._path = run.absolute() / LOCK  # the working directory may change meanwhile
        self._token = secrets.token_hex(8)
        self._beats = 0
        self._over = threading.Event()
        self._take_over = take_over
        self._claimed = 0
        """Number of the newest session before this process begins one."""
        self._descriptor = -1
        self._links = 0
        self._replaced = False
        self._thread = threading.Thread(target=self._beat, name="heartbeat", daemon=True)

    @property
    def lost(self) -> bool:
        """Whether the lock was released, or another process has taken it over.

        Some file systems keep the link count of a removed file while it is open, so each heartbeat also checks its
        path.
        """
        return self._over.is_set() or self._replaced or os.fstat(self._descriptor).st_nlink < self._links

    def check(self) -> None:
        """Check that this process may still write to the run.

        Raises:
            TakenOverError: another process has taken over the run.
            RunError: the lock file or the folder was removed.
        """
        if self.lost:
            if not self._path.parent.exists():
                raise RunError(f"the run's folder is gone: {self._path.parent} was removed while it was played")
            with _alone(self._path.parent):  # while no other process puts a lock in place of this one
                removed = not self._path.exists() and _newest_number(self._path.parent) <= self._claimed + 1
            if removed:
                raise RunError(
                    f"the lock file {self._path} was removed while the run was played, so that another process could "
                    "play it, too"
                )
            raise TakenOverError(f"another process has taken over the run (its lock is {self._path})")

    def __enter__(self) -> RunLock:
        try:
            with _alone(self._path.parent):
                self._acquire()
                self._claimed = _newest_number(self._path.parent)
        except OSError as error:
            raise RunError(f"cannot lock the run: {self._path}: {error.strerror}") from error
        try:
            with starting("the thread that keeps the run's lock"):
                self._thread.start()
        except GridworldError:
            self._remove()
            os.close(self._descriptor)
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._remove()
        self._over.set()
        self._thread.join()
        os.close(self._descriptor)

    def _remove(self) -> None:
        with suppress(OSError), _alone(self._path.parent):
            if self._is_in_place():
                self._path.unlink()

    def _acquire(self) -> None:
        taken_over = False
        if self._path.exists():
            holder = read_lock(self._path.parent)
            taken_over = not _is_gone(holder)
            if taken_over and not self._take_over:
                raise RunError(_in_use(self._path.parent, holder))
            self._path.unlink()  # the holder notices; of several machines only one can remove it
        # Written under another name first, so that a process killed here leaves no lock without a holder.
        temporary = self._path.with_name(f".{LOCK}.{self._token}")
        self._descriptor = os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o644)
        try:
            self._write()
            rename_new(temporary, self._path)
        except FileExistsError:
            os.close(self._descriptor)
            raise RunError(_in_use(self._path.parent, read_lock(self._path.parent))) from None
        except OSError:
            os.close(self._descriptor)
            raise
        finally:
            temporary.unlink(missing_ok=True)
        self._links = os.fstat(self._descriptor).st_nlink
        if taken_over:
            time.sleep(2 * NOTICE)  # until the holder has written its last line

    def _write(self) -> None:
        """Overwrite the file with the same number of bytes, so that it stays complete even on a full disk."""
        holder = {
            **_system(),
            "pid": os.getpid(),
            "started": _start_of(os.getpid()),
            "token": self._token,
            "heartbeat": f"{self._beats:0{DIGITS}}",
        }
        os.pwrite(self._descriptor, f"{json.dumps(holder)}\n".encode(), 0)

    def _beat(self) -> None:
        while not self._over.wait(HEARTBEAT):
            self._beats += 1
            with suppress(OSError):
                self._write()
            self._replaced = not self._is_in_place()

    def _is_in_place(self) -> bool:
        try:
            return os.path.samestat(self._path.stat(), os.fstat(self._descriptor))
        except FileNotFoundError:
            return False
        except OSError:  # a failing shared disk does not mean another process
            return True


def read_lock(run: Path) -> Mapping[str, Any]:
    """Read who holds a run's lock: ``host``, ``pid``, ``token`` and ``heartbeat``; empty if it is unreadable."""
    try:
        found = read_json(run / LOCK, MOST_BYTES_OF_A_LOCK)
    except FileError:
        return {}
    return found if isinstance(found, dict) else {}


def holder_of(run: Path) -> Mapping[str, Any] | None:
    """Return the process that plays a run, as `read_lock` does; None if there is none, or it is dead."""
    if not (run / LOCK).exists():
        return None
    holder = read_lock(run)
    return None if _is_gone(holder) else holder


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Exclude other processes of this machine, so that none removes a lock that another has just created.

    On a file system without such locks, only the exclusive creation of the lock file protects.
    """
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        with suppress(OSError):
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def _system() -> dict[str, Any]:
    """Identify the scope of process ids: containers may share a host name but not processes."""
    try:
        processes = Path("/proc/self/ns/pid").stat().st_ino
    except OSError:
        processes = 0
    return {"host": socket.gethostname(), "processes": processes}


def _is_gone(holder: Mapping[str, Any]) -> bool:
    """Whether the holder of a lock (`read_lock`) is known to be dead."""
    process = holder.get("pid")
    if any(holder.get(name) != value for name, value in _system().items()) or not isinstance(process, int):
        return False
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return True
    except (OSError, OverflowError):
        return False
    return holder.get("started") != _start_of(process)


def _start_of(process: int) -> str | None:
    """Return the start time of a process in system ticks, since its id may be reused; None if unknown."""
    try:
        status = Path(f"/proc/{process}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    # The program's name, in brackets, may hold anything; the start time is the 22nd field.
    return status.rpartition(")")[2].split()[19]


def played_by(run: Path, holder: Mapping[str, Any]) -> str:
    """Say which process plays a run."""
    if "pid" not in holder:
        return f"{run} may be being played: its lock {run / LOCK} does not say by which process, or cannot be read"
    who = f"process {holder.get('pid', 'unknown')} on {holder.get('host', 'an unknown host')}"
    return f"{run} is being played by {who} (its lock is {run / LOCK})"


def _in_use(run: Path, holder: Mapping[str, Any]) -> str:
    return f"{played_by(run, holder)}: wait for it, or take it over with --take-over if you know that it has ended"


SESSIONS = "sessions"
"""Name of the folder that holds the claims."""
NUMBER = re.compile(r"[1-9][0-9]{0,8}")


@attrs.frozen
class Claim:
    """The claim of a session: its number, and the parts of earlier sessions' files that count.

    A session, that is, a process that plays a run, claims its number with ``sessions/N.json`` and writes its own files.
    A process that keeps running after a take-over appends only to its own files, which are no longer read.
    """

    number: int
    """Number of the session, from 1; 0 if no session is recorded."""
    takes_over: Mapping[str, int]
    """Number of valid bytes in each file of earlier sessions, by its path in the run's folder."""

    def size_of(self, name: str, session: int) -> int | None:
        """Return the number of valid bytes in a session's file, by its path in the run's folder; None for all."""
        return None if session >= self.number else self.takes_over.get(name, 0)


def newest_claim(run: Path) -> Claim:
    """Read the newest session's claim, with number 0 if there is none; raises RunError if it is damaged."""
    number = _newest_number(run)
    return _read(run / SESSIONS / f"{number}.json") if number else Claim(0, {})


def _newest_number(run: Path) -> int:
    paths = (run / SESSIONS).glob("*.json")
    return max((int(path.stem) for path in paths if NUMBER.fullmatch(path.stem)), default=0)


def claim_session(run: Path, takes_over: Mapping[str, int], latest: int) -> Claim:
    """Begin the next session; if several processes try, only one succeeds.

    Args:
        run: the folder of the run.
        takes_over: number of valid bytes in each file of earlier sessions.
        latest: the highest number of a session that has written a file; 0 for none.

    Raises:
        RunError: another process has begun a session in the meantime, or the file cannot be written.
    """
    claim = Claim(max(newest_claim(run).number, latest) + 1, dict(takes_over))
    if not NUMBER.fullmatch(str(claim.number)):
        raise RunError(f"{run / SESSIONS} is damaged: no session number can follow {claim.number - 1}")
    path = run / SESSIONS / f"{claim.number}.json"
    temporary = temporary_name(path)
    try:
        if not path.parent.is_dir():
            path.parent.mkdir()
        write_text(temporary, compact_json(attrs.asdict(claim)) + "\n")
        try:
            rename_new(temporary, path)
        except FileExistsError:
            raise RunError(f"another process has begun to play {run}: wait for it, or use --take-over") from None
    except OSError as error:
        raise RunError(f"cannot write {path}: {error.strerror}") from error
    finally:
        with suppress(OSError):
            temporary.unlink()
    return claim


def _read(path: Path) -> Claim:
    try:
        found: Any = read_json(path)
        sizes = found["takes_over"]
        if found["number"] != int(path.stem) or not all(type(size) is int and size >= 0 for size in sizes.values()):
            raise ValueError("expected its number, and sizes of files in bytes")
    except FileError as error:
        raise RunError(str(error)) from error
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        raise RunError(f"{path} is damaged: {error}") from error
    return Claim(found["number"], sizes)
