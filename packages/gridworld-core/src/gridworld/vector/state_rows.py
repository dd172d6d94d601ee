"""`StateRows`: states of some tasks as rows of arrays, which grow."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gridworld.solver.state_table import PackedStates
from gridworld.vector.growing_array import GrowingArray
from gridworld.world.knowledge import met_after, met_follows_from_state
from gridworld.world.state import State, Status
from gridworld.world.world import World

__all__ = ["Setting", "StateRows"]

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
