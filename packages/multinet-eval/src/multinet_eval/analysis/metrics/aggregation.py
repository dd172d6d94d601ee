"""Aggregations: summaries of a metric's values over many episodes.

Means and rates are averaged within each base maze first, then over base mazes (`multinet_eval.statistics.clusters`).
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterable, Sequence
from statistics import median

import attrs

from multinet_eval.statistics.clusters import Observation, average, cluster_means
from multinet_eval.statistics.intervals import Range, mean_interval, median_interval
from multinet_eval.statistics.paired_differences import estimate_score

Value = float | str | None
"""A metric's value for an episode: a number or a word; None if undefined."""


@attrs.frozen
class Measurement:
    """A metric's value for one episode, with the episode's base maze and cell."""

    cluster: str
    """Base maze of the episode."""
    cell: Hashable
    """Task and tiling; repetitions of an episode share it."""
    value: Value
    """The value; None for a missing episode."""
    success: bool = False
    budget: int = 1
    """Step budget of the episode."""


@attrs.frozen
class Summary:
    """Summary of the values of many episodes."""

    value: float | None
    """The aggregated value; None if there are no values."""
    category: str | None = None
    """Word whose share is given, `MEDIAN` or `SHARE_OF_BUDGET`; None for the plain aggregate."""
    interval: Range | None = None
    """95 % confidence interval of the value; None if unknown."""
    bounds: Range | None = None
    """The value if all missing episodes had the lower, or the upper, bound of the range."""
    of_mazes: bool = False
    """Whether the summary is meaningful only for several base mazes."""


class Aggregation(ABC):
    """A method of summarizing a metric over episodes."""

    @property
    def expected(self) -> str:
        """Description of valid values, for error messages."""
        return "a finite number"

    def accepts(self, value: object) -> bool:
        """Whether a value is valid."""
        return isinstance(value, int | float) and math.isfinite(value)

    def of_episode(self, measurement: Measurement) -> Value:
        """Return the value of a single episode; None without a value."""
        return measurement.value

    @abstractmethod
    def summarize(self, measurements: Sequence[Measurement]) -> list[Summary]:
        """Summarize episodes: one summary, or one per word.

        Args:
            measurements: all episodes for which the metric is defined, and missing ones.
        """


@attrs.frozen
class Bounded(Aggregation):
    """Mean of values in [0, 1], with the interval of `estimate_score`."""

    expected = "a number from 0 to 1"

    def accepts(self, value: object) -> bool:
        """Whether a value is valid."""
        return isinstance(value, int | float) and 0 <= value <= 1

    def summarize(self, measurements: Sequence[Measurement]) -> list[Summary]:
        """Return one summary."""
        return [_estimated(_observations(measurements))]


@attrs.frozen
class _Rate(Bounded):
    expected = "0 or 1"

    def accepts(self, value: object) -> bool:
        return isinstance(value, int | float) and value in (0, 1)


@attrs.frozen
class Mean(Aggregation):
    """Mean of numbers, with the interval of `mean_interval` if they have both bounds."""

    low: float = -math.inf
    """Lower bound of the values."""
    high: float = math.inf
    """Upper bound of the values."""

    @property
    def expected(self) -> str:
        """Description of valid values, for error messages."""
        above = "" if math.isinf(self.low) else f" of at least {self.low:g}"
        below = "" if math.isinf(self.high) else f" of at most {self.high:g}"
        return f"a finite number{' and'.join(filter(None, [above, below]))}"

    def accepts(self, value: object) -> bool:
        """Whether a value is valid."""
        return isinstance(value, int | float) and math.isfinite(value) and self.low <= value <= self.high

    def summarize(self, measurements: Sequence[Measurement]) -> list[Summary]:
        """Return one summary. Means of a few unbounded values have no reliable interval."""
        means = list(cluster_means(_observations(measurements)).values())
        if not means:
            return [Summary(None)]
        bounded = math.isfinite(self.low) and math.isfinite(self.high)
        return [Summary(average(means), interval=mean_interval(means, self.low, self.high) if bounded else None)]


