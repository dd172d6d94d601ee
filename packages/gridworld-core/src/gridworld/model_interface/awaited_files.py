"""Waiting for files that somebody else writes, until they are there and complete."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from gridworld.model_interface.answers import AnswerOutcome

__all__ = ["NoAnswerYet", "Settling", "TextAnswer", "read_if_there", "wait_for_answer"]

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
