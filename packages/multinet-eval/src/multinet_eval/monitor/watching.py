"""`RunWatch`: follows a recorded run through its files while another process or machine plays it.

Each look reads the new lines; a line that is still being written is left for the next look. Times come from the lock's
heartbeats and the files' modification times, so the clocks of two machines need not agree.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import attrs

from gridworld.model_interface import AnswerOutcome, Trouble, Usage
from gridworld.runner.record import EndReason, Request
from multinet_eval.monitor.tally import Figures, Tally
from multinet_eval.record.lock import HEARTBEAT, LOCK, is_gone, newest_claim, read_lock
from multinet_eval.record.record_folders import RUN
from multinet_eval.record.run_directory import AttemptPart, RunDirectory, all_attempts
from multinet_eval.record.summary import RunStatus, summarize_run

SILENT_AFTER = 4 * HEARTBEAT
"""Seconds without a heartbeat after which the playing process may be gone."""
SLACK = 2.0
"""Maximum rounding error of file times, in seconds."""


@attrs.frozen
class RunView:
    """State of a run according to its files."""

    name: str
    """Name of the run's folder."""
    suite: str
    model: str
    state: RunStatus
    player: str | None
    """Process and host that play the run; None if none does."""
    heartbeat_age: float | None
    """Seconds since the last heartbeat; None while no process plays."""
    idle: float
    """Seconds since the last recorded event, as far as known."""
    figures: Figures
    unreadable: tuple[str, ...] = ()
    """Files that cannot be read further, each with the line."""

    def to_dict(self) -> dict[str, Any]:
        """Convert to JSON-ready data."""
        plain = attrs.asdict(self, filter=attrs.filters.exclude("figures"))
        return {**plain, "state": str(self.state), "unreadable": list(self.unreadable), **self.figures.to_dict()}


