"""Confidence intervals."""

from __future__ import annotations

import math

__all__ = ["wilson_interval"]

Z_95 = 1.959963984540054
"""The 97.5 % quantile of the normal distribution."""


def wilson_interval(successes: int, trials: int, z: float = Z_95) -> tuple[float, float]:
    """The Wilson score interval of a proportion (Wilson 1927), two-sided, 95 % by default.

    It stays inside [0, 1] and is sound for few trials and for proportions of 0 and 1, where the normal approximation
    is not. No trials tell nothing: (0, 1).
    """
    if trials == 0:
        return (0.0, 1.0)
    share = successes / trials
    scale = 1 + z * z / trials
    centre = share + z * z / (2 * trials)
    margin = z * math.sqrt(share * (1 - share) / trials + z * z / (4 * trials * trials))
    low = 0.0 if successes == 0 else (centre - margin) / scale
    high = 1.0 if successes == trials else (centre + margin) / scale
    return (low, high)
