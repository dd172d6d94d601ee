"""Summaries of a recorded run, in one row (`RunSummary`) and in full (`RunReport`), computed from its folder."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path
from typing import Any

import attrs

from gridworld.runner.record import EndReason, EpisodeEnd
from multinet_eval.record.episode_facts import EpisodeFacts, RequestTotals, facts_of_run
from multinet_eval.record.lock import holder_of
from multinet_eval.record.manifest import Manifest
from multinet_eval.record.plan import PlannedEpisode
from multinet_eval.record.record_folders import RUN, RunError, kind_of, records_in
from multinet_eval.record.results import ResultsFold, RunResults, readable_tasks
from multinet_eval.record.run_directory import RunDirectory
from multinet_eval.record.sequential_design import scores_of
from multinet_eval.record.task_result import TaskResult
from multinet_eval.support.parallel import ALONE, Work


class RunStatus(StrEnum):
    """Status of a run."""

    FINISHED = "finished"
    """Every planned episode has ended, none with a permanent error."""
    DECIDED = "decided"
    """The comparison with a reference was decided before the last maze; nothing is left to play."""
    UNFINISHED = "unfinished"
    PLAYING = "being played"
    """A process holds the run's lock."""
    UNREADABLE = "unreadable"
    """The run is damaged, or has another version."""


@attrs.frozen
class RunSummary:
    """A recorded run summarized in one row."""

    path: Path
    status: RunStatus
    created: str = ""
    """Creation time of the run, ISO 8601 in UTC."""
    suite: str = ""
    model: str = ""
    """Name under which the model's results are reported."""
    planned: int = 0
    """Number of episodes in the plan."""
    begun: int = 0
    """Number of episodes begun, including ended ones."""
    finished: int = 0
    """Number of ended episodes that resuming would not replay."""
    solved: int = 0
    """Number of episodes that reached the goal."""
    unscored: int = 0
    """Number of episodes that ended with an error that is not the model's fault."""
    problem: str | None = None
    """Reason why the run cannot be read."""
    manifest: Manifest | None = attrs.field(default=None, repr=False)
    """Manifest of the run; None if the run cannot be read."""

    @property
    def tilings(self) -> tuple[str, ...]:
        """Tilings of the run; empty on a backend without tilings, or if the run cannot be read."""
        return () if self.manifest is None else self.manifest.tilings

    def to_dict(self) -> dict[str, Any]:
        """Convert to JSON-ready data."""
        own = attrs.asdict(self, filter=attrs.filters.exclude("manifest"))
        return {"name": self.path.resolve().name, **own, "path": str(self.path), "tilings": list(self.tilings)}


def find_runs(folder: Path) -> list[RunSummary]:
    """Summarize the recorded runs in a folder, by name; empty for a missing folder; raises RunError."""
    found = [path for path, kind in records_in(folder) if kind is RUN]
    in_a_record = kind_of(folder) is not None  # which may come from other people
    return [_link(path) if in_a_record and path.is_symlink() else summarize_run(path) for path in found]


def _link(path: Path) -> RunSummary:
    return RunSummary(path, RunStatus.UNREADABLE, problem=f"{path} is a link, expected a folder")


