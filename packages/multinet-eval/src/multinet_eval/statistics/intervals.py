"""Confidence intervals of rates and means, and of means over two crossed samples."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from importlib import import_module
from operator import itemgetter
from statistics import NormalDist
from typing import Any

import attrs
import numpy as np
from numpy.typing import ArrayLike, NDArray

from multinet_eval.statistics.clusters import average

Z_95 = 1.959963984540054
"""The 97.5 % quantile of the normal distribution."""


def wilson_interval(successes: int, trials: int, z: float = Z_95) -> tuple[float, float]:
    """The Wilson score interval of a proportion (Wilson 1927), two-sided, 95 % by default.

    It stays inside [0, 1] and is sound for few trials and for proportions of 0 and 1, where the normal approximation
    is not. No trials tell nothing: (0, 1).
    """
    if trials == 0:
        return (0.0, 1.0)
    return _wilson(successes / trials, trials, z)


def clustered_interval(parts: Iterable[tuple[float, float]]) -> tuple[float, float]:
    """The interval of a ratio of sums whose parts come in clusters that are alike, such as the plays of a task; 95 %.

    That of `effective_interval`, with the variance of the ratio between clusters (by linearisation, Cochran 1977, 6.4).
    Where each cluster is one trial, it is Wilson's, and where the trials of each cluster all come out alike, it is
    Wilson's with one trial for each cluster: what is played again with the same result tells nothing new. Nothing at
    all: (0, 1).

    Args:
        parts: of each cluster what counts, and out of how much; the sums' ratio is between 0 and 1, and the second sum
            is the number of trials. Clusters with nothing to count out of are passed over. Those of which more is
            counted weigh more, so that they are worth fewer than there are: (Σ w)² / Σ w² (Kish 1965).
    """
    listed = [(part, whole) for part, whole in parts if whole > 0]
    total = math.fsum(whole for _, whole in listed)
    if not listed:
        return (0.0, 1.0)
    share = min(1.0, math.fsum(part for part, _ in listed) / total)
    variance = math.fsum((part - share * whole) ** 2 for part, whole in listed) / total**2
    clusters = total**2 / math.fsum(whole**2 for _, whole in listed)
    return effective_interval(share, variance, clusters, total)


def effective_interval(share: float, variance: float, clusters: float, trials: float) -> tuple[float, float]:
    """Wilson's interval with as many trials as a share of that variance would come of; 95 %.

    They are the number of trials divided by the design effect (Kish 1965), and no more than there are; Wilson's is the
    interval, or one of two, that Franco, Little, Louis and Slud (2019) advise for effective numbers. Where it exceeds
    that of the clusters, it is known from their scatter alone, of few perhaps, and so it is multiplied by
    (t(effective - 1) / t(clusters - 1))², the factor of Korn and Graubard (1998) with the effective number in place of
    that of all trials. At most, a cluster's trials are wholly alike, so it counts for at least one; where the share is
    0 or 1, which says nothing of how alike they are, for just one.

    Args:
        share: in [0, 1].
        variance: that of the share, from the scatter between clusters, without a factor for small samples.
        clusters: how many there are, at least 1; not whole where some weigh more.
        trials: how many there are, at least as many.
    """
    spread = share * (1 - share)
    found = clusters if spread == 0 else spread / variance if variance > 0 else math.inf
    effective = min(found, trials)
    if effective > clusters:
        effective = max(clusters, effective * (_quantile_of(effective) / _quantile_of(clusters)) ** 2)
    return _wilson(share, effective, Z_95)


def _quantile_of(size: float) -> float:
    """Student's quantile for the scatter of so many."""
    return student_quantile(max(1.0, size - 1))


