"""States of many tasks as rows of growing arrays, and values computed once for each row."""

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
"""Rows for which there is room from the beginning."""


class GrowingArray:
    """Rows of one shape and type; adding one takes constant time on average.

    Args:
        row_shape: the shape of a row.
        dtype: the type of the elements.
    """

    def __init__(self, row_shape: tuple[int, ...], dtype: Any) -> None:
        self._room = np.empty((LEAST_ROOM, *row_shape), dtype=dtype)
        self._count = 0

    def __len__(self) -> int:
        return self._count

    @property
    def rows(self) -> NDArray[Any]:
        """All rows, shape (rows, *row_shape): the memory itself, until the next row is added."""
        return self._room[: self._count]

    def extend(self, rows: ArrayLike) -> None:
        """Add rows, shape (new rows, *row_shape)."""
        added = np.asarray(rows, dtype=self._room.dtype).reshape(-1, *self._room.shape[1:])
        count = self._count + len(added)
        if count > len(self._room):
            larger = np.empty((max(count, 2 * len(self._room)), *self._room.shape[1:]), dtype=self._room.dtype)
            larger[: self._count] = self.rows
            self._room = larger
        self._room[self._count : count] = added
        self._count = count

    def cut(self, count: int) -> None:
        """Remove all rows but the first."""
        self._count = min(count, self._count)


Met = tuple[int, ...]
"""See `Knowledge.met`."""


class Setting(NamedTuple):
    """All that tells the rows of states apart but the agent's pose and whether the episode has ended."""

    task: int
    """The task, by its place among the worlds."""
    state: State
    """A running state with it, at cell 0 and with heading 0; its number of steps is 0 unless the goal depends on it."""
    met: Met
    """Empty where rows are not told apart by it."""


class StateRows:
    """States that have been met, as rows numbered from 0.

    Args:
        worlds: the compiled tasks.
        numbered: whether rows are told apart by which numbered things have been shown (`Knowledge.met`).
    """

    def __init__(self, worlds: Sequence[World], numbered: bool) -> None:
        self.worlds = tuple(worlds)
        self.settings: list[Setting] = []
        """Number of a setting to the setting."""
        self.kept = (0, 0)
        """How many rows, and how many settings, are never forgotten."""
        self.generation = 0
        """Is counted up when the others are forgotten: what has been computed of them is then no longer true."""
        self._met = [_constant_met(world) if numbered else () for world in self.worlds]
        self._counts_steps = [_depends_on_steps(world) for world in self.worlds]
        self._number_of: dict[Setting, int] = {}
        self._row_of: dict[tuple[int, int, int, int], int] = {}
        self._task = GrowingArray((), np.intp)
        self._setting, self._cell, self._heading, self._status = (GrowingArray((), np.intp) for _ in range(4))
        self._new: list[tuple[int, int, int, int]] = []
        """The rows that are in no array yet."""

    def __len__(self) -> int:
        return len(self._cell) + len(self._new)

    def row_counts(self) -> tuple[int, int]:
        """How many rows there are, and how many of them are never forgotten."""
        return len(self), self.kept[0]

    def setting_counts(self) -> tuple[int, int]:
        """The same of settings."""
        return len(self.settings), self.kept[1]

    @property
    def setting(self) -> NDArray[np.intp]:
        """Row to the number of its setting; shape (rows,)."""
        return self._all(self._setting)

    @property
    def cell(self) -> NDArray[np.intp]:
        """Row to the agent's cell; shape (rows,)."""
        return self._all(self._cell)

    @property
    def heading(self) -> NDArray[np.intp]:
        """Row to the agent's heading; shape (rows,)."""
        return self._all(self._heading)

    @property
    def status(self) -> NDArray[np.intp]:
        """Row to one of `Status`; shape (rows,)."""
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
        """The tasks that rows belong to, by their places among the worlds; of the same shape."""
        tasks: NDArray[np.intp] = self._task.rows[self.setting[rows]]
        return tasks

    def world(self, row: int) -> World:
        """The task that a row belongs to."""
        return self.worlds[self.settings[int(self.setting[row])].task]

    def state(self, row: int) -> State:
        """The state of a row; its number of steps is that of its setting."""
        state = self.settings[int(self.setting[row])].state
        return state._replace(cell=int(self.cell[row]), heading=int(self.heading[row]), status=int(self.status[row]))

    def row(self, task: int, state: State, met: Met = ()) -> int:
        """The row of a state, a new one if it has not been met.

        Args:
            task: the task, by its place among the worlds.
            state: the state.
            met: what had been met before.
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
        """Whether there may be several rows for one state of a `StateTable`."""
        return self._met[task] is None

    def add_all(self, task: int, states: PackedStates) -> None:
        """Add all states of a table in their order; none of that task may have been met before."""
        met, first = self._met[task] or (), len(self.settings)
        for state in states.without_poses():
            self._number(Setting(task, state, met))
        configuration, cell, heading = states.poses()
        self._all(self._cell)
        self._extend(configuration + first, cell, heading, np.zeros_like(cell))

    def keep(self) -> None:
        """Never forget what there is now."""
        self.kept = len(self), len(self.settings)

    def forget(self) -> None:
        """Forget all that is not kept."""
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
    """What has been met at every moment of a task; None if that depends on the moment."""
    return met_after(world, world.start, ()) if met_follows_from_state(world) else None


def _depends_on_steps(world: World) -> bool:
    """Whether states with different numbers of steps have to be told apart before the last step."""
    return world.goal_type.timed and not world.goal_type.only_at_last_step


AT_ONCE, BYTES_AT_ONCE = 16_384, 4 << 20
"""So many, and so many bytes of values, are computed together at most, which bounds the memory that it takes meanwhile:
it may be a hundred times as much."""

Counts = Callable[[], tuple[int, int]]
"""How many things there are now, and how many of them stay when rows are forgotten."""
Compute = Callable[[NDArray[np.intp]], NDArray[Any]]
"""Numbers of rows, or of settings, to the value of each; shape (numbers, *shape of a value)."""


class Computed:
    """A value of one shape and type for each of a growing number of things.

    The functions are methods, or of a module: those inside others would be of the original in a copy.

    Args:
        rows: the rows of states that they belong to.
        counts: counts the things.
        shape: that of a value.
        dtype: its type.
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
        """The values of all there are now, shape (things, *shape): the memory itself, until there are more."""
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
    """What is computed of each row."""
    return Computed(rows, rows.row_counts, shape, dtype, compute)


def of_settings(rows: StateRows, shape: tuple[int, ...], dtype: Any, compute: Compute) -> Computed:
    """What is computed of each setting."""
    return Computed(rows, rows.setting_counts, shape, dtype, compute)
