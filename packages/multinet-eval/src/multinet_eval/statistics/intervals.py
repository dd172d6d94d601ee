"""Confidence intervals of rates, means and medians, and of means over two crossed samples."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from functools import lru_cache
from operator import itemgetter
from statistics import NormalDist

import attrs
import numpy as np
from numpy.typing import ArrayLike, NDArray

from multinet_eval.statistics.clusters import average

Range = tuple[float, float]
"""Lower and upper end of an interval."""
Z_95 = 1.959963984540054
"""The 97.5 % quantile of the normal distribution."""


def wilson_interval(successes: int, trials: int, z: float = Z_95) -> Range:
    """Return the Wilson score interval of a proportion (Wilson 1927), two-sided, 95 % by default.

    The interval stays within [0, 1] and is sound for few trials and for proportions of 0 and 1, unlike the normal
    approximation. Without trials: (0, 1).
    """
    if trials == 0:
        return (0.0, 1.0)
    return _wilson(successes / trials, trials, z)


Parts = Iterable[tuple[float, float]]
"""Numerator and denominator of each cluster."""


def clustered_interval(parts: Parts) -> Range:
    """Return the 95 % `effective_interval` of a ratio of sums over clusters, such as all plays of a maze.

    With one trial per cluster, the interval is Wilson's. Without trials: (0, 1).

    Args:
        parts: as for `ClusteredShare.of_parts`.
    """
    found = ClusteredShare.of_parts(parts)
    return (0.0, 1.0) if found is None else effective_interval(found)


@attrs.frozen
class ClusteredShare:
    """A share of clustered trials, with its variance between clusters."""

    share: float
    """Share, in [0, 1]."""
    variance: float
    """Variance of the share, estimated from differences between clusters, without a small-sample factor."""
    clusters: float
    """Number of clusters, at least 1; not an integer if weights differ."""
    trials: float
    """Number of trials, at least the number of clusters."""

    @classmethod
    def of_rates(cls, rates: Sequence[float], plays: Sequence[float]) -> ClusteredShare:
        """Return the mean of equally weighted clusters.

        Args:
            rates: rate of each cluster, in [0, 1]; at least one.
            plays: number of trials of each cluster.
        """
        mean, size = average(rates), len(rates)
        variance = math.fsum((rate - mean) ** 2 for rate in rates) / size**2
        return cls(mean, variance, size, max(size, size**2 / math.fsum(1 / each for each in plays)))

    @classmethod
    def of_parts(cls, parts: Parts) -> ClusteredShare | None:
        """Return the ratio of sums, with its variance between clusters by linearisation (Cochran 1977, 6.4).

        Args:
            parts: numerators and denominators (numbers of trials), with a ratio of sums in [0, 1]. Clusters without
                trials are skipped. Unequal weights reduce the effective number of clusters: (Σ w)² / Σ w² (Kish 1965).

        Returns:
            The share; None without trials.
        """
        listed = [(part, whole) for part, whole in parts if whole > 0]
        total = math.fsum(whole for _, whole in listed)
        if not listed:
            return None
        share = min(1.0, math.fsum(part for part, _ in listed) / total)
        variance = math.fsum((part - share * whole) ** 2 for part, whole in listed) / total**2
        return cls(share, variance, total**2 / math.fsum(whole**2 for _, whole in listed), total)

    @property
    def design_effect(self) -> float | None:
        """Variance of the share as a multiple of its variance for as many independent trials (Kish 1965).

        Both variances are unbiased: v · k / (k - 1) over s (1 - s) / (n - 1), with k clusters and n trials. None if
        unknown: with one cluster, or a share of 0 or 1.
        """
        spread = self.share * (1 - self.share)
        if spread == 0 or self.clusters <= 1 or self.trials <= 1:
            return None
        return self.variance * self.clusters / (self.clusters - 1) * (self.trials - 1) / spread

    @property
    def effective(self) -> float:
        """Number of trials divided by the design effect, at least the number of clusters, at most the number of trials.

        With a share of 0 or 1, which does not show how alike the trials of a cluster are, each cluster counts once.
        """
        effect = self.design_effect
        return self.clusters if effect is None else max(self.clusters, self.trials / max(1.0, effect))

    @property
    def may_be_short(self) -> bool:
        """Whether the interval may contain the true share in fewer than 93 % of suites; see `WIDE_SCATTER`.

        False if each cluster counts once, as with one trial each.
        """
        effect, counts_once = self.design_effect, math.isclose(self.effective, self.clusters)
        return effect is not None and effect > WIDE_SCATTER and abs(self.share - 0.5) > CENTRAL and not counts_once


WIDE_SCATTER = 2.5
"""Design effect above which a few clusters reveal too little of the variance between them."""
CENTRAL = 0.25
"""Distance from one half within which intervals are reliable whatever the design effect."""


def effective_interval(found: ClusteredShare) -> Range:
    """Return Wilson's interval, 95 %, with the effective number of trials.

    The number of trials is divided by the design effect and not increased; Wilson's interval with an effective number
    is, or is among, those that Franco, Little, Louis and Slud (2019) recommend. Since the effect is estimated from few
    clusters, the number is multiplied by (t(effective - 1) / t(clusters - 1))², the factor of Korn and Graubard (1998)
    with the effective number in place of all trials. Each cluster counts for at least one trial, and for just one if
    the share is 0 or 1, which does not show how alike its trials are. So repetitions with the same result add nothing.
    """
    factor = _quantile_of(found.effective) / _quantile_of(found.clusters)
    return _wilson(found.share, max(found.clusters, found.effective * factor**2), Z_95)


def _quantile_of(size: float) -> float:
    """Return Student's quantile for the scatter of `size` values."""
    return student_quantile(max(1.0, size - 1))


