"""Episodes and simulated models whose metrics and intervals are known."""

from collections.abc import Iterable

import attrs
import numpy as np
from numpy.typing import NDArray

SHARED, OWN = 1.5, 0.75
"""Standard deviations, in logits, of the difficulty of mazes that models share, and of each model's own."""
NODES, WEIGHTS = np.polynomial.hermite_e.hermegauss(61)


@attrs.frozen
class Pair:
    """Success rates of two models over all mazes, in (0, 1)."""

    first: float
    second: float


def solved(
    pair: Pair, shape: tuple[int, int], epochs: int, rng: np.random.Generator
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Share of epochs in which each model solves each maze, of the shape (suites, mazes)."""
    first, second = solved_by_each((pair.first, pair.second), shape, epochs, rng)
    return first, second


def solved_by_each(
    rates: Iterable[float], shape: tuple[int, int], epochs: int, rng: np.random.Generator
) -> list[NDArray[np.float64]]:
    """Like `solved`, for any number of models with these success rates."""
    mazes = SHARED * rng.standard_normal(shape)
    return [_play(_ability(rate) + mazes, epochs, rng) for rate in rates]


def _play(logits: NDArray[np.float64], epochs: int, rng: np.random.Generator) -> NDArray[np.float64]:
    chances = _probability(logits + OWN * rng.standard_normal(logits.shape))
    return np.asarray(rng.binomial(epochs, chances) / epochs)


def _ability(rate: float) -> float:
    """Ability, in logits, whose mean success rate over all mazes is `rate`; by bisection."""
    low, high = -20.0, 20.0
    spread = np.hypot(SHARED, OWN) * NODES
    while high - low > 1e-9:
        middle = (low + high) / 2
        mean = _probability(middle + spread) @ WEIGHTS / WEIGHTS.sum()
        low, high = (middle, high) if mean < rate else (low, middle)
    return low


def _probability(logits: NDArray[np.float64]) -> NDArray[np.float64]:
    return 1 / (1 + np.exp(-logits))
