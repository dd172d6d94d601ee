"""Confidence intervals of rates."""

from __future__ import annotations

import math
from collections.abc import Iterable
from statistics import NormalDist

__all__ = ["clustered_interval", "effective_interval", "student_quantile", "wilson_interval"]

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