NEWTON_STEPS = 100
PRECISE = 1e-13
"""Relative error at which iterations stop."""


@lru_cache(maxsize=1024)
def student_quantile(freedom: float, probability: float = 0.975) -> float:
    """Return a quantile of Student's distribution, with a relative error of 1e-8.

    Newton's method from the normal quantile, which is nearer to 0, on the upper tail I(f / (f + t²); f / 2, ½) / 2.
    The tail is convex there, so each step approaches the quantile from below.

    Args:
        freedom: degrees of freedom, at least 1, not necessarily an integer.
        probability: cumulative probability of the quantile, in (0, 1).
    """
    tail = min(probability, 1 - probability)
    found = NormalDist().inv_cdf(1 - tail)
    log_scale = math.lgamma((freedom + 1) / 2) - math.lgamma(freedom / 2) - 0.5 * math.log(freedom * math.pi)
    for _ in range(NEWTON_STEPS if tail < 0.5 else 0):
        above = _incomplete_beta(freedom / (freedom + found**2), freedom / 2, 0.5) / 2
        density = math.exp(log_scale - (freedom + 1) / 2 * math.log1p(found**2 / freedom))
        step = (above - tail) / density
        found += step
        if abs(step) <= PRECISE * found:
            break
    return found if probability > 0.5 else -found


def _incomplete_beta(x: float, a: float, b: float) -> float:
    """Compute the regularized incomplete beta function, by its continued fraction (Lentz; DLMF 8.17.22)."""
    if x > (a + 1) / (a + b + 2):
        return 1 - _incomplete_beta(1 - x, b, a)
    front = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x) - math.log(a)
    upper, lower = 1.0, 1 / (1 - (a + b) * x / (a + 1))
    value = lower
    for m in range(1, 10_000):
        for term in (
            m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)),
        ):
            lower, upper = 1 / (1 + term * lower), 1 + term / upper
            value *= upper * lower
        if abs(upper * lower - 1) <= PRECISE:
            break
    return math.exp(front) * value


def _wilson(share: float, trials: float, z: float) -> Range:
    scale = 1 + z * z / trials
    centre = share + z * z / (2 * trials)
    margin = z * math.sqrt(share * (1 - share) / trials + z * z / (4 * trials * trials))
    low = 0.0 if share == 0 else (centre - margin) / scale
    high = 1.0 if share == 1 else (centre + margin) / scale
    return (low, high)


def with_bounds(values: ArrayLike, low: float, high: float) -> NDArray[np.float64]:
    """Append both bounds of the range to the values: shape (..., n) becomes (..., n + 2)."""
    given = np.asarray(values, dtype=np.float64)
    ends = np.broadcast_to(np.array([low, high], dtype=np.float64), (*given.shape[:-1], 2))
    return np.concatenate([given, ends], axis=-1)


