"""What a comparison could have shown, and how many base mazes it takes to show something smaller.

Both follow from how far the differences scatter, and neither from the difference that was found: the "observed power"
of a result says no more than its p-value (Hoenig & Heisey 2001).
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from multinet_eval.statistics.intervals import student_quantile
from multinet_eval.statistics.mean_intervals import with_bounds

__all__ = ["POWER", "clusters_needed", "smallest_difference"]

LEVEL = 0.95
"""Of the intervals that show a difference by not holding 0."""
POWER = 0.8
"""The probability with which a true difference is shown."""


def smallest_difference(differences: Sequence[float]) -> float | None:
    """The true difference that as many clusters show with a probability of 0.8, at the level of 0.05.

    (t(0.975) + t(0.8)) · s / √(n + 2), with n + 1 degrees of freedom and s the standard deviation of the differences
    with one of -1 and one of 1 among them, as in `bounded_mean_interval`: with few clusters it is on the cautious side.
    None where not even a difference of 1 could be shown, as with one cluster.

    Args:
        differences: one for each cluster, in [-1, 1].
    """
    found = _shown_by(len(differences), _scatter(differences))
    return found if found <= 1 else None


def clusters_needed(differences: Sequence[float], difference: float = 0.05) -> int:
    """How many clusters like these show a true difference with a probability of 0.8, at the level of 0.05.

    The least n for which the formula of `smallest_difference`, with the scatter of these clusters, gives no more.

    Args:
        differences: one for each cluster, in [-1, 1].
        difference: what is to be shown, in (0, 1].
    """
    scatter = _scatter(differences)
    enough = 1
    while _shown_by(enough, scatter) > difference:
        enough *= 2
    too_few = enough // 2
    while enough - too_few > 1:
        middle = (enough + too_few) // 2
        enough, too_few = (enough, middle) if _shown_by(middle, scatter) > difference else (middle, too_few)
    return enough


def _scatter(differences: Sequence[float]) -> float:
    return float(with_bounds(differences, -1.0, 1.0).std(ddof=1))


def _shown_by(clusters: int, scatter: float) -> float:
    quantiles = sum(student_quantile(clusters + 1, each) for each in ((1 + LEVEL) / 2, POWER))
    return quantiles * scatter / math.sqrt(clusters + 2)
