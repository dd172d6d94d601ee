"""`StateTable`: all reachable states of a task in arrays, made by asking the kernel once.

States are told apart by `State.key`, with the goal's memory in it, and by what has been discovered where anything is
hidden. Steps, truncation and what fog has shown are left out: they follow from the way to a state. A goal that can only
be reached at the last step of the budget (`GoalType.only_at_last_step`) is tabulated where staying alive until then
suffices; other goals that depend on the number of steps cannot be.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

import attrs
import numpy as np
from numpy.typing import NDArray

from gridworld.actions import Action
from gridworld.errors import GridworldError
from gridworld.solver.distances import success_distances
from gridworld.solver.expansion import DEAD, WON, Expansion
from gridworld.solver.exploration import HOPELESS, Limits, TooManyStates
from gridworld.solver.packed_states import PackedStates
from gridworld.solver.reachable_states import Progress, reach_all
from gridworld.solver.spaces import DiscoveringSpace, StateSpace, require_compiled
from gridworld.world.state import State
from gridworld.world.world import World

__all__ = ["DEAD", "LOST", "WON", "NotTabulatedError", "StateTable", "tabulate"]

LOST = HOPELESS
"""The distance of a state from which no sequence of actions wins."""

DEFAULT_LIMITS = Limits()


class NotTabulatedError(GridworldError):
    """A task has too many states, or its goal depends on the number of steps.

    Args:
        world: the compiled task.
        reason: which of the two, in words.
        limit: the argument that says how many states there may be, as who has called knows it; None where another
            would not help.
    """

    def __init__(self, world: World, reason: str, limit: str | None = None) -> None:
        advice = "" if limit is None else f"; raise {limit}"
        super().__init__(f"the states of the task '{world.task.task_id}' cannot be tabulated: {reason}{advice}")
        self.reason = reason
        self.limit = limit


@attrs.frozen(eq=False, slots=False, repr=False)
class StateTable:
    """All reachable living states of a task, numbered in breadth-first order from 0, the start."""

    world: World
    states: PackedStates
    successor: NDArray[np.int32]
    """(state, action) to the state that it leads to, `WON` or `DEAD`; shape (states, 7)."""
    events: NDArray[np.uint32]
    """(state, action) to the kinds of events of the step (`gridworld.solver.event_kinds`); shape (states, 7)."""
    parent: NDArray[np.int32]
    """State to the one from which it was met first, -1 for the start; shape (states,)."""
    action: NDArray[np.uint8]
    """State to the action that it was met by; shape (states,)."""

    def __len__(self) -> int:
        return len(self.successor)

    def __repr__(self) -> str:
        return f"<StateTable of '{self.world.task.task_id}' on {self.world.topology.name}: {len(self)} states>"

    def number(self, state: State) -> int:
        """The number of a state that has not ended, whatever its number of steps.

        Raises:
            KeyError: it has ended, or cannot be reached from the start of the task.
        """
        return self.states.number(state if self.world.hidden else state._replace(discovered=0))

    def state(self, number: int) -> State:
        """The state with a number; its number of steps is 0.

        Raises:
            IndexError: there is no such state, as for `WON` and `DEAD`.
        """
        return self.states.state(number)

    def path_to(self, number: int) -> tuple[Action, ...]:
        """A shortest sequence of actions from the start to a state; it may be longer than the task's budget.

        Raises:
            IndexError: there is no such state.
        """
        self.states.state(number)
        path = []
        while self.parent[number] >= 0:
            path.append(Action(int(self.action[number])))
            number = int(self.parent[number])
        return tuple(reversed(path))

    def having(self, property_of: Callable[[State], bool]) -> NDArray[np.bool_]:
        """Whether states have a property, which may depend on values and places alone; shape (states,)."""
        return self.states.having(property_of)

    @cached_property
    def depth(self) -> NDArray[np.int64]:
        """The fewest actions that lead from the start to each state; shape (states,)."""
        depth = np.zeros(len(self), dtype=np.int64)
        first, stop, steps = 0, 1, 0
        while first < len(self):  # layer by layer: states are numbered in the order of those that led to them
            depth[first:stop] = steps
            first, stop, steps = stop, int(np.searchsorted(self.parent, stop)), steps + 1
        return depth

    @cached_property
    def distance(self) -> NDArray[np.int64]:
        """The fewest actions to success from each state, or `LOST`; shape (states,).

        For a goal at the last step of the budget: the steps that are left when a state is reached as soon as it can be.
        """
        if not self.world.goal_type.timed:
            return success_distances(self.successor)
        left = self.world.max_steps - self.depth
        return np.where((self.endurance >= left) & (left > 0), left, LOST)

    @cached_property
    def optimal(self) -> NDArray[np.bool_]:
        """Whether each action is the first of a shortest plan; shape (states, 7). None is where a state is lost."""
        following = np.where(self.successor >= 0, self.distance[np.maximum(self.successor, 0)], LOST)
        following = np.where(self.successor == WON, 0, following)
        if self.world.goal_type.timed:
            left = self.world.max_steps - self.depth
            endured = self.endurance_after(np.arange(len(self)))
            following = np.where(endured >= left[:, None] - 1, self.distance[:, None] - 1, LOST)
        optimal: NDArray[np.bool_] = (following == self.distance[:, None] - 1) & ~self.lost[:, None]
        return optimal

    @property
    def lost(self) -> NDArray[np.bool_]:
        """Whether a state can no longer be won; shape (states,)."""
        lost: NDArray[np.bool_] = self.distance == LOST
        return lost

    def endurance_after(self, states: NDArray[np.int64]) -> NDArray[np.int64]:
        """For how many steps one can stay alive after each action in some states, -1 for death; shape (states, 7)."""
        following = self.successor[states]
        return np.where(following >= 0, self.endurance[np.maximum(following, 0)], -1)

    @cached_property
    def endurance(self) -> NDArray[np.int64]:
        """For how many more steps one can stay alive, `LOST` for ever; shape (states,)."""
        endurance = np.full(len(self), LOST, dtype=np.int64)
        doomed = (self.successor == DEAD).all(axis=1)
        steps = 0
        while True:
            newly = doomed & (endurance == LOST)
            if not newly.any():
                return endurance
            endurance[newly] = steps
            steps += 1
            ends = (self.successor == DEAD) | (endurance[np.maximum(self.successor, 0)] != LOST)
            doomed = ends.all(axis=1)


def tabulate(
    world: World,
    limits: Limits = DEFAULT_LIMITS,
    progress: Progress = lambda states: None,
    expand: Callable[[StateSpace], Expansion] = Expansion,
) -> StateTable:
    """Meet all reachable states of a task.

    Args:
        world: the compiled task.
        limits: how many states, and bytes, the table may have.
        progress: is told how many states have been looked at.
        expand: gives the expansion of a space of the task: a new one, or one that searches have used.

    Raises:
        NotTabulatedError: there are more, or the goal depends on the number of steps.
        ArgumentError: the world is no compiled task.
    """
    require_compiled(world)
    goal = world.goal_type
    if goal.timed and not goal.only_at_last_step:
        raise _depends_on_steps(world)
    expansion = expand(DiscoveringSpace(world) if world.hidden else StateSpace(world))
    try:
        graph = reach_all(expansion, world.start, limits, progress)
    except TooManyStates as error:
        raise NotTabulatedError(world, f"more than {error}", f"limits.{error.limit}") from error
    slots = expansion.space.slots
    columns = [slots.index(action) for action in Action]
    layers = _Layers.of(graph.successors)
    table = StateTable(
        world=world,
        states=PackedStates.of(expansion, graph.indices[layers.order]),
        successor=layers.renumbered(graph.successors)[:, columns],
        events=graph.kinds[layers.order][:, columns],
        parent=layers.parent,
        action=np.array(slots, dtype=np.uint8)[layers.slot],
    )
    for array in (table.successor, table.events, table.parent, table.action):
        array.flags.writeable = False  # what is shared is not changed by mistake
    if goal.timed and not all(_is_won_at_the_end(table, number) for number in range(len(table))):
        raise _depends_on_steps(world)
    return table


@attrs.frozen(eq=False)
class _Layers:
    """The states of a graph in breadth-first order from 0: by that of the states that lead to them, and by slots."""

    order: NDArray[np.int64]
    """The new number of a state to the old one; shape (states,)."""
    parent: NDArray[np.int32]
    """New number to that of the state that it was met from, -1 for the first; shape (states,)."""
    slot: NDArray[np.int64]
    """New number to the slot of the action that it was met by; shape (states,)."""

    @classmethod
    def of(cls, successors: NDArray[np.int32]) -> _Layers:
        """Those of a graph in which every state can be reached from 0; shape (states, slots)."""
        states, slots = successors.shape
        order, way = np.zeros(states, dtype=np.int64), np.zeros(states, dtype=np.int64)
        place = np.full(states, -1, dtype=np.int64)
        place[0], way[0] = 0, -slots
        first, stop = 0, 1
        while first < stop:
            following = successors[order[first:stop]].ravel()
            ways = np.flatnonzero(following >= 0)
            ways = ways[place[following[ways]] < 0]
            reached = following[ways]
            place[reached[::-1]] = stop + ways[::-1]  # the first way to a state is written last
            ways = ways[place[reached] == stop + ways]
            reached = following[ways]
            end = stop + len(ways)
            order[stop:end], way[stop:end] = reached, first * slots + ways
            place[reached] = np.arange(stop, end)
            first, stop = stop, end
        return cls(order, (way // slots).astype(np.int32), way % slots)

    def renumbered(self, successors: NDArray[np.int32]) -> NDArray[np.int32]:
        """The same graph by the new numbers."""
        place = np.empty(len(self.order), dtype=np.int32)
        place[self.order] = np.arange(len(self.order))
        following = successors[self.order]
        return np.where(following >= 0, place[np.maximum(following, 0)], following)


def _is_won_at_the_end(table: StateTable, number: int) -> bool:
    world = table.world
    return world.reached(table.state(number)._replace(steps=world.max_steps))


def _depends_on_steps(world: World) -> NotTabulatedError:
    return NotTabulatedError(world, f"its goal '{world.goal_type.name}' depends on the number of steps")
