"""`MeasuredRun`: what metrics say of the episodes of a run, and what that comes to, as plain tables."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import attrs

from gridworld.errors import UnknownNameError
from multinet_eval.analysis.metrics.aggregation import Measurement, Summary, Value
from multinet_eval.analysis.metrics.metric_type import Metric
from multinet_eval.record.plan import PlannedEpisode
from multinet_eval.record.played_suite import PlayedSuite, suite_columns

__all__ = ["BY", "MeasuredEpisode", "MeasuredRun", "Row"]

Row = dict[str, Any]
"""Column to cell, in the order of the columns; fit for JSON, CSV and data frames."""


@attrs.frozen
class MeasuredEpisode:
    """An episode of the plan, and what metrics say of it."""

    planned: PlannedEpisode
    base: str
    """The base maze of its task."""
    success: bool
    values: Mapping[str, Value]
    """Metric to its value, None where it is not defined. Metrics of which nothing is known are left out, since the
    episode ended by an infrastructure fault or was not played to its end, or since the metric failed."""
    faults: Mapping[str, str] = attrs.field(factory=dict)
    """Metric to what was wrong, of those that failed."""

    def tells(self, metric: str) -> bool:
        """Whether it is among what a metric's values come to: it has one, or is missing."""
        return metric not in self.faults and self.values.get(metric, "missing") is not None

    def measurement(self, metric: str) -> Measurement:
        """Its value of a metric, and what it belongs to."""
        cell = (self.planned.task, self.planned.tiling)
        return Measurement(self.base, cell, self.values.get(metric), self.success)


@attrs.frozen
class MeasuredRun:
    """What metrics say of the episodes of a run."""

    name: str
    """What its rows call it: the name of its folder."""
    model: str
    suite: PlayedSuite
    metrics: Mapping[str, Metric[Value]]
    episodes: tuple[MeasuredEpisode, ...]
    """In the order of the plan."""

    def table(self, by: str) -> list[Row]:
        """One of the tables.

        Args:
            by: what has rows of its own: ``run``, ``task`` or ``episode``.

        Raises:
            UnknownNameError: there is no such table.
        """
        if by not in BY:
            raise UnknownNameError("table", by, BY, listed_as="there are")
        return list(BY[by](self))

    def run_rows(self) -> Iterator[Row]:
        """A row for each metric, or for each word where its values are words, unless they are those of a task alone.

        ``mazes`` and ``episodes`` count those with a value, ``undefined`` the episodes for which the metric is not
        defined, ``missing`` those of which nothing is known, and ``failed`` those for which the metric raised an error.
        ``value`` is None without any episode; the interval, 95 %, and the bounds are None where there are none
        (`Summary`). ``weights_sha256`` is the hash of the file with the metric's weights, None for one without.
        """
        comparable = [name for name, each in self.metrics.items() if not each.aggregation.within_task]
        for metric in comparable:
            for summary in self._summaries(metric, self.episodes):
                yield {
                    "run": self.name,
                    "model": self.model,
                    **suite_columns([self.suite]),
                    **_said(metric, summary),
                    **_range("interval", summary.interval),
                    **_range("bounds", summary.bounds),
                    "mazes": len({each.base for each in self.episodes if each.values.get(metric) is not None}),
                    **_counts(metric, self.episodes),
                    **self._weights(metric),
                }

    def task_rows(self) -> Iterator[Row]:
        """The same for each task on each of its tilings, without what only several mazes tell."""
        groups: dict[tuple[str, str | None], list[MeasuredEpisode]] = defaultdict(list)
        for each in self.episodes:
            groups[each.planned.task, each.planned.tiling].append(each)
        for group in groups.values():
            planned = group[0].planned
            place = {
                "run": self.name,
                "model": self.model,
                **suite_columns([self.suite]),
                "task_id": planned.task_id,
                "tiling": planned.tiling,
            }
            for metric in self.metrics:
                for summary in self._summaries(metric, group):
                    yield {**place, **_said(metric, summary), **_counts(metric, group), **self._weights(metric)}

    def episode_rows(self) -> Iterator[Row]:
        """A row for each episode of the plan, with a column for each metric: None where it comes to nothing.

        A metric with weights has another column with the hash of their file, such as ``composite_weights_sha256``.
        """
        weights = {f"{name}_weights_sha256": one.weights.sha256 for name, one in self.metrics.items() if one.weights}
        for each in self.episodes:
            planned = each.planned
            yield {
                "run": self.name,
                "model": self.model,
                **suite_columns([self.suite]),
                "episode": planned.number,
                "task_id": planned.task_id,
                "tiling": planned.tiling,
                "epoch": planned.epoch,
                "base": each.base,
                **{name: one.aggregation.of_episode(each.measurement(name)) for name, one in self.metrics.items()},
                **weights,
            }

    def faults(self) -> dict[str, tuple[str, int]]:
        """Metric to what was wrong in the first of the episodes in which it failed, and in how many it did."""
        failed = [(name, told) for each in self.episodes for name, told in each.faults.items()]
        counts = Counter(name for name, _ in failed)
        return {name: (told, counts[name]) for name, told in reversed(failed)}

    def _weights(self, metric: str) -> Row:
        weights = self.metrics[metric].weights
        return {"weights_sha256": None if weights is None else weights.sha256}

    def _summaries(self, metric: str, episodes: Sequence[MeasuredEpisode]) -> list[Summary]:
        told = [
            each for each in episodes if metric not in each.faults and each.values.get(metric, "missing") is not None
        ]
        return self.metrics[metric].aggregation.summarize([each.measurement(metric) for each in told])


BY: Mapping[str, Callable[[MeasuredRun], Iterator[Row]]] = {
    "run": MeasuredRun.run_rows,
    "task": MeasuredRun.task_rows,
    "episode": MeasuredRun.episode_rows,
}
"""What has rows of its own to the table of it."""


def _said(metric: str, summary: Summary) -> Row:
    return {"metric": metric, "category": summary.category, "value": summary.value}


def _range(name: str, ends: tuple[float, float] | None) -> Row:
    low, high = ends or (None, None)
    return {f"{name}_low": low, f"{name}_high": high}


def _counts(metric: str, episodes: Sequence[MeasuredEpisode]) -> Row:
    """How many episodes have a value, have none, tell nothing, and made the metric fail."""
    known = [each.values[metric] for each in episodes if metric in each.values]
    defined, failed = sum(value is not None for value in known), sum(metric in each.faults for each in episodes)
    return {
        "episodes": defined,
        "undefined": len(known) - defined,
        "missing": len(episodes) - len(known) - failed,
        "failed": failed,
    }
