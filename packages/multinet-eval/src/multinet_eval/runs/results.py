"""The results of a run: a fold over its recorded episodes, in the order of the plan."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import attrs

from gridworld.model_interface import Adjustment
from multinet_eval.json_text import json_text
from multinet_eval.runs.episode_lines import EpisodeLines
from multinet_eval.runs.manifest import Manifest
from multinet_eval.runs.run_directory import RunDirectory
from multinet_eval.scores.suite_metrics import SuiteMetrics
from multinet_eval.scores.task_result import TaskResult
from multinet_eval.scores.tiling_comparison import TilingComparison

__all__ = ["RunResults", "recorded_results"]


def _sorted(adjustments: Iterable[Adjustment]) -> tuple[Adjustment, ...]:
    """Each once, in an order that is not that in which workers found out."""
    return tuple(sorted(set(adjustments), key=attrs.astuple))


@attrs.frozen
class RunResults:
    """What is known of a run, finished or not."""

    manifest: Manifest
    results: Mapping[int, TaskResult]
    """Number of each finished episode to its result."""
    adjustments: tuple[Adjustment, ...] = attrs.field(default=(), converter=_sorted)

    @property
    def complete(self) -> bool:
        """Whether every episode of the plan is finished."""
        return all(each.number in self.results for each in self.manifest.plan)

    @property
    def in_order(self) -> tuple[TaskResult, ...]:
        """The results in the order of the plan."""
        return tuple(self.results[each.number] for each in self.manifest.plan if each.number in self.results)

    @property
    def metrics(self) -> tuple[SuiteMetrics, ...]:
        """The metrics for each of the tilings on which an episode is finished, at least for the first."""
        tilings = self.manifest.settings.tilings
        found = [self._metrics(place, tiling) for place, tiling in enumerate(tilings)]
        return tuple(each for place, each in enumerate(found) if each.task_results or place == 0)

    @property
    def comparison(self) -> TilingComparison | None:
        """The metrics side by side; None for a run that does not compare tilings."""
        settings = self.manifest.settings
        if not settings.compares_tilings:
            return None
        return TilingComparison(self.metrics, tuple(name for name in settings.tilings if name is not None))

    def to_dict(self) -> dict[str, Any]:
        """The contents of a results file."""
        return (self.comparison or self.metrics[0]).to_dict()

    def to_text(self) -> str:
        """A results file."""
        return json_text(self.to_dict()) + "\n"

    def _metrics(self, place: int, tiling: str | None) -> SuiteMetrics:
        manifest, ground = self.manifest, self.manifest.grounds[place]
        planned = [each.number for each in manifest.plan if each.tiling == tiling]
        return SuiteMetrics(
            benchmark_name=manifest.suite,
            suite_hash=manifest.suite_hash,
            model_name=manifest.model_name,
            backend=ground.backend,
            tiling=ground.tiling,
            seed=manifest.settings.seed,
            task_results=tuple(self.results[number] for number in planned if number in self.results),
            complete=all(number in self.results for number in planned),
            adjustments=self.adjustments,
            skipped=manifest.skipped,
            prices=manifest.settings.prices,
        )


def recorded_results(directory: RunDirectory, episodes: Mapping[int, list[EpisodeLines]] | None = None) -> RunResults:
    """The results of what is recorded.

    Args:
        directory: the run.
        episodes: what `RunDirectory.episodes` has read, where that has been done.

    Raises:
        RunError: an episode cannot be read.
    """
    attempts = directory.episodes() if episodes is None else episodes
    latest = {number: lines[-1] for number, lines in attempts.items()}
    results = {
        number: TaskResult.of(lines.header, lines.steps, lines.end)
        for number, lines in latest.items()
        if lines.end is not None
    }
    found = [adjustment for lines in latest.values() for adjustment in lines.adjustments]
    return RunResults(directory.manifest, results, found)
