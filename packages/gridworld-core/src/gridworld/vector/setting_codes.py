"""What cells look like, in numbers, for all rows that differ in nothing but the agent's pose."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from gridworld.vector.computed import Computed, of_settings
from gridworld.vector.state_rows import Setting, StateRows
from gridworld.world.knowledge import cells_changed, cells_of_numbered
from gridworld.world.looks import CellLook, look_at
from gridworld.world.world import World

__all__ = ["Encode", "setting_codes"]

Encode = Callable[[World, CellLook], Sequence[int]]
"""The numbers, each 0 to 255, that stand for how a cell looks."""
Codes = NDArray[np.uint8]


def setting_codes(rows: StateRows, encode: Encode, template: Codes) -> Computed:
    """The codes of all cells in each setting; shape (settings, cells, numbers of a code), uint8.

    Args:
        rows: the rows.
        encode: the numbers of a look.
        template: the codes of a task without cells, shape (cells, numbers of a code): as many cells as the largest task
            has, and perhaps some more behind them.
    """
    return of_settings(rows, template.shape, np.uint8, _AllCodes(rows, encode, template).of)


class _AllCodes:
    """The codes of the cells of all tasks."""

    def __init__(self, rows: StateRows, encode: Encode, template: Codes) -> None:
        self._rows = rows
        self._tables = [_TaskCodes(world, encode, template) for world in rows.worlds]

    def of(self, numbers: NDArray[np.intp]) -> Codes:
        """The codes in some settings."""
        settings = (self._rows.settings[number] for number in numbers.tolist())
        return np.array([self._tables[setting.task].of(setting) for setting in settings])


class _TaskCodes:
    """The codes of the cells of one task; those that are not as at its start are computed anew."""

    def __init__(self, world: World, encode: Encode, template: Codes) -> None:
        self._world, self._encode = world, encode
        self._known: dict[CellLook, Sequence[int]] = {}
        self._usual = template.copy()
        self._write(self._usual, range(world.topology.cell_count), Setting(0, world.start, ()))

    def of(self, setting: Setting) -> Codes:
        """The codes in a setting."""
        world, codes = self._world, self._usual.copy()
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
