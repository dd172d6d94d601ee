"""Exact answers from a task's `StateTable`: distances, optimal actions, random and noisy play, dead ends."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

import attrs
import numpy as np
from numpy.typing import NDArray

from gridworld.actions import Action
from gridworld.errors import ArgumentError
from gridworld.plugins.tilings import compile_on
from gridworld.solver.expansion import DEAD, WON
from gridworld.solver.spaces import Ints
from gridworld.solver.state_table import LOST, StateTable, tabulate
from gridworld.task_spec import TaskSpecification
from gridworld.world.rules import is_reached
from gridworld.world.state import State


@attrs.frozen
class Play:
    """Expected result of playing a task with random or noisy actions."""

    success: float
    """Probability of success within the step budget, 0 to 1."""
    length: float
    """Expected number of steps of an episode."""


def distance_from(table: StateTable, state: State) -> int | None:
    """Return the fewest actions to success from a running state; None if it can no longer be won.

    The state's step count matters only for goals at the last step of the budget.

    Raises:
        KeyError: the state cannot be reached from the start of the task.
    """
    number = table.number(state)
    if table.world.goal_type.timed:
        left = table.world.max_steps - state.steps
        return left if table.endurance[number] >= left > 0 else None
    distance = int(table.distance[number])
    return None if distance == LOST else distance


def optimal_actions(table: StateTable, state: State) -> tuple[Action, ...]:
    """Return all actions that begin a shortest plan from a state; empty if it can no longer be won.

    The state's step count matters only for goals at the last step of the budget.

    Raises:
        KeyError: the state cannot be reached from the start of the task.
    """
    number = table.number(state)
    best = table.optimal[number]
    if table.world.goal_type.timed:
        best = table.endurance_after(np.array([number]))[0] >= table.world.max_steps - state.steps - 1
    return tuple(Action(action) for action in np.flatnonzero(best).tolist())


def nearest_dead_end(table: StateTable) -> tuple[Action, ...] | None:
    """Return a shortest sequence of actions after which a living agent can no longer win, or None if none exists."""
    lost = np.flatnonzero(table.lost)
    return table.path_to(int(lost[0])) if lost.size else None


def can_lose_by(table: StateTable, property_of: Callable[[State], bool]) -> bool:
    """Whether an action can lead from a winnable state without a property to a lost state with it.

    Args:
        table: the table.
        property_of: the property; it may depend only on values and positions of entities.
    """
    having = table.having(property_of)
    following = np.maximum(table.successor, 0)
    losing = (table.successor >= 0) & having[following] & table.lost[following]
    return bool((losing.any(axis=1) & ~having & ~table.lost).any())


def steps_to_loss(table: StateTable, states: Iterable[State]) -> int | None:
    """Return the fewest actions from any of the states to a dead end or to death; None if neither can be reached."""
    reached = np.zeros(len(table), dtype=bool)
    distinct = {(state.key, state.discovered): state for state in states}.values()
    frontier = np.array(sorted({table.number(state) for state in distinct}), dtype=np.int64)
    steps = 0
    while frontier.size:
        if table.lost[frontier].any():
            return steps
        following = table.successor[frontier]
        if (following == DEAD).any():
            return steps + 1
        reached[frontier] = True
        onward = np.unique(following[following >= 0])
        frontier = onward[~reached[onward]].astype(np.int64)
        steps += 1
    return None


def random_play(table: StateTable, budget: int | None = None) -> Play:
    """Compute the expected result of choosing each of the seven actions with equal probability.

    Computed backwards from the end of the budget: the probability of success with ``k`` steps left is the mean, over
    the actions, of the probability of their targets with ``k - 1`` steps left.

    Args:
        table: the table.
        budget: the steps of an episode, at least 0; by default the task's budget.

    Raises:
        ArgumentError: the budget is negative.
    """
    success, length = _Values(table), np.zeros(len(table))
    for _ in range(_steps(table, budget)):
        success.step(lambda outcomes: outcomes.mean(axis=1))
        length = 1 + np.where(success.ends, 0.0, length[success.following]).mean(axis=1)
    return Play(float(success.now[0]), float(length[0]))


def noisy_success(table: StateTable, noise: float, budget: int | None = None) -> float:
    """Compute the probability of success of the best policy under noisy actions.

    Value iteration over the steps left: the value of a state with ``k`` steps left is the maximum over its actions of
    ``(1 - noise) * value(action) + noise * mean of the values of all actions``, each with ``k - 1`` steps left.

    Args:
        table: the table.
        noise: the probability, 0 to 1, that an action is replaced by a uniformly random one of the seven.
        budget: the steps of an episode, at least 0; by default the task's budget.

    Raises:
        ArgumentError: the noise is not a probability, or the budget is negative.
    """
    if not 0 <= noise <= 1:
        raise ArgumentError(f"noise: {noise!r} is not a probability, expected 0 to 1")
    success = _Values(table)
    for _ in range(_steps(table, budget)):
        success.step(lambda outcomes: (1 - noise) * outcomes.max(axis=1) + noise * outcomes.mean(axis=1))
    return float(success.now[0])


def _steps(table: StateTable, budget: int | None) -> int:
    steps = table.world.max_steps if budget is None else budget
    if steps < 0:
        raise ArgumentError(f"budget: {steps} steps, expected at least 0")
    return steps


class _Values:
    """Probability of success of each state, computed backwards; each `step` adds one remaining step, starting at 0."""

    def __init__(self, table: StateTable) -> None:
        self.now = np.full(len(table), float(table.world.goal_type.timed))
        self.ends = table.successor < 0
        self.following = np.maximum(table.successor, 0)
        self._won = (table.successor == WON).astype(np.float64)

    def step(self, choose: Callable[[NDArray[np.float64]], NDArray[np.float64]]) -> None:
        """Add one step; `choose` reduces the values of all actions, shape (states, 7), to one per state."""
        self.now = choose(np.where(self.ends, self._won, self.now[self.following]))


NO_DISTANCE = -1
"""Entry of `PlaceDistances.array` for positions that are not keys."""

LatticePose = tuple[tuple[int, int], int]


class PlaceDistances(Mapping[LatticePose, int]):
    """Fewest actions to success from ``((x, y), heading)``, with everything but the agent as at the start of the task.

    Cells and headings are given as in `GridState.agent_position` and `GridState.agent_direction`; a lattice cell with
    several cells on the tiling stands for its first cell. Positions at the goal have distance 0. Positions that cannot
    be reached with everything else unchanged, or from which the task can no longer be won, are not keys.
    """

    def __init__(self, array: Ints) -> None:
        self.array = array
        """Read-only distances by row, column and heading; `NO_DISTANCE` for positions that are not keys."""
        self.array.flags.writeable = False
        places = np.argwhere(array != NO_DISTANCE).tolist()
        self._distances: dict[LatticePose, int] = {
            ((x, y), heading): int(array[y, x, heading]) for y, x, heading in places
        }

    @classmethod
    def of(cls, task: TaskSpecification, tiling: str) -> PlaceDistances:
        """Compute the distances of a task on a tiling.

        Raises:
            NotTabulatedError: the task has too many states, or its goal depends on the number of steps.
            UnknownNameError, InvalidTaskError: see `compile_on`.
        """
        # Hiding mechanisms affects only what is shown.
        world = compile_on(tiling, attrs.evolve(task, rules=attrs.evolve(task.rules, hidden_mechanisms=())))
        table = tabulate(world)
        array = np.full((world.topology.cell_count, world.headings), NO_DISTANCE, dtype=np.int64)
        configuration, cells, headings = table.states.poses()
        kept = (configuration == configuration[0]) & ~table.lost
        array[cells[kept], headings[kept]] = table.distance[kept]
        for cell, heading in np.ndindex(array.shape):
            if is_reached(world, world.start.at(cell).facing(heading)):
                array[cell, heading] = 0
        anchors = [cell for _, cell in world.topology.anchors]
        return cls(array[anchors].reshape(world.topology.height, world.topology.width, world.headings))

    def __getitem__(self, place: LatticePose) -> int:
        return self._distances[place]

    def __iter__(self) -> Iterator[LatticePose]:
        return iter(self._distances)

    def __len__(self) -> int:
        return len(self._distances)

    def __repr__(self) -> str:
        height, width, headings = self.array.shape
        return f"<distances from {len(self)} places of {width} x {height} cells with {headings} headings>"