class RunWatch:
    """Follows a run in progress.

    Args:
        path: its folder.

    Raises:
        RunError: the folder contains no readable run.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._begin()

    def _begin(self) -> None:
        """Read everything from its start."""
        self._tally = Tally()
        self._tails: dict[str, _Tail] = {}
        self._holder: Mapping[str, Any] = {}
        self._read_manifest()
        self._session = newest_claim(self._path).number
        now = time.monotonic()
        self._beaten = self._grown = now

    def look(self) -> RunView:
        """Read all lines since the last look and return the state of the run.

        Raises:
            RunError: the folder can no longer be read.
        """
        if newest_claim(self._path).number != self._session:
            self._begin()  # the new session may take over less of earlier files than was read
        if _stamp(self._path / RUN.file) != self._manifest_stamp:
            self._read_manifest()
        self._read_lock()
        self._read_episodes()
        return self._view()

    def _read_manifest(self) -> None:
        self._manifest_stamp = _stamp(self._path / RUN.file)
        self._manifest = RunDirectory(self._path).manifest
        self._tally.plan(len(self._manifest.plan))
        self._tally.charge(self._manifest.settings.prices)

    def _read_lock(self) -> None:
        before, holder = self._holder, read_lock(self._path)
        if not holder and (self._path / LOCK).exists():
            return  # it is being written
        self._holder = {} if holder and is_gone(holder) else holder
        if not self._holder:
            self._tally.end_session()
        elif self._holder.get("token") != before.get("token"):
            age = max(0.0, time.time() - _modified(self._path / LOCK))
            self._beaten = time.monotonic() - age
            self._tally.begin_session(self._beats * HEARTBEAT + min(age, HEARTBEAT))
        elif self._holder != before:
            self._beaten = time.monotonic()

    @property
    def _beats(self) -> int:
        beats = str(self._holder.get("heartbeat"))
        return int(beats) if beats.isdecimal() else 0

    def _read_episodes(self) -> None:
        """Read new lines, in the order of episodes and attempts."""
        first = not self._tails
        began = _modified(self._path / LOCK) - self._beats * HEARTBEAT - SLACK
        for number, part in self._parts():
            tail = self._tails.setdefault(part.path.name, _Tail(part))
            grown = tail.read_into(self._tally, number)
            if first and (not self._holder or _modified(tail.path) < began):
                self._tally.forget_session(number)
            if grown:
                self._grown = time.monotonic()
        if first and self._tails:
            last = max(_modified(tail.path) for tail in self._tails.values())
            self._grown -= max(0.0, (_modified(self._path / LOCK) if self._holder else time.time()) - last)

    def _parts(self) -> Iterator[tuple[int, AttemptPart]]:
        for number, attempts in all_attempts(self._path).items():
            for attempt in attempts:
                for part in attempt.parts:
                    yield number, part

    def _view(self) -> RunView:
        figures, now, holder = self._tally.figures(), time.monotonic(), self._holder
        age = now - self._beaten if holder else None
        return RunView(
            name=self._path.resolve().name,
            suite=self._manifest.suite,
            model=self._manifest.model_name,
            state=self._state(figures, age),
            player=f"process {holder.get('pid', '?')} on {holder.get('host', '?')}" if holder else None,
            heartbeat_age=age,
            idle=now - self._grown,
            figures=figures,
            unreadable=tuple(tail.fault for tail in self._tails.values() if tail.fault),
        )

    def _state(self, figures: Figures, heartbeat_age: float | None) -> RunStatus:
        if heartbeat_age is not None:
            return RunStatus.SILENT if heartbeat_age > SILENT_AFTER else RunStatus.PLAYING
        if self._manifest.sequential is not None:
            return summarize_run(self._path).status
        return RunStatus.FINISHED if figures.finished >= figures.planned else RunStatus.UNFINISHED


class _Tail:
    """An episode file, read incrementally."""

    def __init__(self, part: AttemptPart) -> None:
        self.path = part.path
        self._size = part.size
        self.fault: str | None = None
        """Problem with the first line that cannot be read, if any."""
        self._offset = 0
        self._lines = 0

    def read_into(self, tally: Tally, number: int) -> bool:
        """Count the new lines of an episode; return whether any line was new."""
        grown = False
        for line in self._new_lines():
            try:
                ((kind, content),) = json.loads(line).items()
                _count(tally, number, kind, content)
            except (AttributeError, LookupError, TypeError, ValueError, OverflowError, RecursionError):
                # A shared disk may show a file's new size before its content: try again next time.
                self.fault = f"{self.path}, line {self._lines + 1}: it is not a line of a recorded run"
                return grown
            self._offset += len(line)
            self._lines += 1
            self.fault, grown = None, True
        return grown

    def _new_lines(self) -> Iterator[bytes]:
        try:
            length = self.path.stat().st_size
            end = length if self._size is None else min(length, self._size)
            if end <= self._offset:
                return
            with self.path.open("rb") as file:
                file.seek(self._offset)
                while self._offset < end and (line := file.readline()).endswith(b"\n"):
                    yield line
        except OSError as error:
            self.fault = f"{self.path}: {error.strerror}"


def _count(tally: Tally, number: int, kind: str, content: Mapping[str, Any]) -> None:
    """Count one line, ignoring kinds that are not displayed."""
    match kind:
        case "header":
            tally.begin(number, str(content["task_id"]))
        case "resumed":
            tally.resume(number)
        case "request" | "fault":
            request = _request(content)
            tally.ask(number, request)
            if request.outcome is AnswerOutcome.INFRASTRUCTURE:
                tally.wait(number, request.message)
        case "step":
            tally.take(number, int(content["number"]))
        case "end" if content.get("permanent") is True:
            tally.leave(number)
        case "end":
            tally.end(number, solved=content["reason"] == EndReason.GOAL and content.get("error") is None)


def _request(content: Mapping[str, Any]) -> Request:
    usage, trouble = content.get("usage"), content.get("trouble")
    return Request(
        AnswerOutcome(content["outcome"]),
        message=str(content.get("message", "")),
        usage=usage and Usage(**usage),
        trouble=trouble and Trouble(trouble),
        cached=content.get("cached") is True,
    )


def _modified(path: Path) -> float:
    """Return a file's modification time by its disk's clock; 0.0 for a missing file."""
    with suppress(OSError):
        return path.stat().st_mtime
    return 0.0


def _stamp(path: Path) -> tuple[int, int]:
    """Return a value that changes with a file's content; (0, 0) for a missing file."""
    with suppress(OSError):
        found = path.stat()
        return found.st_mtime_ns, found.st_size
    return 0, 0
