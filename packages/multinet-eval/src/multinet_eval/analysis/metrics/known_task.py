"""`KnownTask`: a task on a tiling with what the solver knows of it, which all its episodes share."""

from __future__ import annotations

import math
from collections import defaultdict
from functools import cached_property

import numpy as np

from gridworld.model_interface.greedy_model import greedy_action
from gridworld.solver import LOST, WON, NotTabulatedError, StateTable
from gridworld.solver.table_cache import table_of
from gridworld.world.rules import transition
from gridworld.world.state import State, Status
from gridworld.world.world import World
from multinet_eval.settings.defaults import MAX_STATES_OF_METRICS

__all__ = ["MOST_WAYS", "KnownTask"]

MOST_WAYS = 10_000
"""With more beginnings of shortest plans side by side, each a state and the cells on the way to it, they are not told
apart."""

Cells = frozenset[int]


class KnownTask:
    """A compiled task, and what the solver knows of it, found out when it is first asked for.

    Args:
        world: the compiled task.
        max_table_states: of tasks with more states no distances are known.
    """

    def __init__(self, world: World, max_table_states: int = MAX_STATES_OF_METRICS) -> None:
        self.world = world
        self._max_table_states = max_table_states

    @cached_property
    def table(self) -> StateTable | None:
        """All its states; None where there are too many, and for a goal that depends on the number of steps."""
        found = self._table_or_refusal
        return None if isinstance(found, NotTabulatedError) else found

    @cached_property
    def refusal(self) -> NotTabulatedError | None:
        """Why there is no table; None where there is one."""
        found = self._table_or_refusal
        return found if isinstance(found, NotTabulatedError) else None

    @cached_property
    def _table_or_refusal(self) -> StateTable | NotTabulatedError:
        if self.world.goal_type.timed:
            reason = f"its goal '{self.world.goal_type.name}' depends on the number of steps"
            return NotTabulatedError(self.world, reason)
        try:
            return table_of(self.world, self._max_table_states)
        except NotTabulatedError as error:
            return error

    def distance(self, state: State) -> float | None:
        """The fewest actions to success: infinite if there is no way, as after death; None where it is not known."""
        if self.table is None:
            return None
        if state.status != Status.RUNNING:
            return 0.0 if state.status == Status.SUCCEEDED else math.inf
        distance = int(self.table.distance[self.table.number(state)])
        return math.inf if distance == LOST else float(distance)

    @cached_property
    def greedy_succeeds(self) -> bool:
        """Whether the model ``greedy`` reaches the goal within the task's budget."""
        state = self.world.start
        for _ in range(self.world.max_steps):
            state, _ = transition(self.world, state, greedy_action(self.world, state))
            if state.status != Status.RUNNING:
                break
        return state.status == Status.SUCCEEDED

    @cached_property
    def optimal_paths(self) -> tuple[Cells, ...] | None:
        """The cells of each shortest plan, start and end included, as sets, in a fixed order.

        Plans over the same cells, such as those that turn the other way round, are one path. None where distances are
        not known, the task cannot be won, or there are too many ways (`MOST_WAYS`).
        """
        if self.table is None or self.table.lost[0]:
            return None
        ways: dict[int, set[Cells]] = {0: {frozenset([self.world.start.cell])}}
        for _ in range(int(self.table.distance[0])):
            ways = self._next_ways(self.table, ways)
            if sum(map(len, ways.values())) > MOST_WAYS:
                return None
        return tuple(sorted(ways[WON], key=sorted))

    def _next_ways(self, table: StateTable, ways: dict[int, set[Cells]]) -> dict[int, set[Cells]]:
        """One optimal action on: state, or `WON`, to the sets of cells by which shortest plans lead there."""
        following = defaultdict[int, set[Cells]](set)
        for number, paths in ways.items():
            state = table.state(number)
            for action in np.flatnonzero(table.optimal[number]).tolist():
                cell = transition(self.world, state, action)[0].cell
                following[int(table.successor[number, action])].update(path | {cell} for path in paths)
        return following
