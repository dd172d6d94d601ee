"""Confidence intervals of means and medians, and of means over two crossed samples."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import lru_cache
from operator import itemgetter
from statistics import NormalDist

import attrs
import numpy as np
from numpy.typing import ArrayLike, NDArray

from multinet_eval.statistics.clusters import average

Range = tuple[float, float]
"""Lower and upper end of an interval."""
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


def mean_interval(values: Sequence[float], low: float = 0.0, high: float = 1.0) -> Range:
    """Return the 95 % interval of the mean of bounded values, such as the success rates of mazes.

    See `bounded_mean_interval`. Ten mazes that are all won give 0.73 to 1; without values, the interval is the whole
    range.

    Args:
        values: one for each cluster, in [low, high].
        low: lower bound of the values.
        high: upper bound.
    """
    ends = bounded_mean_interval(values, low, high)
    return (float(ends[0]), float(ends[1]))


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
    """95 % confidence interval of the score, if persons and mazes were drawn independently."""


def crossed_mean(cells: Cells) -> CrossedMean:
    """Estimate the mean of scores in [0, 1] with an interval that treats persons as well as mazes as samples.

    The interval is that of `bounded_mean_interval` for the smaller sample, with `crossed_variance` in place of the
    variance of its mean. With one person or one maze: (0, 1).

    Args:
        cells: scores by person and maze, at least one.
    """
    persons, mazes = (len({pair[side] for pair in cells}) for side in (0, 1))
    score, fewest = average(cells.values()), min(persons, mazes)
    if fewest < 2:
        return CrossedMean(persons, mazes, score, (0.0, 1.0))
    size = fewest + 2  # with one at 0 and one at 1
    centre = (fewest * score + 1) / size
    squares = fewest**2 * crossed_variance(cells) + fewest * score**2 + 1 - size * centre**2
    margin = student_quantile(size - 1) * math.sqrt(squares / (size - 1) / size)
    return CrossedMean(persons, mazes, score, (max(centre - margin, 0.0), min(centre + margin, 1.0)))


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
