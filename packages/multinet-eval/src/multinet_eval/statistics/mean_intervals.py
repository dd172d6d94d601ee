"""Confidence intervals of the mean of bounded values, one for each cluster: scores, or differences of scores."""

from __future__ import annotations

import math
from collections.abc import Sequence
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from multinet_eval.statistics.intervals import student_quantile

__all__ = ["LEAST_FOR_BOOTSTRAP", "bootstrap_interval", "bounded_mean_interval", "mean_interval", "with_bounds"]

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
