"""`Journal`: where the lines of a run go; the driver of the run is the only one who writes."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from contextlib import closing, suppress

import attrs

from gridworld.runner.record import EpisodeEnd, EpisodeHeader, Request
from multinet_eval.play.moments import Resumed
from multinet_eval.play.news import Faulted, News
from multinet_eval.record.record_folders import RunError
from multinet_eval.record.run_directory import AttemptFile, RunDirectory

__all__ = ["Journal", "NoJournal", "RunJournal"]

PLAYED_AGAIN = 1.0
"""An episode that cost nothing and took less than this, in seconds, is as soon played again as its file is synced."""


class Journal(ABC):
    """Keeps the news of episodes. Several threads may use it, each for episodes of its own."""

    @abstractmethod
    def add(self, episode: int, news: News) -> None:
        """Keep a piece of news of an episode.

        Raises:
            RunError: it cannot be written.
        """

    @abstractmethod
    def close(self, episode: int) -> None:
        """No more news of an episode comes from this session."""


class NoJournal(Journal):
    """Keeps nothing."""

    def add(self, episode: int, news: News) -> None:
        """Forget it."""

    def close(self, episode: int) -> None:
        """Do nothing."""


@attrs.define
class _OpenEpisode:
    """An episode that is being written."""

    file: AttemptFile
    cost: bool
    """Whether a request of it is known to have cost anything, or may have in an earlier session."""
    begun: float = attrs.Factory(time.monotonic)
    """When this session began to write it."""
    waiting: bytes = b""
    """The line that is written together with the next one."""

    @property
    def is_dear(self) -> bool:
        """Whether nobody would want to play it again."""
        return self.cost or time.monotonic() - self.begun >= PLAYED_AGAIN


class RunJournal(Journal):
    """Writes into the directory of a run.

    Args:
        directory: the directory.
        check: raises RunError if the run is no longer this process's to write to; called before each line.
    """

    def __init__(self, directory: RunDirectory, check: Callable[[], object]) -> None:
        self._directory = directory
        self._check = check
        self._open: dict[int, _OpenEpisode] = {}
        """By the numbers of the episodes."""

    def add(self, episode: int, news: News) -> None:
        """Write what is to be kept and then the line, at once unless it can wait; a header begins a new attempt.

        What is recorded of an episode that was dear outlives a loss of power from its end on.
        """
        if news.can_wait:
            self._open[episode].waiting = news.line
            return
        self._check()
        try:
            for each in news.kept:
                self._directory.keep(each.folder, each.name, each.content)
            match news.what:
                case EpisodeHeader():
                    self._begin(episode, fresh=True)
                case Resumed():
                    self._begin(episode, fresh=False)
            written = self._open[episode]
            written.file.add(written.waiting + news.line)
            written.waiting = b""
            match news.what:
                case Request(usage=usage) | Faulted(request=Request(usage=usage)) if usage is not None:
                    written.cost = True
                case EpisodeEnd() if written.is_dear:
                    written.file.sync()
        except OSError as error:
            raise RunError(f"cannot write episode {episode} to {self._directory.path}: {error.strerror}") from error

    def _begin(self, episode: int, fresh: bool) -> None:
        self.close(episode)
        self._open[episode] = _OpenEpisode(self._directory.open_attempt(episode, fresh), cost=not fresh)

    def close(self, episode: int) -> None:
        """Close the file of the episode; a line that waited is written if possible: its loss costs nothing."""
        left = self._open.pop(episode, None)
        if left is not None:
            with closing(left.file), suppress(OSError, RunError):
                if left.waiting:
                    self._check()
                    left.file.add(left.waiting)
