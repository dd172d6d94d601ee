"""`RunReport`: everything that a recorded run says of itself, as one reading of its directory."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import attrs

from gridworld.model_interface import Usage
from gridworld.runner.record import Request
from multinet_eval.record.events import Spent
from multinet_eval.record.manifest import Manifest
from multinet_eval.record.plan import PlannedEpisode
from multinet_eval.record.results import ResultsFold, RunResults
from multinet_eval.record.run_directory import RunDirectory
from multinet_eval.record.summary import RunSummary, summarize_run
from multinet_eval.record.task_result import TaskResult
from multinet_eval.record.totals import add_usages

__all__ = ["EpisodeReport", "RunReport", "inspect_run"]


@attrs.frozen
class EpisodeReport:
    """An episode of the plan, and what is recorded of it."""

    planned: PlannedEpisode
    attempts: int
    """How many attempts have been made at it; 0 for one that has not begun."""
    steps: int
    """The steps of the latest attempt."""
    requests: int
    """The requests of all attempts, those that were made again and do not count among them."""
    faults: int
    """How many of them were made again and do not count."""
    result: TaskResult | None
    """None for an episode that has not ended."""

    @property
    def state(self) -> str:
        """How far it has come."""
        if self.result is not None and not self.result.permanent:
            return "finished"
        return "unfinished" if self.attempts else "not begun"

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready, without the result."""
        own = attrs.asdict(self, filter=attrs.filters.exclude("planned", "result"))
        return {**attrs.asdict(self.planned), "state": self.state, **own}


@attrs.frozen
class RunReport:
    """Everything about a run."""

    summary: RunSummary
    manifest: Manifest
    results: RunResults
    episodes: tuple[EpisodeReport, ...]
    """In the order of the plan."""
    spent: Spent
    """What the requests of all attempts have used up."""
    seconds: float | None
    """How long all requests took together; None where it was not measured."""
    faults: dict[str, int]
    """Kind of fault to the number of requests that failed by it, were made again and do not count."""

    @property
    def cost(self) -> float | None:
        """What the requests have cost; None without prices."""
        prices = self.manifest.settings.prices
        return None if prices is None else prices.cost(self.spent.prompt_tokens, self.spent.completion_tokens)

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        return {
            "run": self.summary.to_dict(),
            "fingerprint": self.manifest.fingerprint,
            "circumstances": self.manifest.circumstances,
            "settings": self.manifest.settings.to_dict(),
            "episodes": [episode.to_dict() for episode in self.episodes],
            "faults": self.faults,
            "spent": {**attrs.asdict(self.spent), "seconds": self.seconds},
            "results": self.results.to_dict(),
        }


def inspect_run(path: Path) -> RunReport:
    """Read a recorded run whole, one episode after another.

    Raises:
        RunError: it cannot be read; the place is named.
    """
    directory = RunDirectory(path)
    plan = {each.number: each for each in directory.manifest.plan}
    reports = {number: EpisodeReport(planned, 0, 0, 0, 0, None) for number, planned in plan.items()}
    fold, spent, usage, faults = ResultsFold(), Spent(), Usage(), Counter[str]()
    for number, attempts in directory.episodes():
        result = fold.add(number, attempts[-1])
        requests = [request for lines in attempts for request in lines.requests]
        spent = spent.plus_all(requests)
        usage = add_usages([usage, *(request.usage for request in requests)])
        faults.update(_kind(fault) for lines in attempts for fault in lines.faults)
        if number in plan:
            reports[number] = EpisodeReport(
                planned=plan[number],
                attempts=len(attempts),
                steps=len(attempts[-1].steps),
                requests=len(requests),
                faults=sum(len(lines.faults) for lines in attempts),
                result=result,
            )
    return RunReport(
        summary=summarize_run(path),
        manifest=directory.manifest,
        results=fold.results(directory.manifest),
        episodes=tuple(reports.values()),
        spent=spent,
        seconds=usage.seconds,
        faults=dict(sorted(faults.items())),
    )


def _kind(fault: Request) -> str:
    """Its kind of trouble, or of outcome where that is not known."""
    return (fault.trouble or fault.outcome).value