def student_quantile(freedom: float, probability: float = 0.975) -> float:
    """A quantile of Student's distribution: exact for 1 and 2 degrees of freedom, to 0.4 % from 3 on.

    The latter by the series of Abramowitz and Stegun, 26.7.5, which is meant for probabilities from 0.025 to 0.975. So
    are those between 1 and 2, and between 2 and 3, where it is too near 0 by up to 12 % and 1 %.

    Args:
        freedom: the degrees of freedom, at least 1.
        probability: of which it is the quantile, in (0, 1).
    """
    if freedom == 1:
        return math.tan(math.pi * (probability - 0.5))
    if freedom == 2:
        return (probability - 0.5) * math.sqrt(2 / (probability * (1 - probability)))
    z = NormalDist().inv_cdf(probability)
    terms = (
        (z**3 + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
        (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / 92160,
    )
    return z + sum(term / freedom**power for power, term in enumerate(terms, start=1))


def _wilson(share: float, trials: float, z: float) -> tuple[float, float]:
    scale = 1 + z * z / trials
    centre = share + z * z / (2 * trials)
    margin = z * math.sqrt(share * (1 - share) / trials + z * z / (4 * trials * trials))
    low = 0.0 if share == 0 else (centre - margin) / scale
    high = 1.0 if share == 1 else (centre + margin) / scale
    return (low, high)


LEAST_FOR_BOOTSTRAP = 30
"""The least number of clusters that are resampled: with fewer, intervals of the bootstrap are too short."""
RESAMPLES = 9999


def with_bounds(values: ArrayLike, low: float, high: float) -> NDArray[np.float64]:
    """Values with one more at each bound of their range: shape (..., n) becomes (..., n + 2)."""
    given = np.asarray(values, dtype=np.float64)
    ends = np.broadcast_to(np.array([low, high], dtype=np.float64), (*given.shape[:-1], 2))
    return np.concatenate([given, ends], axis=-1)


def bounded_mean_interval(
    values: ArrayLike, low: float, high: float, level: float = 0.95
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Student's t interval of the mean after one more cluster at each bound, cut off at the bounds.

    m ± t(n + 1) · s / √(n + 2), with m and s the mean and the standard deviation of the n + 2 values, and n + 1 degrees
    of freedom. A plain t interval is far too short where most values are the same, as near the bounds, and has no
    length where all are. For differences of single successes this is the adjustment of Bonett & Price (2012), with t
    for z. Its middle lies towards that of the range. No values: the whole range.

    Args:
        values: float, shape (..., n), in [low, high]; each row is a sample of its own.
        low: the lower bound of the values: 0 for scores, -1 for their differences.
        high: the upper bound.
        level: how often the interval is to hold the true mean, in (0, 1).

    Returns:
        The lower and the upper ends, float, shape (...).
    """
    widened = with_bounds(values, low, high)
    size = widened.shape[-1]
    centre = widened.mean(axis=-1)
    margin = student_quantile(size - 1, (1 + level) / 2) * widened.std(axis=-1, ddof=1) / np.sqrt(size)
    return np.maximum(centre - margin, low), np.minimum(centre + margin, high)


def mean_interval(
    values: Sequence[float], level: float = 0.95, low: float = -math.inf, high: float = math.inf
) -> tuple[float, float] | None:
    """Student's t interval of the mean, m ± t(n - 1) · s / √n, cut off where no mean can be.

    None for fewer than two values, and where all are the same, of which it is not defined. It takes the means of
    clusters to be about normally distributed, so with few of them and long tails, as counts have, it is too short. What
    is cut off cannot be true, so it holds the true mean as often as before.

    Args:
        values: one for each cluster, in any order, in [low, high].
        level: how often the interval is to hold the true mean, in (0, 1).
        low: what no value is below, such as 0 for counts.
        high: what no value is above.
    """
    size = len(values)
    if size < 2 or min(values) == max(values):
        return None
    given = np.sort(np.asarray(values, dtype=np.float64))
    centre = float(given.mean())
    margin = student_quantile(size - 1, (1 + level) / 2) * float(given.std(ddof=1)) / math.sqrt(size)
    return (max(low, centre - margin), min(high, centre + margin))


def bootstrap_interval(values: Sequence[float], seed: int, level: float = 0.95) -> tuple[float, float] | None:
    """The bias-corrected and accelerated bootstrap interval of the mean (BCa, Efron 1987), of SciPy.

    None for fewer than `LEAST_FOR_BOOTSTRAP` values, where all are the same, of which it is not defined, and where
    SciPy is not installed: ``pip install 'multinet-eval[stats]'``.

    Args:
        values: one for each cluster, in any order.
        seed: of the 9999 resamples, each as many clusters drawn with replacement.
        level: how often the interval is to hold the true mean, in (0, 1).
    """
    if len(values) < LEAST_FOR_BOOTSTRAP or min(values) == max(values):
        return None
    try:
        stats: Any = import_module("scipy.stats")
    except ImportError:
        return None
    found = stats.bootstrap(
        (np.sort(np.asarray(values, dtype=np.float64)),),
        np.mean,
        n_resamples=RESAMPLES,
        batch=RESAMPLES // 10,
        confidence_level=level,
        method="BCa",
        rng=np.random.default_rng(seed),
    )
    return (float(found.confidence_interval.low), float(found.confidence_interval.high))


Cells = Mapping[tuple[str, str], float]
"""Of each person and maze the score, where there is one."""


@attrs.frozen
class CrossedMean:
    """Estimate of the mean."""

    persons: int
    mazes: int
    score: float
    """The mean over all persons and mazes, each pair counting the same."""
    interval: tuple[float, float]
    """95 %, for other persons on other mazes."""


def crossed_mean(cells: Cells) -> CrossedMean:
    """The mean of scores in [0, 1] with an interval that counts persons as well as mazes as samples.

    That of `effective_interval` with `crossed_variance`, the smaller of the two samples as the clusters, and the pairs
    as the trials. One person, or one maze, tells nothing of others: (0, 1).

    Args:
        cells: at least one.
    """
    persons, mazes = (len({pair[side] for pair in cells}) for side in (0, 1))
    score, fewest = average(cells.values()), min(persons, mazes)
    known = fewest > 1
    interval = effective_interval(score, crossed_variance(cells), fewest, len(cells)) if known else (0.0, 1.0)
    return CrossedMean(persons, mazes, score, interval)


def crossed_variance(cells: Cells) -> float:
    """The variance of the mean of scores that are alike within persons and within mazes.

    The variance by persons plus that by mazes minus that by pairs (Cameron, Gelbach and Miller 2011), without their
    factors for small samples; not less than either alone, since for few clusters the difference may even be negative.

    Args:
        cells: those of at least two persons and two mazes.
    """
    mean = average(cells.values())
    residuals = {pair: score - mean for pair, score in cells.items()}
    by_person, by_maze = _variance(residuals, itemgetter(0)), _variance(residuals, itemgetter(1))
    return max(by_person, by_maze, by_person + by_maze - _variance(residuals, itemgetter(0, 1)))


def _variance(residuals: Cells, cluster_of: Callable[[tuple[str, str]], Hashable]) -> float:
    """The variance of the mean, of residuals that are alike within clusters."""
    groups: dict[Hashable, list[float]] = {}
    for pair, residual in residuals.items():
        groups.setdefault(cluster_of(pair), []).append(residual)
    return math.fsum(math.fsum(group) ** 2 for group in groups.values()) / len(residuals) ** 2
