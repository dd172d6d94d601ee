"""Runs beside each other: the score of each, and the paired difference of every two, with what is known of both."""

from __future__ import annotations

from collections.abc import Sequence

import attrs

from multinet_eval.statistics.clusters import Observation, average, cluster_means, paired_differences, with_missing
from multinet_eval.statistics.intervals import clustered_interval
from multinet_eval.statistics.mean_intervals import bootstrap_interval, bounded_mean_interval
from multinet_eval.statistics.paired_tests import PairedTest, paired_tests
from multinet_eval.statistics.power import clusters_needed, smallest_difference
from multinet_eval.statistics.sign_flip import SignFlip

__all__ = ["Difference", "Estimate", "compare_pairs", "estimate_rate", "estimate_score"]

Range = tuple[float, float]


@attrs.frozen
class Estimate:
    """The score of one run."""

    clusters: int
    """The base mazes that have a score."""
    episodes: int
    """The episodes of the plan."""
    missing: int
    """Those without a score: they ended by an infrastructure fault, or were not played to their end."""
    score: float | None
    """The mean over clusters of what is not missing; None where all is."""
    interval: Range
    """95 %."""
    bounds: Range
    """The score if all that is missing had come to 0, and to 1."""


def estimate_rate(observations: Sequence[Observation]) -> Estimate:
    """The success rate of a run, of scores 0 and 1, with the interval of `clustered_interval`."""
    rates = list(cluster_means(observations).values())
    played = sum(each.score is not None for each in observations) / max(1, len(rates))
    return _estimate(observations, rates, clustered_interval((rate * played, played) for rate in rates))


def estimate_score(observations: Sequence[Observation]) -> Estimate:
    """The mean score of a run, of scores in [0, 1], with the interval of `bounded_mean_interval`."""
    means = list(cluster_means(observations).values())
    low, high = bounded_mean_interval(means, 0.0, 1.0)
    return _estimate(observations, means, (float(low), float(high)))


def _estimate(observations: Sequence[Observation], means: Sequence[float], interval: Range) -> Estimate:
    imputed = [list(cluster_means(with_missing(observations, score)).values()) for score in (0.0, 1.0)]
    lowest, highest = (average(each) if each else default for each, default in zip(imputed, (0.0, 1.0), strict=True))
    return Estimate(
        clusters=len(means),
        episodes=len(observations),
        missing=sum(each.score is None for each in observations),
        score=average(means) if means else None,
        interval=interval,
        bounds=(lowest, highest),
    )


@attrs.frozen
class Difference:
    """How much higher the first of two runs scores than the second."""

    first: int
    """The number of the run, from 0."""
    second: int
    clusters: int
    """The base mazes that have a score in both."""
    better: int
    """Those in which the first scores higher."""
    worse: int
    """Those in which the second does."""
    difference: float | None
    """The mean over clusters of the differences within; None where there is no cluster in both."""
    interval: Range
    """95 %, by `bounded_mean_interval`."""
    bootstrap: Range | None
    """95 %, by `bootstrap_interval`; None where it is not defined."""
    bounds: Range
    """The difference if all that is missing had come out worst for the first, and best."""
    test: SignFlip | None
    """None where there is no cluster in both."""
    adjusted_p_value: float | None
    """That of the test, adjusted for the number of pairs by Holm's method."""
    could_show: float | None
    """The `smallest_difference`; None where nothing could have been shown."""
    needed: int
    """The `clusters_needed` for a difference of 0.05."""


def compare_pairs(runs: Sequence[Sequence[Observation]], seed: int) -> list[Difference]:
    """The difference of every two runs, by what has a score in both.

    Args:
        runs: the observations of each run, scores in [0, 1].
        seed: of what is drawn at random.
    """
    return [_difference(runs, tested, seed) for tested in paired_tests(runs, seed)]


def _difference(runs: Sequence[Sequence[Observation]], tested: PairedTest, seed: int) -> Difference:
    first, second, differences = runs[tested.first], runs[tested.second], tested.differences
    low, high = bounded_mean_interval(differences, -1.0, 1.0)
    return Difference(
        first=tested.first,
        second=tested.second,
        clusters=len(differences),
        better=sum(each > 0 for each in differences),
        worse=sum(each < 0 for each in differences),
        difference=tested.difference,
        interval=(float(low), float(high)),
        bootstrap=bootstrap_interval(differences, seed),
        bounds=(_imputed(first, 0.0, second, 1.0), _imputed(first, 1.0, second, 0.0)),
        test=tested.test,
        adjusted_p_value=tested.adjusted_p_value,
        could_show=smallest_difference(differences),
        needed=clusters_needed(differences),
    )


def _imputed(first: Sequence[Observation], ours: float, second: Sequence[Observation], theirs: float) -> float:
    """The difference with scores in place of those that are missing; of nothing at all, that of these scores."""
    differences = paired_differences(with_missing(first, ours), with_missing(second, theirs))
    return average(differences.values()) if differences else ours - theirs
