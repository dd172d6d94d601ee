"""`RunSummary`: what a recorded run is and how far it has come, seen from outside; nothing of it is stored."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Any

import attrs

from gridworld.runner.record import EndReason
from multinet_eval.record.lock import holder_of
from multinet_eval.record.manifest import Manifest
from multinet_eval.record.record_folders import RUN, RunError, records_in
from multinet_eval.record.run_directory import RunDirectory

__all__ = ["RunStatus", "RunSummary", "find_runs", "summarize_run"]


class RunStatus(StrEnum):
    """How far a run has come."""

    FINISHED = "finished"
    """Every episode of its plan has ended, none by an error that would end every other one, too."""
    UNFINISHED = "unfinished"
    PLAYING = "being played"
    """A process holds its lock."""
    SILENT = "said to be played"
    """It is locked, but there has been no heartbeat for a while, as only somebody who watches it can know."""
    UNREADABLE = "unreadable"
    """It is damaged, or was written by a newer version."""


@attrs.frozen
class RunSummary:
    """A recorded run in one row."""

    path: Path
    status: RunStatus
    created: str = ""
    """ISO 8601 in UTC."""
    suite: str = ""
    model: str = ""
    """The name under which results are reported."""
    planned: int = 0
    """How many episodes there are in the plan."""
    begun: int = 0
    """How many episodes have begun, those that have ended among them."""
    finished: int = 0
    """How many episodes have ended and are not played again when the run goes on."""
    solved: int = 0
    """How many episodes have reached the goal."""
    unscored: int = 0
    """How many episodes have ended by an error that is not the model's."""
    problem: str | None = None
    """Why the run cannot be read."""
    manifest: Manifest | None = attrs.field(default=None, repr=False)
    """All that it says of itself; None where it cannot be read."""

    @property
    def tilings(self) -> tuple[str, ...]:
        """What it is played on; none on a backend that has no tilings, or where it cannot be read."""
        return () if self.manifest is None else self.manifest.tilings

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        own = attrs.asdict(self, filter=attrs.filters.exclude("manifest"))
        return {"name": self.path.resolve().name, **own, "path": str(self.path), "tilings": list(self.tilings)}


def find_runs(folder: Path) -> list[RunSummary]:
    """The runs that are recorded in a folder, by name; none where there is no such folder.

    Raises:
        RunError: the folder cannot be read.
    """
    return [summarize_run(path) for path, kind in records_in(folder) if kind is RUN]


def summarize_run(path: Path) -> RunSummary:
    """What is known of a run without reading more of an episode than its last line."""
    try:
        directory = RunDirectory(path)
        ends = directory.ends()
        held = holder_of(path) is not None
    except RunError as error:
        return RunSummary(path, RunStatus.UNREADABLE, problem=str(error))
    manifest = directory.manifest
    ended = [end for each in manifest.plan if (end := ends.get(each.number)) is not None]
    finished = sum(not end.permanent for end in ended)
    status = RunStatus.FINISHED if finished == len(manifest.plan) else RunStatus.UNFINISHED
    return RunSummary(
        path=path,
        status=RunStatus.PLAYING if held else status,
        created=manifest.created,
        suite=manifest.suite,
        model=manifest.model_name,
        manifest=manifest,
        planned=len(manifest.plan),
        begun=sum(each.number in ends for each in manifest.plan),
        finished=finished,
        solved=sum(end.reason is EndReason.GOAL for end in ended),
        unscored=sum(end.error is not None for end in ended),
    )
