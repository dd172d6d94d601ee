"""`Journal`: where the lines of a run go; the driver of the run is the only one who writes."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from contextlib import closing, suppress

from gridworld.runner.record import EpisodeEnd, EpisodeHeader
from multinet_eval.asking.moments import Resumed
from multinet_eval.runs.news import News
from multinet_eval.runs.record_folders import RunError
from multinet_eval.runs.run_directory import AttemptFile, RunDirectory

__all__ = ["Journal", "NoJournal", "RunJournal"]


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


class RunJournal(Journal):
    """Writes into the directory of a run.

    Args:
        directory: the directory.
        check: raises RunError if the run is no longer this process's to write to; called before each line.
    """

    def __init__(self, directory: RunDirectory, check: Callable[[], object]) -> None:
        self._directory = directory
        self._check = check
        self._files: dict[int, AttemptFile] = {}
        self._waiting: dict[int, bytes] = {}
        """Number of an episode to its line that is written together with the next one."""

    def add(self, episode: int, news: News) -> None:
        """Write what is to be kept and then the line, at once unless it can wait; a header begins a new attempt.

        What is recorded of an episode outlives a loss of power from its end on.
        """
        if news.can_wait:
            self._waiting[episode] = news.line
            return
        self._check()
        try:
            for each in news.kept:
                self._directory.keep(each.folder, each.name, each.content)
            match news.what:
                case EpisodeHeader():
                    self._open(episode, fresh=True)
                case Resumed():
                    self._open(episode, fresh=False)
            file = self._files[episode]
            file.add(self._waiting.pop(episode, b"") + news.line)
            if isinstance(news.what, EpisodeEnd):
                file.sync()
        except OSError as error:
            raise RunError(f"cannot write episode {episode} to {self._directory.path}: {error.strerror}") from error

    def _open(self, episode: int, fresh: bool) -> None:
        self.close(episode)
        self._files[episode] = self._directory.open_attempt(episode, fresh)

    def close(self, episode: int) -> None:
        """Close the file of the episode; a line that waited is written if possible: its loss costs nothing."""
        line = self._waiting.pop(episode, b"")
        file = self._files.pop(episode, None)
        if file is not None:
            with closing(file), suppress(OSError, RunError):
                if line:
                    self._check()
                    file.add(line)
