"""States of many tasks as rows of growing arrays, with values computed once per row."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gridworld.solver.state_table import PackedStates
from gridworld.world.knowledge import met_after, met_follows_from_state
from gridworld.world.state import State, Status
from gridworld.world.world import World

LEAST_ROOM = 64
"""Initial capacity in rows."""


class GrowingArray:
    """An array that can be extended, in amortized constant time per row.

    Args:
        row_shape: the shape of a row.
        dtype: the element type.
    """

    def __init__(self, row_shape: tuple[int, ...], dtype: Any) -> None:
        self._room = np.empty((LEAST_ROOM, *row_shape), dtype=dtype)
        self._count = 0

    def __len__(self) -> int:
        return self._count

    @property
    def rows(self) -> NDArray[Any]:
        """All rows, shape (rows, *row_shape); a view, valid until the next row is added."""
        return self._room[: self._count]

    def extend(self, rows: ArrayLike) -> None:
        """Append rows, shape (new rows, *row_shape)."""
        added = np.asarray(rows, dtype=self._room.dtype).reshape(-1, *self._room.shape[1:])
        count = self._count + len(added)
        if count > len(self._room):
            larger = np.empty((max(count, 2 * len(self._room)), *self._room.shape[1:]), dtype=self._room.dtype)
            larger[: self._count] = self.rows
            self._room = larger
        self._room[self._count : count] = added
        self._count = count

    def cut(self, count: int) -> None:
        """Keep at most the first `count` rows."""
        self._count = min(count, self._count)


Met = tuple[int, ...]
"""Numbered entities in the order in which they were first seen (`Knowledge.met`)."""


class Setting(NamedTuple):
    """The part of a state that rows with a different pose or episode end can share."""

    task: int
    """Index of the task."""
    state: State
    """The running state at cell 0 with heading 0; its step count is 0 unless the goal depends on it."""
    met: Met
    """`Knowledge.met`; empty if rows do not depend on it."""


class StateRows:
    """States reached so far, as rows numbered from 0.

    Args:
        worlds: the compiled tasks.
        numbered: whether rows distinguish which numbered entities have been shown (`Knowledge.met`).
    """

    def __init__(self, worlds: Sequence[World], numbered: bool) -> None:
        self.worlds = tuple(worlds)
        self.settings: list[Setting] = []
        """Settings by number."""
        self.kept = (0, 0)
        """Number of rows and settings that are never evicted."""
        self.generation = 0
        """Number of evictions, each of which invalidates all values computed for evicted rows."""
        self._met = [() if not numbered else _constant_met(world) for world in self.worlds]
        goals = [world.goal_type for world in self.worlds]
        self._counts_steps = [goal.timed and not goal.only_at_last_step for goal in goals]
        """Whether the goal of each task depends on the step count before the last step."""
        self._number_of: dict[Setting, int] = {}
        self._row_of: dict[tuple[int, int, int, int], int] = {}
        self._task = GrowingArray((), np.intp)
        self._setting, self._cell, self._heading, self._status = (GrowingArray((), np.intp) for _ in range(4))
        self._new: list[tuple[int, int, int, int]] = []
        """Rows not yet in the arrays."""

    def __len__(self) -> int:
        return len(self._cell) + len(self._new)

    def row_counts(self) -> tuple[int, int]:
        """Return the number of rows, and how many of them are never evicted."""
        return len(self), self.kept[0]

    def setting_counts(self) -> tuple[int, int]:
        """Return the number of settings, and how many of them are never evicted."""
        return len(self.settings), self.kept[1]

    @property
    def setting(self) -> NDArray[np.intp]:
        """Setting number of each row; shape (rows,)."""
        return self._all(self._setting)

    @property
    def cell(self) -> NDArray[np.intp]:
        """The agent's cell in each row; shape (rows,)."""
        return self._all(self._cell)

    @property
    def heading(self) -> NDArray[np.intp]:
        """The agent's heading in each row; shape (rows,)."""
        return self._all(self._heading)

    @property
    def status(self) -> NDArray[np.intp]:
        """`Status` of each row; shape (rows,)."""
        return self._all(self._status)

    def _all(self, array: GrowingArray) -> NDArray[np.intp]:
        if self._new:
            self._extend(*np.array(self._new, dtype=np.intp).T)
            self._new.clear()
        return array.rows

    def _extend(self, *columns: NDArray[np.intp]) -> None:
        for array, column in zip((self._setting, self._cell, self._heading, self._status), columns, strict=True):
            array.extend(column)

    def tasks(self, rows: NDArray[np.intp]) -> NDArray[np.intp]:
        """Return the task index of each of the given rows."""
        tasks: NDArray[np.intp] = self._task.rows[self.setting[rows]]
        return tasks

    def world(self, row: int) -> World:
        """Return the world of a row."""
        return self.worlds[self.settings[int(self.setting[row])].task]

    def state(self, row: int) -> State:
        """Return the state of a row, with the step count of its setting."""
        state = self.settings[int(self.setting[row])].state
        return state._replace(cell=int(self.cell[row]), heading=int(self.heading[row]), status=int(self.status[row]))

    def row(self, task: int, state: State, met: Met = ()) -> int:
        """Return the row of a state, adding it if necessary.

        Args:
            task: index of the task.
            state: the state.
            met: `Knowledge.met` before it.
        """
        cell, heading, carried, values, places, memory, steps, status, discovered = state
        steps, constant = steps if self._counts_steps[task] else 0, self._met[task]
        setting = Setting(
            task,
            State(0, 0, carried, values, places, memory, steps, Status.RUNNING, discovered),
            met_after(self.worlds[task], state, met) if constant is None else constant,
        )
        key = self._number(setting), cell, heading, status
        row = self._row_of.get(key)
        if row is None:
            row = self._row_of[key] = len(self)
            self._new.append(key)
        return row

    def _number(self, setting: Setting) -> int:
        number = self._number_of.get(setting)
        if number is None:
            number = self._number_of[setting] = len(self.settings)
            self.settings.append(setting)
            self._task.extend(setting.task)
        return number

    def are_finer_than_tables(self, task: int) -> bool:
        """Whether a state of a `StateTable` may have several rows."""
        return self._met[task] is None

    def add_all(self, task: int, states: PackedStates) -> None:
        """Add all states of a table in order; the task must not have rows yet."""
        met, first = self._met[task] or (), len(self.settings)
        for state in states.without_poses():
            self._number(Setting(task, state, met))
        configuration, cell, heading = states.poses()
        self._all(self._cell)
        self._extend(configuration + first, cell, heading, np.zeros_like(cell))

    def keep(self) -> None:
        """Exempt the current rows from eviction."""
        self.kept = len(self), len(self.settings)

    def evict(self) -> None:
        """Evict all rows that are not exempt."""
        rows, settings = self.kept
        for array in (self._setting, self._cell, self._heading, self._status):
            array.cut(rows)
        self._task.cut(settings)
        del self.settings[settings:]
        self._new.clear()
        self._number_of = {setting: number for setting, number in self._number_of.items() if number < settings}
        self._row_of = {key: row for key, row in self._row_of.items() if row < rows}
        self.generation += 1


