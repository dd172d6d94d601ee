"""Whether a task can be won as soon without ever touching a thing."""

from __future__ import annotations

import attrs
import numpy as np

from gridworld.actions import Action
from gridworld.solver.search import is_untouched, solve, without
from gridworld.solver.spaces import timeless
from gridworld.solver.state_table import WON, StateTable
from gridworld.world.rules import transition
from gridworld.world.state import Status
from gridworld.world.world import World

__all__ = ["Spared", "spare"]


@attrs.frozen
class Spared:
    """What comes of leaving a thing alone."""

    length: int | None
    """The number of actions of a plan that is no longer than a shortest one; None if none was found."""
    decided: bool
    """Whether that is certain: False if none was found in as many states as were allowed."""

    @property
    def is_necessary(self) -> bool:
        """Whether every plan as short as a shortest one touches the thing."""
        return self.length is None and self.decided


def spare(world: World, entity: int, optimum: int, max_states: int, table: StateTable | None) -> Spared:
    """Look for a plan that leaves an entity's value and place as they are at the start of the task.

    Args:
        world: the compiled task.
        entity: its index.
        optimum: the length of a shortest plan.
        max_states: how many states a search may meet, where there is no table.
        table: of the task, if there is one.
    """
    if table is not None and not world.goal_type.timed:
        return Spared(_length_without(table, entity, optimum), decided=True)
    solution = solve(world, max_states, watch=without(world, entity), max_length=optimum)
    return Spared(solution.length, solution.length is not None or solution.depth > optimum)


def _length_without(table: StateTable, entity: int, most: int) -> int | None:
    """The fewest actions that win without touching an entity, if these are no more than `most`."""
    open_to = table.having(lambda state: is_untouched(table.world, entity, state)).copy()
    frontier = np.zeros(1, dtype=np.int64)
    for steps in range(1, most + 1):
        following = table.successor[frontier]
        winning = frontier[(following == WON).any(axis=1)].tolist()
        if any(_wins_without(table, number, entity) for number in winning):
            return steps
        onward = np.unique(following[following >= 0])
        frontier = onward[open_to[onward]].astype(np.int64)
        open_to[frontier] = False
    return None


def _wins_without(table: StateTable, number: int, entity: int) -> bool:
    """Whether an action wins in a state and leaves an entity as it is at the start."""
    arena, state = timeless(table.world), table.state(number)
    ends = [transition(arena, state, action)[0] for action in Action if table.successor[number, action] == WON]
    return any(end.status == Status.SUCCEEDED and is_untouched(arena, entity, end) for end in ends)
