"""`SteppingTable`: the transitions of a set of tasks as arrays.

Small tasks are tabulated in advance (`gridworld.solver.state_table`). For larger tasks, states are learnt from the
kernel when an environment first reaches them. All transitions come from the kernel.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from gridworld.solver.spaces import without_budget
from gridworld.solver.state_table import NotTabulatedError, StateTable
from gridworld.solver.table_cache import table_of
from gridworld.support.checks import MOST_BYTES, check_int
from gridworld.vector.state_rows import GrowingArray, StateRows
from gridworld.vector.stepping import StepTable
from gridworld.world.acts import Act
from gridworld.world.events import Event
from gridworld.world.rules import ACTS, is_reached, perform
from gridworld.world.state import State, Status
from gridworld.world.world import World

DEFAULT_TABULATED = 300_000
"""Default for the largest number of states of a tabulated task; that many take seconds, and 200 bytes each."""

UNKNOWN = -1
"""Marks a transition that has not yet been requested from the kernel."""
TIMES_KEPT = 4
"""Memory factor: observers store data of tabulated and of learnt states, in arrays up to twice as large as needed."""
MOST_LEARNT = 1_000_000
"""Maximum number of learnt rows; when exceeded, all are evicted except those in use."""


class SteppingTable:
    """Transitions of a set of tasks.

    Args:
        worlds: the compiled tasks, at least one.
        acts: the kernel's acts, by action number.
        numbered: whether rows distinguish which numbered entities have been shown (`Knowledge.met`), as observations
            do.
        max_states: largest number of states of a task that is tabulated, at least 0; larger tasks are learnt.
        bytes_of_state: bytes that observers store per state; limits the number of tabulated and learnt states.
    """

    def __init__(
        self,
        worlds: Sequence[World],
        acts: Iterable[Act] = ACTS.values(),
        numbered: bool = True,
        max_states: int = DEFAULT_TABULATED,
        bytes_of_state: int = 0,
    ) -> None:
        max_states = check_int("max_states", max_states, 0)
        self._most_rows = MOST_BYTES // (TIMES_KEPT * bytes_of_state) if bytes_of_state else None
        """Maximum number of tabulated rows, and of learnt ones, whose observer data fits into memory; None for no
        limit.
        """
        self.rows = StateRows(worlds, numbered)
        self.refusals: list[tuple[World, str, str | None]] = []
        """Reasons why tasks are not tabulated, as arguments of `NotTabulatedError`; empty if all are."""
        self.acts = tuple(acts)
        """The kernel's acts, by action number."""
        self._unbudgeted = [without_budget(world) for world in worlds]
        self._timed = any(world.goal_type.timed for world in worlds)
        self._following = GrowingArray((len(self.acts),), np.intp)
        self._status = GrowingArray((), np.uint8)
        self._enduring = GrowingArray((), np.bool_)
        self._paid_from = GrowingArray((), np.intp)
        self._first_reward = np.cumsum([0, *(world.max_steps + 1 for world in worlds)])
        self.start_rows = np.array([self._begin(task, max_states) for task in range(len(worlds))], dtype=np.intp)
        """Row of each task's start; shape (tasks,)."""
        self._fill_up()
        self.rows.keep()
        self.budgets = np.array([world.max_steps for world in worlds])
        """Step budget of each task; shape (tasks,)."""
        self._reward = np.concatenate([_rewards(world) for world in worlds])

    @property
    def count(self) -> int:
        """Number of rows; raises `NotTabulatedError` unless all tasks are tabulated."""
        for refusal in self.refusals:
            raise NotTabulatedError(*refusal)
        return len(self.rows)

    @property
    def complete(self) -> bool:
        """Whether all transitions are known."""
        return not self.refusals

    @property
    def arrays(self) -> StepTable:
        """The current arrays, for `gridworld.vector.stepping.advance`."""
        return StepTable(
            actions=len(self.acts),
            following=self._following.rows.reshape(-1),
            status=self._status.rows,
            enduring=self._enduring.rows if self._timed else None,
            paid_from=self._paid_from.rows,
            reward=self._reward,
        )

    def learn(self, rows: NDArray[np.intp], actions: NDArray[np.intp]) -> None:
        """Ask the kernel for unknown transitions; `rows` and `actions` have shape (num_envs,)."""
        steps = rows * len(self.acts) + actions
        unknown = steps[self._following.rows.reshape(-1)[steps] == UNKNOWN]
        if not unknown.size:
            return
        asked = np.unique(unknown)
        origins, numbers = (each.tolist() for each in np.divmod(asked, len(self.acts)))
        before = [self._at(row) for row in origins]
        targets = [
            self.rows.row(task, perform(self._unbudgeted[task], state, self.acts[number])[0], met)
            for (task, state, met), number in zip(before, numbers, strict=True)
        ]
        self._fill_up()
        self._following.rows.reshape(-1)[asked] = targets

    def events(self, row: int, left: int, action: int) -> tuple[Event, ...]:
        """Return the events of an action at a row, with `left` steps of the budget remaining."""
        task, state, _ = self._at(row)
        world = self.rows.worlds[task]
        return perform(world, state.after(world.max_steps - left), self.acts[action])[1]

    def is_too_large(self) -> bool:
        """Whether there are more learnt rows than the limit."""
        most = MOST_LEARNT if self._most_rows is None else min(MOST_LEARNT, self._most_rows)
        return len(self.rows) > self.rows.kept[0] + most

    def evict_except(self, rows: NDArray[np.intp]) -> NDArray[np.intp]:
        """Evict all learnt rows except these; return their new numbers, in the shape of `rows`."""
        kept, places = np.unique(rows, return_inverse=True)
        states = [self._at(row) for row in kept.tolist()]
        self.rows.evict()
        for array in (self._following, self._status, self._enduring, self._paid_from):
            array.cut(self.rows.kept[0])
        following = self._following.rows
        following[following >= self.rows.kept[0]] = UNKNOWN
        numbers = [self.rows.row(task, state, met) for task, state, met in states]
        self._fill_up()
        return np.array(numbers, dtype=np.intp)[places]

    def _begin(self, task: int, max_states: int) -> int:
        """Add the row of a task's start, and all its other rows if it can be tabulated."""
        world = self.rows.worlds[task]
        try:
            table = self._table(task, max_states)
        except NotTabulatedError as error:
            self.refusals.append((world, error.reason, error.limit))
            return self.rows.row(task, world.start)
        first = len(self.rows)
        self.rows.add_all(task, table.states)
        self._fill_up()
        following = self._following.rows[first:]
        following[:] = np.where(table.successor >= 0, table.successor + first, UNKNOWN)
        ended, actions = np.nonzero(following == UNKNOWN)
        self.learn(ended + first, actions)
        return first

    def _table(self, task: int, max_states: int) -> StateTable:
        world = self.rows.worlds[task]
        if self.acts != tuple(ACTS.values()):
            raise NotTabulatedError(world, "its actions are not the standard seven")
        if self.rows.are_finer_than_tables(task):
            raise NotTabulatedError(world, "their observations depend on how they were reached")
        room = max_states if self._most_rows is None else min(max_states, max(0, self._most_rows - len(self.rows)))
        return table_of(world, room)

    def _at(self, row: int) -> tuple[int, State, tuple[int, ...]]:
        task, _, met = self.rows.settings[self.rows.setting[row]]
        return task, self.rows.state(row), met

    def _fill_up(self) -> None:
        """Extend the other arrays to cover new rows."""
        first, status = len(self._status), self.rows.status
        new = np.arange(first, len(status), dtype=np.intp)[:, None]
        self._status.extend(status[first:])
        self._paid_from.extend(self._first_reward[self.rows.tasks(new[:, 0])])
        living = status[first:, None] == Status.RUNNING
        self._following.extend(np.where(living, UNKNOWN, new).repeat(len(self.acts), axis=1))
        self._enduring.extend([self._timed and self._endures(row) for row in new[:, 0].tolist()])

    def _endures(self, row: int) -> bool:
        """Whether the state of a row counts as success when the step budget runs out."""
        task, state, _ = self._at(row)
        world = self.rows.worlds[task]
        if state.status or not world.goal_type.only_at_last_step:
            return False
        return is_reached(world, state.after(world.max_steps))


def _rewards(world: World) -> NDArray[np.float64]:
    """Return the reward of a success by the number of remaining steps; shape (step budget + 1,)."""
    reward, most = world.goal_type.reward, world.max_steps
    return np.array([*(reward(most - left, most) for left in range(most)), 0.0])
