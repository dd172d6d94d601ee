"""`RunJournal`: writes the events of a run into the files of its episodes, one write per line."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path

import attrs

from multinet_eval.record.events import (
    LINES,
    EpisodeBegun,
    EpisodeEnded,
    EpisodeResumed,
    Event,
    RequestMade,
    StepTaken,
)
from multinet_eval.record.lock import NOTICE
from multinet_eval.record.record_folders import RunError
from multinet_eval.record.run_directory import RunDirectory, whole_size

QUICK = 1.0
"""Seconds of play below which repeating an episode is cheaper than syncing its file."""


class AttemptFile:
    """A file to which lines are appended, such as that of an attempt at an episode.

    Args:
        path: the file; an incomplete last line is removed.

    Raises:
        OSError: the file cannot be written.
    """

    def __init__(self, path: Path) -> None:
        self._descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o644)
        self._end = _cut_torn_line(self._descriptor)

    def add(self, line: bytes) -> None:
        """Append lines; raises OSError, leaving no part of them behind."""
        try:
            written = os.write(self._descriptor, line)
            while written < len(line):
                written += os.write(self._descriptor, line[written:])
        except BaseException:  # Ctrl-C, too, may come between two writes
            os.ftruncate(self._descriptor, self._end)
            raise
        self._end += len(line)

    def sync(self) -> None:
        """Flush everything written to disk, so that it survives a power loss; raises OSError."""
        os.fsync(self._descriptor)

    def close(self) -> None:
        """Close the file."""
        os.close(self._descriptor)


class Journal:
    """Journal of a run that is not recorded; writes nothing."""

    def add(self, episode: int, event: Event) -> None:
        """Write an event of an episode; raises RunError if the event cannot be written."""

    def close(self, episode: int) -> None:
        """Close the file of an episode; raises RunError if the file cannot be written."""

    def close_all(self) -> None:
        """Close all files."""


@attrs.define
class _OpenEpisode:
    """An episode whose file is open for writing."""

    file: AttemptFile
    was_paid: bool
    """Whether losing it would cost money; False if that is unknown."""
    begun: float = attrs.Factory(time.monotonic)
    held: bytes = b""
    """A line to be written together with the next one."""


class RunJournal(Journal):
    """Journal in the folder of a run.

    Args:
        directory: the folder.
        check: raises RunError if this process may no longer write to the run; called before a write, at most once per
            `NOTICE` seconds.
    """

    def __init__(self, directory: RunDirectory, check: Callable[[], object]) -> None:
        self._directory = directory
        self._check = check
        self._open: dict[int, _OpenEpisode] = {}
        self._checked_until = 0.0

    def add(self, episode: int, event: Event) -> None:
        """Write an event's artifacts and then its line, immediately unless it is free; a header begins an attempt.

        An ended episode that cost money or time is synced to disk.

        Raises:
            RunError: the event cannot be written, or this process may no longer write to the run.
        """
        kind = type(event)
        if isinstance(event, RequestMade) and event.is_free:
            self._open[episode].held = LINES[kind](event)
            return
        now = time.monotonic()
        if now >= self._checked_until:  # checking takes longer than writing a line
            self._check()
            self._checked_until = now + NOTICE
        try:
            if kind is not StepTaken:
                self._prepare(episode, event)
            written = self._open[episode]
            held, written.held = written.held, b""
            try:
                written.file.add(held + LINES[kind](event))
            except OSError:
                written.held = held  # nothing of it was written
                raise
            if kind is EpisodeEnded and (written.was_paid or now - written.begun >= QUICK):
                written.file.sync()
        except OSError as error:
            raise RunError(f"cannot write episode {episode} to {self._directory.path}: {error.strerror}") from error

    def _prepare(self, episode: int, event: Event) -> None:
        """Write an event's artifacts, and open the file of an attempt that begins or resumes."""
        match event:
            case EpisodeBegun() | EpisodeResumed() | RequestMade():
                for each in event.artifacts:
                    self._directory.keep(each.folder, each.name, each.content)
        match event:
            case EpisodeBegun() | EpisodeResumed():
                is_new = type(event) is EpisodeBegun
                self.close(episode)
                file = AttemptFile(self._directory.attempt_path(episode, is_new))
                self._open[episode] = _OpenEpisode(file, was_paid=not is_new)
            case RequestMade(request=request) if request.usage is not None:
                self._open[episode].was_paid = True

    def close(self, episode: int) -> None:
        """Write the held line of an episode, if any, and close its file; raises RunError."""
        left = self._open.pop(episode, None)
        if left is None:
            return
        try:
            with closing(left.file):
                if left.held:
                    self._check()
                    left.file.add(left.held)
        except OSError as error:  # some disks report late that they are full
            raise RunError(f"cannot write episode {episode} to {self._directory.path}: {error.strerror}") from error

    def close_all(self) -> None:
        """Close the files of all episodes; held lines, which cost nothing, are written if possible."""
        for episode in tuple(self._open):
            with suppress(RunError):
                self.close(episode)


def _cut_torn_line(descriptor: int) -> int:
    """Remove an incomplete last line; return the size of the file."""
    end = whole_size(descriptor)
    if end < os.fstat(descriptor).st_size:
        os.ftruncate(descriptor, end)
    return end
