"""`ShownLooks`: how the cells of many copies are shown, in numbers."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from gridworld.backends.looks import IN_VIEW, LookNumbers
from gridworld.vector.cells_in_sight import CellsInSight
from gridworld.vector.setting_codes import setting_codes
from gridworld.vector.state_rows import StateRows
from gridworld.world.knowledge import seen_from
from gridworld.world.looks import CellLook
from gridworld.world.world import World

__all__ = ["ShownLooks"]

BYTES = 4
"""Of a number."""
Rows = NDArray[np.intp]
Flags = NDArray[np.bool_]


class ShownLooks:
    """How the cells of many copies are shown, as far as they may be, in the numbers of `LookNumbers`.

    What each copy has been shown is kept: out of view, a cell in fog has the number with which it was seen last.

    Args:
        rows: the rows of states, which are told apart by which numbered things have been shown.
        count: how many copies.
        numbers: the numbers of looks.
    """

    def __init__(self, rows: StateRows, count: int, numbers: LookNumbers) -> None:
        self._rows, self._numbers = rows, numbers
        cells = max(world.topology.cell_count for world in rows.worlds)
        self._codes = setting_codes(rows, self._encode, np.zeros((cells, BYTES), dtype=np.uint8))
        self._sight = CellsInSight(rows, cells, seen_from)
        modes = [world.task.rules.observability for world in rows.worlds]
        self._whole = all(mode == "full" for mode in modes)
        self._remembers = np.array([mode == "fog_of_war" for mode in modes])
        self._shown = np.zeros((count, cells), dtype="<u4")

    def _encode(self, world: World, look: CellLook) -> Sequence[int]:
        return tuple(self._numbers.in_view(world, look).to_bytes(BYTES, "little"))

    def at(self, rows: Rows, begun: Flags | None) -> NDArray[np.uint32]:
        """The number of each cell of each copy, shape (copies, cells), uint32: the memory itself, until the next call.

        Args:
            rows: where the copies are; shape (copies,).
            begun: whose episodes have begun since, shape (copies,); None for none.
        """
        codes = self._codes.values.view("<u4")[..., 0][self._rows.setting[rows]]
        if self._whole:
            return codes
        forgetting = ~self._remembers[self._rows.tasks(rows)]
        self._shown[forgetting if begun is None else forgetting | begun] = 0
        self._shown &= ~np.uint32(IN_VIEW)
        np.copyto(self._shown, codes, where=self._sight.at(rows))
        return self._shown
