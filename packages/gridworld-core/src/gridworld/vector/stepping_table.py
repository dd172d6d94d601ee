"""`SteppingTable`: what actions lead to in the states of some tasks, as arrays.

The states of a task that can be tabulated are in it from the beginning (`gridworld.solver.state_table`); those of
others are learnt from the kernel as copies get there. Either way nobody but the kernel says what comes of an action.
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
from gridworld.world.rules import ACTS, perform
from gridworld.world.state import State, Status
from gridworld.world.world import World

__all__ = ["DEFAULT_TABULATED", "SteppingTable"]

DEFAULT_TABULATED = 300_000
"""How many states a task may have to be tabulated unless something else is said: seconds, and 200 bytes for each."""

UNKNOWN = -1
"""Stands for what an action leads to while the kernel has not been asked."""
TIMES_KEPT = 4
"""What observers keep is of tabulated and of learnt states, with as much room again for more of them."""
MOST_LEARNT = 1_000_000
"""So many rows may have been learnt; they are then forgotten, but for those where copies are."""


class SteppingTable:
    """What actions lead to in the states of some tasks.

    Args:
        worlds: the compiled tasks, at least one.
        acts: the kernel's acts, in the order of the numbers of their actions.
        numbered: whether rows are told apart by which numbered things have been shown (`Knowledge.met`), as what is
            shown of them is.
        max_states: how many states a task may have to be tabulated; the others' are learnt.
        bytes_of_state: what observers keep of each state, which bounds how many of them are tabulated and learnt.

    Raises:
        ValueError: `max_states` is not a whole number of at least 0.
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
        """How many may be tabulated, and as many learnt, so that what is kept of them fits; None for any number."""
        self.rows = StateRows(worlds, numbered)
        self.refusals: list[tuple[World, str, str | None]] = []
        """Why tasks are not tabulated, as arguments of the error; empty if all are."""
        self.acts = tuple(acts)
        """The kernel's acts, in the order of the numbers of their actions."""
        self._arenas = [without_budget(world) for world in worlds]
        self._timed = any(world.goal_type.timed for world in worlds)
        self._following = GrowingArray((len(self.acts),), np.intp)
        self._status = GrowingArray((), np.uint8)
        self._enduring = GrowingArray((), np.bool_)
        self._paid_from = GrowingArray((), np.intp)
        self._first_reward = np.cumsum([0, *(world.max_steps + 1 for world in worlds)])
        self.start_rows = np.array([self._begin(task, max_states) for task in range(len(worlds))], dtype=np.intp)
        """Task to the row where its episodes begin; shape (tasks,)."""
        self._fill_up()
        self.rows.keep()
        self.budgets = np.array([world.max_steps for world in worlds])
        """Task to its budget of steps; shape (tasks,)."""
        self._reward = np.concatenate([_rewards(world) for world in worlds])

    @property
    def count(self) -> int:
        """How many rows there can be.

        Raises:
            NotTabulatedError: that is not known.
        """
        for refusal in self.refusals:
            raise NotTabulatedError(*refusal)
        return len(self.rows)

    @property
    def complete(self) -> bool:
        """Whether it is known of every row what each action leads to."""
        return not self.refusals

    @property
    def arrays(self) -> StepTable:
        """The arrays for `gridworld.vector.stepping.advance`, as they are now."""
        return StepTable(
            actions=len(self.acts),
            following=self._following.rows.reshape(-1),
            status=self._status.rows,
            enduring=self._enduring.rows if self._timed else None,
            paid_from=self._paid_from.rows,
            reward=self._reward,
        )

    def learn(self, rows: NDArray[np.intp], actions: NDArray[np.intp]) -> None:
        """Ask the kernel what actions lead to at rows, as far as that is not known; both of shape (copies,)."""
        steps = rows * len(self.acts) + actions
        unknown = steps[self._following.rows.reshape(-1)[steps] == UNKNOWN]
        if not unknown.size:
            return
        asked = np.unique(unknown)
        origins, numbers = (each.tolist() for each in np.divmod(asked, len(self.acts)))
        before = [self._at(row) for row in origins]
        targets = [self._target(*moment, number) for moment, number in zip(before, numbers, strict=True)]
        self._fill_up()
        self._following.rows.reshape(-1)[asked] = targets

    def events(self, row: int, left: int, action: int) -> tuple[Event, ...]:
        """What happens when an action is taken at a row where so many steps are left of the budget."""
        task, state, _ = self._at(row)
        world = self.rows.worlds[task]
        return perform(world, state.after(world.max_steps - left), self.acts[action])[1]

    def is_too_large(self) -> bool:
        """Whether more has been learnt than should be kept."""
        most = MOST_LEARNT if self._most_rows is None else min(MOST_LEARNT, self._most_rows)
        return len(self.rows) > self.rows.kept[0] + most

    def forget_but(self, rows: NDArray[np.intp]) -> NDArray[np.intp]:
        """Forget all that has been learnt but for some rows; returns their new numbers, of the same shape."""
        kept, places = np.unique(rows, return_inverse=True)
        moments = [self._at(row) for row in kept.tolist()]
        self.rows.forget()
        for array in (self._following, self._status, self._enduring, self._paid_from):
            array.cut(self.rows.kept[0])
        following = self._following.rows
        following[following >= self.rows.kept[0]] = UNKNOWN
        numbers = [self.rows.row(task, state, met) for task, state, met in moments]
        self._fill_up()
        return np.array(numbers, dtype=np.intp)[places]

    def _begin(self, task: int, max_states: int) -> int:
        """The row of a task's start, with all others of the task if it can be tabulated."""
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
            raise NotTabulatedError(world, "it is played with other actions than the seven")
        if self.rows.are_finer_than_tables(task):
            raise NotTabulatedError(world, "what is shown of them depends on the way to them")
        room = max_states if self._most_rows is None else min(max_states, max(0, self._most_rows - len(self.rows)))
        return table_of(world, room)

    def _at(self, row: int) -> tuple[int, State, tuple[int, ...]]:
        task, _, met = self.rows.settings[self.rows.setting[row]]
        return task, self.rows.state(row), met

    def _target(self, task: int, state: State, met: tuple[int, ...], action: int) -> int:
        now, _ = perform(self._arenas[task], state, self.acts[action])
        return self.rows.row(task, now, met)

    def _fill_up(self) -> None:
        """Give new rows their places in the other arrays."""
        first, status = len(self._status), self.rows.status
        new = np.arange(first, len(status), dtype=np.intp)[:, None]
        self._status.extend(status[first:])
        self._paid_from.extend(self._first_reward[self.rows.tasks(new[:, 0])])
        living = status[first:, None] == Status.RUNNING
        self._following.extend(np.where(living, UNKNOWN, new).repeat(len(self.acts), axis=1))
        self._enduring.extend([self._timed and self._endures(row) for row in new[:, 0].tolist()])

    def _endures(self, row: int) -> bool:
        """Whether the goal is reached by being in a state when the budget of steps runs out."""
        task, state, _ = self._at(row)
        world = self.rows.worlds[task]
        return world.goal_type.only_at_last_step and not state.status and world.reached(state.after(world.max_steps))


def _rewards(world: World) -> NDArray[np.float64]:
    """Steps that are left to the reward of a success; shape (budget of steps + 1,)."""
    reward, most = world.goal_type.reward, world.max_steps
    return np.array([*(reward(most - left, most) for left in range(most)), 0.0])