MEDIAN = "median"
SHARE_OF_BUDGET = "share of budget"


@attrs.frozen
class _Amount(Mean):
    """The mean, and the median of the clusters' means with the interval of `median_interval`."""

    def summarize(self, measurements: Sequence[Measurement]) -> list[Summary]:
        means = list(cluster_means(_observations(measurements)).values())
        middle = [Summary(median(means), MEDIAN, median_interval(means), of_mazes=True)] if means else []
        return [*super().summarize(measurements), *middle]


@attrs.frozen
class _Steps(Mean):
    """The mean, and the mean share of the budget with the interval of `mean_interval`."""

    def summarize(self, measurements: Sequence[Measurement]) -> list[Summary]:
        shares = [attrs.evolve(each, value=_share_of_budget(each)) for each in measurements]
        means = list(cluster_means(_observations(shares)).values())
        share = [Summary(average(means), SHARE_OF_BUDGET, mean_interval(means))] if means else []
        return [*super().summarize(measurements), *share]


def _share_of_budget(measurement: Measurement) -> float | None:
    return None if measurement.value is None else min(1.0, float(measurement.value) / measurement.budget)


@attrs.frozen
class _PerSuccess(Aggregation):
    def of_episode(self, measurement: Measurement) -> Value:
        return measurement.value if measurement.success else None

    def summarize(self, measurements: Sequence[Measurement]) -> list[Summary]:
        values = [each.score for each in _observations(measurements) if each.score is not None]
        successes = sum(each.success for each in measurements if each.value is not None)
        return [Summary(math.fsum(values) / successes if successes else None)]


@attrs.frozen
class _Shares(Aggregation):
    expected = "a word"

    def accepts(self, value: object) -> bool:
        return isinstance(value, str)

    def summarize(self, measurements: Sequence[Measurement]) -> list[Summary]:
        words = sorted({each.value for each in measurements if isinstance(each.value, str)})
        found = [self._share(word, measurements) for word in words] or [Summary(None)]
        return sorted(found, key=lambda each: -(each.value or 0.0))

    def _share(self, word: str, measurements: Sequence[Measurement]) -> Summary:
        held = [None if each.value is None else float(each.value == word) for each in measurements]
        pairs = zip(measurements, held, strict=True)
        observations = [Observation(each.cluster, each.cell, score) for each, score in pairs]
        return attrs.evolve(_estimated(observations), category=word)


RATE: Aggregation = _Rate()
"""Mean of values 0 or 1, with the interval of `mean_interval`."""
SCORE: Aggregation = Bounded()
"""Mean of values in [0, 1], with the interval of `mean_interval`."""
MEAN: Aggregation = Mean()
"""Mean of unbounded values, without an interval."""
AMOUNT: Aggregation = _Amount(low=0.0)
"""Mean and median of non-negative values, such as tokens and times.

The median is taken over the base mazes' means, with the interval of `median_interval` for at least 6 mazes.
"""
STEPS: Aggregation = _Steps(low=0.0)
"""Mean of step counts, and of their shares of the budget (at most 1), with the interval of `mean_interval`."""
PER_SUCCESS: Aggregation = _PerSuccess()
"""Sum over all episodes divided by the number of successes; None without a success."""
SHARES: Aggregation = _Shares()
"""Shares of words, in descending order, with the interval of `mean_interval`."""


def _estimated(observations: Sequence[Observation]) -> Summary:
    found = estimate_score(observations)
    if found.score is None:
        return Summary(None)
    return Summary(found.score, interval=found.interval, bounds=found.bounds)


def _observations(measurements: Iterable[Measurement]) -> list[Observation]:
    """Convert measurements with numeric values to observations."""
    return [
        Observation(each.cluster, each.cell, None if each.value is None else float(each.value)) for each in measurements
    ]
