"""Episodes and simulated models whose metrics and intervals are known."""

from collections.abc import Iterable

import attrs
import numpy as np
from numpy.typing import NDArray

from gridworld.runner.record import DecisionKind, EndReason, EpisodeEnd, EpisodeHeader, Step
from gridworld.world import World
from gridworld.world.rules import transition
from multinet_eval.analysis.metrics.episode_analysis import EpisodeAnalysis
from multinet_eval.analysis.metrics.known_tasks import KnownTask

SHARED, OWN = 1.5, 0.75
"""Standard deviations, in logits, of the difficulty of mazes that models share, and of each model's own."""
NODES, WEIGHTS = np.polynomial.hermite_e.hermegauss(61)


def analysed(world: World, actions: Iterable[int | None], known: KnownTask | None = None) -> EpisodeAnalysis:
    """The episode of some actions, with None for a lost step; actions after its end are dropped."""
    state, steps = world.start, list[Step]()
    for action in actions:
        if world.is_over(state) or len(steps) == world.max_steps:
            break
        if action is None:
            steps.append(Step(len(steps) + 1, DecisionKind.LOST))
            continue
        state, events = transition(world, state, action)
        steps.append(Step(len(steps) + 1, DecisionKind.ACTION, action, terminated=bool(state.status), events=events))
    reasons = {0: EndReason.BUDGET if len(steps) == world.max_steps else EndReason.STOPPED}
    reason = {**reasons, 1: EndReason.GOAL, 2: EndReason.DEATH}[state.status]
    header = EpisodeHeader(world.task.task_id, 1, 1, world.max_steps)
    return EpisodeAnalysis(world.task, header, tuple(steps), EpisodeEnd(reason), known or KnownTask(world))


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
