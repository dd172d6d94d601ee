"""Journal: writes the events of a run into the files of its episodes, one write for each line."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import closing, suppress

import attrs

from multinet_eval.record.events import (
    EpisodeBegun,
    EpisodeEnded,
    EpisodeResumed,
    Event,
    RequestFailed,
    RequestMade,
    to_line,
)
from multinet_eval.record.record_folders import RunError
from multinet_eval.record.run_directory import AttemptFile, RunDirectory

QUICK = 1.0
"""Seconds in which an episode is played again as soon as its file is synced."""


class Journal:
    """Journal of a run that is not recorded: keeps nothing."""

    def add(self, episode: int, event: Event) -> None:
        """Write an event of an episode; raises RunError if it cannot be written."""

    def close(self, episode: int) -> None:
        """Close the file of an episode."""


@attrs.define
class _OpenEpisode:
    """An episode that is being written."""

    file: AttemptFile
    was_paid: bool
    """Whether a request of it is known to have cost anything, or may have in an earlier session."""
    begun: float = attrs.Factory(time.monotonic)
    held: bytes = b""
    """The line that is written together with the next one."""


class RunJournal(Journal):
    """Journal in the folder of a run.

    Args:
        directory: the folder.
        check: raises RunError if the run is no longer this process's to write to; called before each write.
    """

    def __init__(self, directory: RunDirectory, check: Callable[[], object]) -> None:
        self._directory = directory
        self._check = check
        self._open: dict[int, _OpenEpisode] = {}

    def add(self, episode: int, event: Event) -> None:
        """Write the artifacts of an event and then its line, at once unless it is free; a header begins an attempt.

        An episode that cost money or time outlives a loss of power from its end on.

        Raises:
            RunError: it cannot be written, or the run is no longer this process's to write to.
        """
        if type(event) is RequestMade and event.is_free:
            self._open[episode].held = to_line(event)
            return
        self._check()
        try:
            self._write(episode, event)
        except OSError as error:
            raise RunError(f"cannot write episode {episode} to {self._directory.path}: {error.strerror}") from error

    def _write(self, episode: int, event: Event) -> None:
        match event:
            case EpisodeBegun() | EpisodeResumed() | RequestMade() | RequestFailed():
                for each in event.artifacts:
                    self._directory.keep(each.folder, each.name, each.content)
        match event:
            case EpisodeBegun() | EpisodeResumed():
                is_new = type(event) is EpisodeBegun
                self.close(episode)
                self._open[episode] = _OpenEpisode(self._directory.open_attempt(episode, is_new), was_paid=not is_new)
        written = self._open[episode]
        written.file.add(written.held + to_line(event))
        written.held = b""
        match event:
            case RequestMade(request=request) | RequestFailed(request=request) if request.usage is not None:
                written.was_paid = True
            case EpisodeEnded() if written.was_paid or time.monotonic() - written.begun >= QUICK:
                written.file.sync()

    def close(self, episode: int) -> None:
        """Close the file of an episode; a line that is held is written if possible: losing it costs nothing."""
        left = self._open.pop(episode, None)
        if left is not None:
            with closing(left.file), suppress(OSError, RunError):
                if left.held:
                    self._check()
                    left.file.add(left.held)