def bounded_mean_interval(
    values: ArrayLike, low: float, high: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return Student's 95 % t interval of the mean after adding one cluster at each bound, clipped to the bounds.

    m ± t(n + 1) · s / √(n + 2), with m and s the mean and the standard deviation of the n + 2 values, and n + 1 degrees
    of freedom. A plain t interval is far too short if most values are equal, as near the bounds, and has no length if
    all are. For differences of single successes this is the adjustment of Bonett & Price (2012), with t for z. The
    centre of the interval is shrunk towards the centre of the range. Without values: the whole range.

    Args:
        values: float, shape (..., n), in [low, high]; each row is a sample.
        low: lower bound of the values: 0 for scores, -1 for their differences.
        high: upper bound.

    Returns:
        Lower and upper ends, float, shape (...).
    """
    widened = with_bounds(values, low, high)
    size = widened.shape[-1]
    centre = widened.mean(axis=-1)
    margin = student_quantile(size - 1) * widened.std(axis=-1, ddof=1) / np.sqrt(size)
    return np.maximum(centre - margin, low), np.minimum(centre + margin, high)


def median_interval(values: Sequence[float]) -> Range | None:
    """Return the 95 % interval of the median between two order statistics: the d-th smallest and the d-th largest.

    d is the largest for which P(X < d) ≤ 0.025, X ~ Bin(n, ½) (David and Nagaraja 2003, 7.1), so the coverage is at
    least 95 % for any distribution. None if no such d exists: for fewer than 6 values.

    Args:
        values: one for each cluster, in any order.
    """
    ordered, size = sorted(values), len(values)
    below, depth = 0, 0
    while depth < size and below + math.comb(size, depth) <= 0.025 * 2**size:
        below += math.comb(size, depth)
        depth += 1
    return (ordered[depth - 1], ordered[-depth]) if depth else None


Cells = Mapping[tuple[str, str], float]
"""Scores by (person, maze)."""


@attrs.frozen
class CrossedMean:
    """Estimate of a mean over persons and mazes."""

    persons: int
    mazes: int
    score: float
    """Mean over all pairs of person and maze, equally weighted."""
    interval: Range
    """95 % confidence interval of the score, for other persons on other mazes."""


def crossed_mean(cells: Cells) -> CrossedMean:
    """Estimate the mean of scores in [0, 1] with an interval that treats persons as well as mazes as samples.

    The interval is the `effective_interval` with `crossed_variance`, the smaller sample as clusters and the pairs as
    trials. With one person or one maze: (0, 1).

    Args:
        cells: scores by person and maze, at least one.
    """
    persons, mazes = (len({pair[side] for pair in cells}) for side in (0, 1))
    score, fewest = average(cells.values()), min(persons, mazes)
    if fewest < 2:
        return CrossedMean(persons, mazes, score, (0.0, 1.0))
    found = ClusteredShare(score, crossed_variance(cells), fewest, len(cells))
    return CrossedMean(persons, mazes, score, effective_interval(found))


def crossed_variance(cells: Cells) -> float:
    """Compute the variance of the mean of scores that are correlated within persons and within mazes.

    The result is the variance by persons plus the variance by mazes minus the variance by pairs (Cameron, Gelbach and
    Miller 2011), without their small-sample factors. It is at least as large as either of the first two, since with few
    clusters the sum may even be negative.

    Args:
        cells: scores of at least two persons and two mazes.
    """
    mean = average(cells.values())
    residuals = {pair: score - mean for pair, score in cells.items()}
    by_person, by_maze = _variance(residuals, itemgetter(0)), _variance(residuals, itemgetter(1))
    return max(by_person, by_maze, by_person + by_maze - _variance(residuals, itemgetter(0, 1)))


def _variance(residuals: Cells, cluster_of: Callable[[tuple[str, str]], Hashable]) -> float:
    """Compute the variance of the mean of residuals that are correlated within clusters."""
    groups: dict[Hashable, list[float]] = {}
    for pair, residual in residuals.items():
        groups.setdefault(cluster_of(pair), []).append(residual)
    return math.fsum(math.fsum(group) ** 2 for group in groups.values()) / len(residuals) ** 2
