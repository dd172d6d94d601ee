"""Confidence intervals of rates."""

from __future__ import annotations

import math
from collections.abc import Iterable
from statistics import NormalDist

__all__ = ["clustered_interval", "effective_interval", "student_quantile", "wilson_interval"]

Z_95 = 1.959963984540054
"""The 97.5 % quantile of the normal distribution."""
ROUNDING = 1e-12
"""Variances below it are those of clusters that agree."""


def wilson_interval(successes: int, trials: int, z: float = Z_95) -> tuple[float, float]:
    """The Wilson score interval of a proportion (Wilson 1927), two-sided, 95 % by default.

    It stays inside [0, 1] and is sound for few trials and for proportions of 0 and 1, where the normal approximation
    is not. No trials tell nothing: (0, 1).
    """
    if trials == 0:
        return (0.0, 1.0)
    return _wilson(successes / trials, trials, z)


def clustered_interval(parts: Iterable[tuple[float, float]]) -> tuple[float, float]:
    """The interval of a ratio of sums whose parts come in clusters that are alike, such as the tasks of a suite; 95 %.

    Wilson's interval with the effective number of trials, the one with which the binomial variance is that of the ratio
    between clusters (by linearisation, Cochran 1977, 6.4), and with Student's quantile instead of the normal one
    (Franco, Little, Louis and Slud 2019). Where all clusters agree, each counts as one trial.
    One cluster tells nothing of others: (0, 1).

    Args:
        parts: of each cluster what counts, and out of how much; the sums' ratio is between 0 and 1. Clusters with
            nothing to count out of are passed over.
    """
    listed = [(part, whole) for part, whole in parts if whole > 0]
    count, total = len(listed), sum(whole for _, whole in listed)
    if count < 2:
        return (0.0, 1.0)
    share = min(1.0, sum(part for part, _ in listed) / total)
    squares = sum((part - share * whole) ** 2 for part, whole in listed)
    variance = count / (count - 1) * squares / total**2
    return effective_interval(share, variance, count)


def effective_interval(share: float, variance: float, clusters: int) -> tuple[float, float]:
    """Wilson's interval with as many trials as a share of that variance would come of; 95 %.

    Args:
        share: in [0, 1].
        variance: that of the share, from the scatter between clusters.
        clusters: how many there are, at least 2. Where they agree, each counts as one trial.
    """
    if share in (0, 1) or variance < ROUNDING:
        return _wilson(share, clusters, Z_95)
    return _wilson(share, share * (1 - share) / variance, student_quantile(clusters - 1))


def student_quantile(freedom: int, probability: float = 0.975) -> float:
    """A quantile of Student's distribution: exact for 1 and 2 degrees of freedom, to 0.4 % from 3 on.

    The latter by the series of Abramowitz and Stegun, 26.7.5, which is meant for probabilities from 0.025 to 0.975.
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
    return z + sum(term / float(freedom) ** power for power, term in enumerate(terms, start=1))


def _wilson(share: float, trials: float, z: float) -> tuple[float, float]:
    scale = 1 + z * z / trials
    centre = share + z * z / (2 * trials)
    margin = z * math.sqrt(share * (1 - share) / trials + z * z / (4 * trials * trials))
    low = 0.0 if share == 0 else (centre - margin) / scale
    high = 1.0 if share == 1 else (centre + margin) / scale
    return (low, high)