def _constant_met(world: World) -> Met | None:
    """Return `Knowledge.met` if it is constant in a task, otherwise None."""
    return met_after(world, world.start, ()) if met_follows_from_state(world) else None


AT_ONCE, BYTES_AT_ONCE = 16_384, 4 << 20
"""Maximum number of values, and of their bytes, computed at once; computing may take 100 times the memory."""

Counts = Callable[[], tuple[int, int]]
"""Returns the number of rows or settings, and how many of them are never evicted."""
Compute = Callable[[NDArray[np.intp]], NDArray[Any]]
"""Computes the values of rows or settings from their numbers; shape (numbers, *shape of a value)."""


class Computed:
    """Values computed once for each row or setting, all of the same shape and dtype.

    Pass methods or module functions: in a deep copy, a closure would still belong to the original.

    Args:
        rows: the rows of states.
        counts: counts the rows or settings.
        shape: shape of a value.
        dtype: dtype of a value.
        compute: computes values.
    """

    def __init__(
        self,
        rows: StateRows,
        counts: Counts,
        shape: tuple[int, ...],
        dtype: Any,
        compute: Compute,
    ) -> None:
        self._rows, self._counts, self._compute = rows, counts, compute
        self._values = GrowingArray(shape, dtype)
        self._at_once = max(1, min(AT_ONCE, BYTES_AT_ONCE // (prod(shape) * np.dtype(dtype).itemsize)))
        self._generation = rows.generation

    @property
    def values(self) -> NDArray[Any]:
        """All values so far, shape (rows or settings, *shape); a view, valid until more are added."""
        stop, kept = self._counts()
        if self._generation != self._rows.generation:
            self._values.cut(kept)
            self._generation = self._rows.generation
        first = len(self._values)
        while first < stop:
            self._values.extend(self._compute(np.arange(first, min(first + self._at_once, stop))))
            first = len(self._values)
        return self._values.rows


def of_rows(rows: StateRows, shape: tuple[int, ...], dtype: Any, compute: Compute) -> Computed:
    """Make a `Computed` with one value per row."""
    return Computed(rows, rows.row_counts, shape, dtype, compute)


def of_settings(rows: StateRows, shape: tuple[int, ...], dtype: Any, compute: Compute) -> Computed:
    """Make a `Computed` with one value per setting."""
    return Computed(rows, rows.setting_counts, shape, dtype, compute)
