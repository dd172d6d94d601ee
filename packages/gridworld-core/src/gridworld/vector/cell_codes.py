"""Numeric codes for how cells look, and cells in sight, for a batch of environments."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from gridworld.backends.thing_glyphs import IN_VIEW, LookNumbers
from gridworld.vector.state_rows import Computed, GrowingArray, Setting, StateRows, of_settings
from gridworld.world.knowledge import cells_changed, cells_of_numbered, seen_from
from gridworld.world.looks import CellLook, look_at
from gridworld.world.state import State
from gridworld.world.world import World

See = Callable[[World, State], frozenset[int]]
"""Returns the cells seen in a state."""
UNKNOWN = -1
BYTES_PER_LOOK = 4
Rows = NDArray[np.intp]
Flags = NDArray[np.bool_]


class CellsInSight:
    """Cells seen at each row, computed on first request.

    All are evicted together with the learnt rows, whose memory they may exceed.

    Args:
        rows: the rows of states.
        cells: number of cells of the largest task.
        see: returns the cells seen in a state.
    """

    def __init__(self, rows: StateRows, cells: int, see: See) -> None:
        self._rows, self._see = rows, see
        self._masks = GrowingArray((cells,), np.bool_)
        self._number_of: dict[frozenset[int], int] = {}
        self._of_row = GrowingArray((), np.intp)
        """Mask number of each row, or `UNKNOWN`."""
        self._generation = rows.generation

    def at(self, rows: NDArray[np.intp]) -> NDArray[np.bool_]:
        """Return the cells seen at some rows; shape (rows, cells), bool."""
        if self._generation != self._rows.generation:
            self._of_row.cut(0)
            self._masks.cut(0)
            self._number_of.clear()
            self._generation = self._rows.generation
        self._of_row.extend(np.full(len(self._rows) - len(self._of_row), UNKNOWN))
        of_row = self._of_row.rows
        for row in np.unique(rows[of_row[rows] == UNKNOWN]).tolist():
            of_row[row] = self._number(row)
        seen: NDArray[np.bool_] = self._masks.rows[of_row[rows]]
        return seen

    def _number(self, row: int) -> int:
        seen = self._see(self._rows.world(row), self._rows.state(row))
        number = self._number_of.setdefault(seen, len(self._number_of))
        if number == len(self._masks):
            mask = np.zeros(self._masks.rows.shape[1], dtype=np.bool_)
            mask[list(seen)] = True
            self._masks.extend(mask)
        return number


Encode = Callable[[World, CellLook], Sequence[int]]
"""Encodes a look as integers from 0 to 255."""
Codes = NDArray[np.uint8]


def setting_codes(rows: StateRows, encode: Encode, template: Codes) -> Computed:
    """Return the codes of all cells in each setting; shape (settings, cells, code length), uint8.

    Args:
        rows: the rows of states.
        encode: encodes a look.
        template: codes for cells that a task does not have, shape (cells, code length), with at least as many cells as
            the largest task.
    """
    return of_settings(rows, template.shape, np.uint8, _AllCodes(rows, encode, template).of)


class _AllCodes:
    """Codes of the cells, for all tasks."""

    def __init__(self, rows: StateRows, encode: Encode, template: Codes) -> None:
        self._rows = rows
        self._tables = [_TaskCodes(world, encode, template) for world in rows.worlds]

    def of(self, numbers: NDArray[np.intp]) -> Codes:
        """Return the codes in some settings."""
        settings = (self._rows.settings[number] for number in numbers.tolist())
        return np.array([self._tables[setting.task].of(setting) for setting in settings])


class _TaskCodes:
    """Codes of one task's cells, computed as differences from its start."""

    def __init__(self, world: World, encode: Encode, template: Codes) -> None:
        self._world, self._encode = world, encode
        self._known: dict[CellLook, Sequence[int]] = {}
        self._initial = template.copy()
        self._write(self._initial, range(world.topology.cell_count), Setting(0, world.start, ()))

    def of(self, setting: Setting) -> Codes:
        """Return the codes in a setting."""
        world, codes = self._world, self._initial.copy()
        changed = cells_changed(world, world.start, setting.state)
        if setting.met:
            changed |= cells_of_numbered(world, world.start) | cells_of_numbered(world, setting.state)
        self._write(codes, changed, setting)
        return codes

    def _write(self, codes: Codes, cells: Iterable[int], setting: Setting) -> None:
        for cell in cells:
            look = look_at(self._world, setting.state, cell, setting.met)
            if look not in self._known:
                self._known[look] = self._encode(self._world, look)
            codes[cell] = self._known[look]


class ShownLooks:
    """What each environment shows of its cells, as numbers of `LookNumbers`.

    Tracks the history of each environment: a cell in fog has the number of its last seen look.

    Args:
        rows: the rows of states, made with ``numbered=True``.
        count: number of environments.
        numbers: the numbers of looks.
    """

    def __init__(self, rows: StateRows, count: int, numbers: LookNumbers) -> None:
        self._rows, self._numbers = rows, numbers
        cells = max(world.topology.cell_count for world in rows.worlds)
        self._codes = setting_codes(rows, self._encode, np.zeros((cells, BYTES_PER_LOOK), dtype=np.uint8))
        self._sight = CellsInSight(rows, cells, seen_from)
        modes = [world.task.rules.observability for world in rows.worlds]
        self._whole = all(mode == "full" for mode in modes)
        self._remembers = np.array([mode == "fog_of_war" for mode in modes])
        self._shown = np.zeros((count, cells), dtype="<u4")

    def _encode(self, world: World, look: CellLook) -> Sequence[int]:
        return tuple(self._numbers.in_view(world, look).to_bytes(BYTES_PER_LOOK, "little"))

    def at(self, rows: Rows, begun: Flags | None) -> NDArray[np.uint32]:
        """Return the number of each cell's look, shape (num_envs, cells), uint32; a view, valid until the next call.

        Args:
            rows: the row of each environment; shape (num_envs,).
            begun: environments whose episodes have begun since the last call, shape (num_envs,); None if none have.
        """
        codes = self._codes.values.view("<u4")[..., 0][self._rows.setting[rows]]
        if self._whole:
            return codes
        forgetting = ~self._remembers[self._rows.tasks(rows)]
        self._shown[forgetting if begun is None else forgetting | begun] = 0
        self._shown &= ~np.uint32(IN_VIEW)
        np.copyto(self._shown, codes, where=self._sight.at(rows))
        return self._shown