def summarize_run(path: Path) -> RunSummary:
    """Summarize a run from the last line of each episode."""
    try:
        directory = RunDirectory(path)
        ends = directory.ends()
        held = holder_of(path) is not None
    except RunError as error:
        return RunSummary(path, RunStatus.UNREADABLE, problem=str(error))
    manifest = directory.manifest
    ended = [end for each in manifest.plan if (end := ends.get(each.number)) is not None]
    finished = sum(not end.permanent for end in ended)
    return RunSummary(
        path=path,
        status=RunStatus.PLAYING if held else _status(manifest, ends),
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


def _status(manifest: Manifest, ends: Mapping[int, EpisodeEnd | None]) -> RunStatus:
    """Return the status of a run that no process plays, from the ends of its episodes."""
    scores, design = scores_of(ends), manifest.sequential
    if design is not None and design.state(manifest.plan, scores).stopped:
        return RunStatus.DECIDED
    is_finished = all(each.number in scores for each in manifest.plan)
    return RunStatus.FINISHED if is_finished else RunStatus.UNFINISHED


@attrs.frozen
class EpisodeReport:
    """A planned episode and its record."""

    planned: PlannedEpisode
    attempts: int = 0
    """Number of attempts; 0 for an episode that has not begun."""
    steps: int = 0
    """Number of steps of the latest attempt."""
    requests: int = 0
    """Number of requests sent over all attempts, including failed ones."""
    answered: int = 0
    """Number of answers over all attempts, those from a cache included."""
    faults: int = 0
    """Number of failed requests: those that got no answer because of the server or the network."""
    result: TaskResult | None = None
    """Result of the episode; None for an episode that has not ended."""

    @property
    def state(self) -> str:
        """Progress of the episode: ``finished``, ``unfinished`` or ``not begun``."""
        if self.result is not None and not self.result.permanent:
            return "finished"
        return "unfinished" if self.attempts else "not begun"

    def to_dict(self) -> dict[str, Any]:
        """Convert to JSON-ready data, without the result."""
        own = attrs.asdict(self, filter=attrs.filters.exclude("planned", "result"))
        return {**attrs.asdict(self.planned), "state": self.state, **own}


@attrs.frozen
class RunReport:
    """A recorded run in full detail."""

    summary: RunSummary
    manifest: Manifest
    is_own: bool
    """Whether this user has recorded the run on this machine (`multinet_eval.record.ownership`)."""
    results: RunResults
    episodes: tuple[EpisodeReport, ...]
    """Episodes of the run in the order of the plan."""
    requests: RequestTotals
    """Figures of the requests of all attempts."""

    @property
    def cost(self) -> float | None:
        """Cost of the requests; None without prices."""
        return self.requests.cost(self.manifest.settings.prices)

    def to_dict(self) -> dict[str, Any]:
        """Convert to JSON-ready data."""
        return {
            "run": self.summary.to_dict(),
            "own": self.is_own,
            "fingerprint": self.manifest.fingerprint,
            "circumstances": self.manifest.circumstances,
            "settings": self.manifest.settings.to_dict(),
            "episodes": [episode.to_dict() for episode in self.episodes],
            "faults": self.requests.faults,
            "unusable": self.requests.unusable,
            "fault_reasons": self.requests.reasons,
            "spent": {
                **attrs.asdict(self.requests.spent),
                "seconds": self.requests.usage.seconds,
                "cost": self.cost,
            },
            "results": self.results.to_dict(),
        }


def inspect_run(path: Path, work: Work = ALONE) -> RunReport:
    """Read a whole recorded run.

    Args:
        path: the folder of the run.
        work: how episodes are read.

    Raises:
        RunError: the run cannot be read; the message names the file and line.
    """
    directory = RunDirectory(path)
    facts, fold = facts_of_run(directory, work), ResultsFold()
    for number, each in facts.items():
        fold.add_result(number, each.result, each.adjustments)
    return RunReport(
        summary=summarize_run(path),
        manifest=directory.manifest,
        is_own=directory.is_own,
        results=fold.results(directory.manifest, readable_tasks(directory)),
        episodes=tuple(_episode_report(planned, facts.get(planned.number)) for planned in directory.manifest.plan),
        requests=RequestTotals.of(facts.values()),
    )


def _episode_report(planned: PlannedEpisode, facts: EpisodeFacts | None) -> EpisodeReport:
    if facts is None:
        return EpisodeReport(planned)
    return EpisodeReport(
        planned=planned,
        attempts=facts.attempts,
        steps=facts.steps,
        requests=facts.spent.requests,
        answered=sum(facts.answers.values()),
        faults=sum(facts.faults.values()),
        result=facts.result,
    )
