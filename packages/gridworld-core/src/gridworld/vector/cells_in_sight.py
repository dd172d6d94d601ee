"""`CellsInSight`: which cells are seen from where copies are."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from gridworld.vector.growing_array import GrowingArray
from gridworld.vector.state_rows import StateRows
from gridworld.world.state import State
from gridworld.world.world import World

__all__ = ["CellsInSight", "See"]

See = Callable[[World, State], frozenset[int]]
"""The cells that are seen in a state."""
UNKNOWN = -1


class CellsInSight:
    """Which cells are seen at rows; of a row it is found out when a copy first gets there.

    All of it is forgotten when rows are: what is seen from those that are learnt may take as much memory as they do.

    Args:
        rows: the rows of states.
        cells: how many cells the largest task has.
        see: what is seen in a state.
    """

    def __init__(self, rows: StateRows, cells: int, see: See) -> None:
        self._rows, self._see = rows, see
        self._masks = GrowingArray((cells,), np.bool_)
        self._number_of: dict[frozenset[int], int] = {}
        self._of_row = GrowingArray((), np.intp)
        """Row to the number of its mask, or `UNKNOWN`."""
        self._generation = rows.generation

    def at(self, rows: NDArray[np.intp]) -> NDArray[np.bool_]:
        """Which cells are seen at some rows; shape (rows, cells)."""
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
