"""Planning of comparisons: the true difference that some mazes show, and the number of mazes that show a difference.

Both follow from the test, sign flips of mazes (`sign_flip_test`). Its sum of n differences with mean d and standard
deviation s is significant at a level if it is beyond the quantile of the sums with other signs, whose standard
deviation is √(n (s² + d²)). That happens with a probability of `power` if

    d √n ≥ z(1 - level/2) √(s² + d²) + z(power) s.

No p-value is below 2^(1 - n), so fewer mazes than `least_mazes` show nothing.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import NormalDist

import numpy as np

from multinet_eval.statistics.paired_tests import LEVEL

POWER = 0.8
"""Probability of detecting a true difference."""
CAUTION = 0.8
"""Confidence level of the upper limit of the standard deviation (Browne 1995)."""
HALVINGS = 40
"""Number of bisection steps for the smallest difference."""
QUANTILE = NormalDist().inv_cdf


def least_mazes(level: float = LEVEL) -> int:
    """Return the minimum number of mazes for which a sign-flip test can be significant at a level in (0, 1)."""
    return math.ceil(1 - math.log2(level))


def scatter_limit(differences: Sequence[float]) -> float | None:
    """Return the upper 80 % confidence limit of the standard deviation of differences; None with fewer than two.

    The limit follows from the chi-squared distribution with the degrees of freedom that the fourth moment leaves
    (Satterthwaite 1946), at most n - 1. If all differences are equal, at most a share of 1 - 0.2^(1/n) of all mazes
    differs from them, each by 1.

    Args:
        differences: one for each maze, in [-1, 1].
    """
    number = len(differences)
    if number < 2:
        return None
    centred = np.asarray(differences, dtype=np.float64) - math.fsum(differences) / number
    variance = float(np.mean(centred**2))
    if variance < 1e-12:
        return math.sqrt(1 - (1 - CAUTION) ** (1 / number))
    kurtosis = float(np.mean(centred**4)) / variance**2
    freedom = float(number - 1)
    if kurtosis > 1:
        freedom = max(1.0, min(freedom, 2 * number / (kurtosis - 1)))
    limit = variance * number / (number - 1) * freedom / _low_chi_squared(freedom)
    return min(1.0, math.sqrt(limit))


def _low_chi_squared(freedom: float) -> float:
    """Return the quantile of the chi-squared distribution at 1 - `CAUTION` (Wilson and Hilferty 1931)."""
    part = 2 / (9 * freedom)
    return freedom * (1 - part + QUANTILE(1 - CAUTION) * math.sqrt(part)) ** 3


def smallest_difference(mazes: int, scatter: float, level: float = LEVEL, power: float = POWER) -> float | None:
    """Return the true difference that mazes show with a probability of `power`; None if not even 1 is shown.

    Args:
        mazes: number of mazes.
        scatter: standard deviation of the differences between mazes, in [0, 1].
        level: two-sided level of the test, divided by the number of comparisons if there are several.
        power: probability with which the difference is shown, in (0.5, 1).
    """
    if mazes < least_mazes(level) or not _is_shown(1.0, mazes, scatter, level, power):
        return None
    low, high = 0.0, 1.0
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        low, high = (low, middle) if _is_shown(middle, mazes, scatter, level, power) else (middle, high)
    return high


def _is_shown(difference: float, mazes: int, scatter: float, level: float, power: float) -> bool:
    return _root_needed(difference, scatter, level, power) <= difference * math.sqrt(mazes)


def _root_needed(difference: float, scatter: float, level: float, power: float) -> float:
    """Compute the right side of the formula."""
    scatter = min(scatter, math.sqrt(1 - difference**2))  # differences beyond 1 do not exist
    return QUANTILE(1 - level / 2) * math.hypot(scatter, difference) + QUANTILE(power) * scatter


def mazes_needed(difference: float, scatter: float, level: float = LEVEL, power: float = POWER) -> int:
    """Return the number of mazes that show a true difference, in (0, 1], with a probability of `power`.

    Args:
        difference: the true difference.
        scatter: standard deviation of the differences, as for `smallest_difference`.
        level: two-sided level of the test, as for `smallest_difference`.
        power: probability with which the difference is shown, as for `smallest_difference`.
    """
    enough = (_root_needed(difference, scatter, level, power) / difference) ** 2
    return max(least_mazes(level), math.ceil(enough))


CORRELATION = 0.173
"""Share of the variance of single plays between mazes, for rates with mean ½ and a scatter of one logit."""


def expected_scatter(plays: float) -> float:
    """Return the assumed standard deviation of the differences between mazes before any data, on the cautious side.

    Rates are one half, which scatter most, and scatter by one logit between mazes; mazes that are hard for one model
    are no harder for the other.

    Args:
        plays: plays of each maze, such as variants times epochs, at least 1.
    """
    return math.sqrt((CORRELATION + (1 - CORRELATION) / plays) / 2)
