"""`MeasuredRun`: the values of metrics for the episodes of a run, and tables of them."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence

import attrs

from gridworld.errors import UnknownNameError
from multinet_eval.analysis.export import Row
from multinet_eval.analysis.metrics.aggregation import Measurement, Summary, Value
from multinet_eval.analysis.metrics.metric_type import Metric
from multinet_eval.record.manifest import PlayedSuite, suite_columns
from multinet_eval.record.plan import PlannedEpisode


@attrs.frozen
class MeasuredEpisode:
    """A planned episode with its metrics."""

    planned: PlannedEpisode
    base: str
    """Base maze of the episode's task."""
    budget: int
    """Step budget of the episode."""
    success: bool
    values: Mapping[str, Value]
    """Values by metric, None if undefined; omits metrics of missing episodes and metrics that failed."""
    faults: Mapping[str, str] = attrs.field(factory=dict)
    """Errors of the metrics that failed, by metric."""

    def tells(self, metric: str) -> bool:
        """Whether the episode counts for a metric: the metric has a value, or the episode is missing."""
        return metric not in self.faults and self.values.get(metric, "missing") is not None

    def measurement(self, metric: str) -> Measurement:
        """Return the episode's value of a metric as a measurement."""
        cell = (self.planned.task, self.planned.tiling)
        return Measurement(self.base, cell, self.values.get(metric), self.success, self.budget)


@attrs.frozen
class MeasuredRun:
    """Values of metrics for the episodes of a run."""

    name: str
    """Name of the run's folder, shown in rows."""
    model: str
    suite: PlayedSuite
    metrics: Mapping[str, Metric[Value]]
    episodes: tuple[MeasuredEpisode, ...]
    """Episodes in the order of the plan."""
    estimated: bool = True
    """Whether intervals are estimated; False for a run that stopped when decided, whose results determined its mazes.
    """

    def table(self, by: str) -> list[Row]:
        """Return one of the tables.

        Args:
            by: what a row stands for: ``run``, ``task`` or ``episode``.

        Raises:
            UnknownNameError: there is no such table.
        """
        if by not in BY:
            raise UnknownNameError("table", by, BY, listed_as="there are")
        return list(BY[by](self))

    def run_rows(self) -> Iterator[Row]:
        """Yield one row per metric, or per word of a metric with words.

        ``category`` is None, a word whose share is the value, or, for amounts and steps, ``median`` or ``share of
        budget``. ``mazes`` and ``episodes`` count mazes and episodes with a value, ``undefined`` the episodes for which
        the metric is undefined, ``missing`` the missing ones, and ``failed`` those for which the metric raised an
        error. ``value`` is None without any episode; the 95 % interval and the bounds are None if unknown (`Summary`,
        `estimated`). ``weights_sha256`` is the hash of the file with the metric's weights, None for a metric without
        weights.
        """
        for metric in self.metrics:
            for summary in self._summaries(metric, self.episodes):
                yield {
                    "run": self.name,
                    "model": self.model,
                    **suite_columns([self.suite]),
                    **_said(metric, summary),
                    **_range("interval", summary.interval if self.estimated else None),
                    **_range("bounds", summary.bounds if self.estimated else None),
                    "mazes": len({each.base for each in self.episodes if each.values.get(metric) is not None}),
                    **_counts(metric, self.episodes),
                    **self._weights(metric),
                }

    def task_rows(self) -> Iterator[Row]:
        """Yield the rows of each task on each of its tilings, without the columns that need several mazes."""
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
                for summary in (each for each in self._summaries(metric, group) if not each.of_mazes):
                    yield {**place, **_said(metric, summary), **_counts(metric, group), **self._weights(metric)}

    def episode_rows(self) -> Iterator[Row]:
        """Yield one row per planned episode, with a column per metric, None without a value.

        A metric with weights has an additional column with the hash of their file, such as
        ``composite_weights_sha256``.
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
        """Return, for each metric that failed, its first error and the number of episodes concerned."""
        failed = [(name, told) for each in self.episodes for name, told in each.faults.items()]
        counts = Counter(name for name, _ in failed)
        return {name: (told, counts[name]) for name, told in reversed(failed)}

    def _weights(self, metric: str) -> Row:
        weights = self.metrics[metric].weights
        return {"weights_sha256": None if weights is None else weights.sha256}

    def _summaries(self, metric: str, episodes: Sequence[MeasuredEpisode]) -> list[Summary]:
        measurements = [each.measurement(metric) for each in episodes if each.tells(metric)]
        return self.metrics[metric].aggregation.summarize(measurements)


BY: Mapping[str, Callable[[MeasuredRun], Iterator[Row]]] = {
    "run": MeasuredRun.run_rows,
    "task": MeasuredRun.task_rows,
    "episode": MeasuredRun.episode_rows,
}
"""Row generators by the unit of a row, such as an episode or a task."""


def _said(metric: str, summary: Summary) -> Row:
    return {"metric": metric, "category": summary.category, "value": summary.value}


def _range(name: str, ends: tuple[float, float] | None) -> Row:
    low, high = ends or (None, None)
    return {f"{name}_low": low, f"{name}_high": high}


def _counts(metric: str, episodes: Sequence[MeasuredEpisode]) -> Row:
    """Count the episodes with a value, without one, missing, and failed."""
    known = [each.values[metric] for each in episodes if metric in each.values]
    defined, failed = sum(value is not None for value in known), sum(metric in each.faults for each in episodes)
    return {
        "episodes": defined,
        "undefined": len(known) - defined,
        "missing": len(episodes) - len(known) - failed,
        "failed": failed,
    }
