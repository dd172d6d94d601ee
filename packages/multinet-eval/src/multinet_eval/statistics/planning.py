"""Planning of comparisons: the power of the sign-flip test, simulated for a stated truth, and the mazes that it takes.

A truth is the success rates of two models in each maze of a population. Suites of mazes are drawn from it, and plays of
each maze, and the differences are tested.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import NormalDist

import attrs
import numpy as np
from numpy.typing import NDArray

from multinet_eval.statistics.paired_tests import LEVEL, ROUNDING

POWER = 0.8
"""Probability of detecting a true difference."""
SUITES = 1_000
"""Number of simulated suites."""
SIGNS = 999
"""Number of sign assignments drawn for the test of a simulated suite."""
MANY = 100
"""Number of mazes above which the sums of other signs are taken to be normal."""
MOST_MAZES = 3_000
"""Number of mazes above which the search for enough of them ends."""
BATCH = 1 << 22
"""Number of simulated mazes held in memory at once."""
POPULATION = 20_000
"""Number of mazes of an assumed population."""
SCATTER = 1.0
"""Assumed standard deviation of mazes, in logits, if nothing is recorded."""
NORMAL_QUANTILE = NormalDist().inv_cdf(1 - LEVEL / 2)
"""Number of standard deviations beyond which a normal sum is significant."""
FARTHEST = 30.0
"""Bound of shifts, in logits."""


def least_mazes(level: float = LEVEL) -> int:
    """Return the minimum number of mazes for which a sign-flip test can be significant at a level in (0, 1).

    No p-value of n mazes is below 2^(1 - n).
    """
    return math.ceil(1 - math.log2(level))


@attrs.frozen(eq=False)
class Truth:
    """Success rates of two models in each maze of a population; each maze is equally likely to be drawn."""

    first: NDArray[np.float64]
    """Rates of the first model, float in [0, 1], shape (mazes,)."""
    second: NDArray[np.float64]
    """Rates of the second model in the same mazes."""

    @property
    def means(self) -> tuple[float, float]:
        """Mean success rates of the two models."""
        return float(self.first.mean()), float(self.second.mean())


def assumed_truth(difference: float) -> Truth:
    """Return a truth with rates near one half, which scatter most between plays.

    Mazes scatter by `SCATTER` logits, and those that are hard for one model are no harder for the other.

    Args:
        difference: difference of the mean rates, in (0, 1].
    """
    logits = SCATTER * np.random.default_rng(0).standard_normal((2, POPULATION))
    return Truth(_shifted(logits[0], (1 + difference) / 2), _shifted(logits[1], (1 - difference) / 2))


def recorded_truth(first: Sequence[tuple[int, int]], second: Sequence[tuple[int, int]], difference: float) -> Truth:
    """Return a truth whose mazes are as hard as recorded ones, with another difference of the mean rates.

    The rate of a maze is (solved + ½) / (plays + 1). Rates are then shifted, in logits: those of the first model to the
    mean that was recorded, and those of the second to the difference from it, if possible on the side that was
    recorded.

    Args:
        first: numbers of solved plays and of plays of the first model in each maze.
        second: the same of the second model, in the same mazes; that of the first if only one is recorded.
        difference: difference of the mean rates, in (0, 1].
    """
    means = [float(np.mean([solved / plays for solved, plays in each])) for each in (first, second)]
    sides = [means[0] - difference, means[0] + difference]
    possible = [each for each in (sides if means[1] <= means[0] else reversed(sides)) if 0 <= each <= 1]
    targets = (means[0], possible[0]) if possible else ((1 + difference) / 2, (1 - difference) / 2)
    logits = [np.array([math.log((s + 0.5) / (n - s + 0.5)) for s, n in each]) for each in (first, second)]
    return Truth(_shifted(logits[0], targets[0]), _shifted(logits[1], targets[1]))


def _shifted(logits: NDArray[np.float64], mean: float) -> NDArray[np.float64]:
    """Shift logits so that the rates have a mean; by bisection."""
    low, high = -FARTHEST, FARTHEST
    while high - low > ROUNDING:
        middle = (low + high) / 2
        low, high = (middle, high) if _rates(logits + middle).mean() < mean else (low, middle)
    return _rates(logits + low)


def _rates(logits: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(1 / (1 + np.exp(-logits)))


def simulated_power(truth: Truth, mazes: int, plays: int) -> float:
    """Return the share of `SUITES` simulated suites in which the sign-flip test is significant at `LEVEL`.

    Args:
        truth: the rates of two models.
        mazes: number of mazes of a suite.
        plays: plays of each maze by each model.
    """
    if mazes < least_mazes():
        return 0.0
    rng, found, left = np.random.default_rng(0), 0, SUITES
    while left:
        drawn = min(left, max(1, BATCH // mazes))
        chosen = rng.integers(0, len(truth.first), (drawn, mazes))
        solved = [rng.binomial(plays, rates[chosen]) for rates in (truth.first, truth.second)]
        found += int(np.count_nonzero(_is_significant((solved[0] - solved[1]) / plays, rng)))
        left -= drawn
    return found / SUITES


def _is_significant(differences: NDArray[np.float64], rng: np.random.Generator) -> NDArray[np.bool_]:
    """Whether each row of differences is significant, by sampled sign flips, or by their limit for `MANY` mazes."""
    sums = np.abs(differences.sum(axis=1))
    if differences.shape[1] > MANY:
        return np.asarray(sums >= NORMAL_QUANTILE * np.sqrt((differences**2).sum(axis=1)) + ROUNDING)
    signs = 2.0 * rng.integers(0, 2, (differences.shape[1], SIGNS)) - 1
    as_far = np.count_nonzero(np.abs(differences @ signs) >= sums[:, None] - ROUNDING, axis=1)
    return np.asarray((1 + as_far) / (1 + SIGNS) <= LEVEL)


def mazes_for(truth: Truth, plays: int, power: float = POWER) -> int | None:
    """Return the number of mazes with which the simulated power reaches a target; None if `MOST_MAZES` do not.

    Args:
        truth: the rates of two models.
        plays: plays of each maze by each model.
        power: the target, in (0, 1).
    """
    low, high = least_mazes() - 1, least_mazes()
    while simulated_power(truth, high, plays) < power:
        low, high = high, 2 * high
        if low >= MOST_MAZES:
            return None
    while high - low > max(1, high // 100):
        middle = (low + high) // 2
        low, high = (middle, high) if simulated_power(truth, middle, plays) < power else (low, middle)
    return high
