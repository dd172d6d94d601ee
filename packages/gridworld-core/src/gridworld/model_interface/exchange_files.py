"""Exchange of files with another program: folders for requests, and waiting for answers."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable
from itertools import chain, count
from pathlib import Path
from typing import TypeVar

from gridworld.model_interface.answers import AnswerOutcome
from gridworld.model_interface.base import EpisodeInfo
from gridworld.support.files import safe_file_name

T = TypeVar("T")


class NoAnswerYet(Exception):
    """The request has not been answered yet.

    Args:
        reason: why, for example that the file is missing.
        outcome: the outcome if no answer follows.
    """

    def __init__(self, reason: str, outcome: AnswerOutcome = AnswerOutcome.INFRASTRUCTURE) -> None:
        self.reason = reason
        self.outcome = outcome
        super().__init__(reason)


class Settling:
    """Detects when repeatedly read content has stopped changing.

    Args:
        seconds: how long the content must stay unchanged.
    """

    def __init__(self, seconds: float = 1.0) -> None:
        self._seconds = seconds
        self._seen: bytes | None = None
        self._since = 0.0

    def has_settled(self, raw: bytes) -> bool:
        """Whether the content has been unchanged for at least `seconds`."""
        now = time.monotonic()
        if raw != self._seen:
            self._seen, self._since = raw, now
        return now - self._since >= self._seconds


def read_if_there(path: Path) -> bytes:
    """Read a file.

    Raises:
        NoAnswerYet: the file is missing or unreadable.
    """
    try:
        return path.read_bytes()
    except FileNotFoundError:
        raise NoAnswerYet("there is no such file") from None
    except OSError as error:
        raise NoAnswerYet(f"it cannot be read: {error.strerror}") from error


def wait_for_answer(read: Callable[[], T], timeout: float, poll_interval: float) -> T:
    """Poll until `read` no longer raises `NoAnswerYet`, and return its result.

    Args:
        read: tries to read the answer once.
        timeout: maximum wait in seconds; ``inf`` waits forever.
        poll_interval: seconds between two tries.

    Raises:
        NoAnswerYet: no answer in time.
    """
    started = time.monotonic()
    while True:
        try:
            return read()
        except NoAnswerYet:
            remaining = started + timeout - time.monotonic()
            if remaining <= 0:
                raise
        time.sleep(min(poll_interval, remaining))


def new_run_id() -> str:
    """Make a unique id from the time in UTC and four random bytes."""
    return f"{time.strftime('%Y%m%dT%H%M%SZ', time.gmtime())}-{secrets.token_hex(4)}"


class EpisodeFolder:
    """The folder of one episode, created with its first request and never reused.

    Args:
        run_folder: the folder of the run; created if missing.
        info: the episode.
    """

    def __init__(self, run_folder: Path, info: EpisodeInfo) -> None:
        self._run_folder = run_folder
        self.info = info
        self._path: Path | None = None
        self._next_number = 0

    def next_question(self) -> tuple[Path, str]:
        """Return the folder and the number of its next request, starting with ``0000``.

        Raises:
            OSError: the folder cannot be created.
        """
        self._path = self._path or self._make()
        number, self._next_number = f"{self._next_number:04d}", self._next_number + 1
        return self._path, number

    def _make(self) -> Path:
        """Create a new folder, numbered if the task and seed were played before."""
        self._run_folder.mkdir(parents=True, exist_ok=True)
        name = f"{safe_file_name(self.info.task_id)}-seed{self.info.seed}"
        candidates = chain([name], (f"{name}-{number}" for number in count(2)))
        return next(path for path in map(self._run_folder.joinpath, candidates) if _claim(path))


def _claim(path: Path) -> bool:
    """Create a folder; return False if it exists."""
    try:
        path.mkdir()
    except FileExistsError:
        return False
    return True
