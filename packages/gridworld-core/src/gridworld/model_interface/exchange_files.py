"""Files that are exchanged with another program: folders for questions, and waiting for answers."""

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
    """There is nothing to read yet, or nothing that is meant for this request.

    Args:
        reason: what there is instead.
        outcome: what it counts as if nothing else comes.
    """

    def __init__(self, reason: str, outcome: AnswerOutcome = AnswerOutcome.INFRASTRUCTURE) -> None:
        self.reason = reason
        self.outcome = outcome
        super().__init__(reason)


class Settling:
    """Whether what is read again and again has stayed the same.

    Args:
        seconds: for how long it has to.
    """

    def __init__(self, seconds: float = 1.0) -> None:
        self._seconds = seconds
        self._seen: bytes | None = None
        self._since = 0.0

    def has_settled(self, raw: bytes) -> bool:
        """Whether this is what was there `seconds` ago and ever since."""
        now = time.monotonic()
        if raw != self._seen:
            self._seen, self._since = raw, now
        return now - self._since >= self._seconds


class TextAnswer:
    """A text in a file of its own, as it comes.

    Args:
        path: where it is to come.
        settled_after: how many seconds it has to stay the same before it counts as complete.
    """

    def __init__(self, path: Path, settled_after: float = 1.0) -> None:
        self.path = path
        self._settling = Settling(settled_after)

    def read(self) -> str:
        """What it says, now; bytes that are not UTF-8 are replaced.

        Raises:
            NoAnswerYet: it is not there, blank, or still being written.
        """
        raw = read_if_there(self.path)
        if not raw.strip():
            raise NoAnswerYet("it is blank")
        if not self._settling.has_settled(raw):
            raise NoAnswerYet("it is still being written")
        return raw.decode("utf-8-sig", "replace")


def read_if_there(path: Path) -> bytes:
    """The contents of a file.

    Raises:
        NoAnswerYet: there is no such file, or it cannot be read.
    """
    try:
        return path.read_bytes()
    except FileNotFoundError:
        raise NoAnswerYet("there is no such file") from None
    except OSError as error:
        raise NoAnswerYet(f"it cannot be read: {error.strerror}") from error


def wait_for_answer(read: Callable[[], T], timeout: float, poll_interval: float) -> T:
    """What `read` gives once it no longer raises `NoAnswerYet`.

    Args:
        read: looks once.
        timeout: how long to wait, in seconds; ``inf`` waits for ever.
        poll_interval: how long to wait between two looks, in seconds.

    Raises:
        NoAnswerYet: nothing came in time; the last one that was raised.
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
    """When it is, in UTC, and four random bytes: two runs never have the same."""
    return f"{time.strftime('%Y%m%dT%H%M%SZ', time.gmtime())}-{secrets.token_hex(4)}"


class EpisodeFolder:
    """The folder of one episode, made with its first question: nobody else writes questions there.

    Args:
        run_folder: the folder of its run; it is made if it is not there.
        info: the episode.
    """

    def __init__(self, run_folder: Path, info: EpisodeInfo) -> None:
        self._run_folder = run_folder
        self.info = info
        self._path: Path | None = None
        self._next_number = 0

    def next_question(self) -> tuple[Path, str]:
        """The folder, and the number of the next question in it, ``0000`` first.

        Raises:
            OSError: the folder cannot be made.
        """
        self._path = self._path or self._make()
        number, self._next_number = f"{self._next_number:04d}", self._next_number + 1
        return self._path, number

    def _make(self) -> Path:
        """A folder that was not there before, also not for an episode of the same task and seed."""
        self._run_folder.mkdir(parents=True, exist_ok=True)
        name = f"{safe_file_name(self.info.task_id)}-seed{self.info.seed}"
        candidates = chain([name], (f"{name}-{number}" for number in count(2)))
        return next(path for path in map(self._run_folder.joinpath, candidates) if _claim(path))


def _claim(path: Path) -> bool:
    """Make a folder; False if it is there already."""
    try:
        path.mkdir()
    except FileExistsError:
        return False
    return True
