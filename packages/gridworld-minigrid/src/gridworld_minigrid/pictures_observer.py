"""`PicturesObserver`: what `CustomMiniGridEnv` renders, of many copies of tasks at once."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray

from gridworld.backends.looks import LookNumbers
from gridworld.drawing.paned_pictures import PanedPictures
from gridworld.vector.cell_codes import CellsInSight, ShownLooks
from gridworld.vector.observers import MOST_KEPT, KeptPictures, one_size
from gridworld.vector.state_rows import GrowingArray, StateRows
from gridworld.world import World
from gridworld.world.square import cone
from gridworld.world.state import State
from gridworld_minigrid.objects import make_object
from gridworld_minigrid.tiles import Shade, Tile, draw_tile, draw_unseen_tile

__all__ = ["PicturesObserver"]

HEADING_BITS, LIT = 3, 8
"""Of what tells tiles apart: the heading of an agent plus 1, 0 for no agent; whether the cell is highlighted; the rest
is the number of its look."""
UNKNOWN = -1
Rows = NDArray[np.intp]
Flags = NDArray[np.bool_]
Pictures = NDArray[np.uint8]


class PicturesObserver(KeptPictures):
    """The pictures of many copies, each redrawn where it is shown differently.

    Args:
        rows: the rows of states.
        count: how many copies.
        tile_size: the width of a cell in pixels.
        lit_sizes: task to the cells along a side of the field of view that is highlighted; None for no highlights.
        copy: whether each observation is an array of its own; otherwise one array is brought up to date.

    Raises:
        ArgumentError: the tasks are not of one size, or the pictures would take too much memory.
    """

    def __init__(
        self, rows: StateRows, count: int, tile_size: int, lit_sizes: Sequence[int] | None, copy: bool
    ) -> None:
        super().__init__(copy)
        columns, lines = one_size(rows.worlds)
        self._rows, self._numbers = rows, LookNumbers()
        self._tile_size = tile_size
        self._pictures = PanedPictures(count, (columns * tile_size, lines * tile_size), (tile_size, tile_size))
        self._looks = ShownLooks(rows, count, self._numbers)
        self._lit = None if lit_sizes is None else _field_of_view(rows, lit_sizes)
        self._drawn = np.full((count, columns * lines), UNKNOWN)
        """What tells apart the tiles that are shown; shape (copies, cells)."""
        self._tiles = GrowingArray((tile_size, tile_size, 3), np.uint8)
        self._most_tiles = MOST_KEPT // (3 * tile_size**2)
        self._tile_of = GrowingArray((), np.intp)
        """What tells tiles apart to the number of a tile, or `UNKNOWN`."""

    @property
    def pictures(self) -> Pictures:
        """Those that are kept, shape (copies, height, width, 3); read-only."""
        return self._pictures.pictures

    def update(self, rows: Rows, begun: Flags | None) -> None:
        """Redraw what is shown differently."""
        wanted = self._looks.at(rows, begun).astype(np.intp) << (HEADING_BITS + 1)
        if self._lit is not None:
            wanted += self._lit.at(rows) * LIT
        wanted[np.arange(len(rows)), self._rows.cell[rows]] += self._rows.heading[rows] + 1
        copies, cells = np.nonzero(wanted != self._drawn)
        self._drawn = wanted
        self._pictures.draw(copies, cells, self._tile_numbers(wanted[copies, cells]), self._tiles.rows)

    def _tile_numbers(self, wanted: Rows) -> Rows:
        """The numbers of tiles; those that have not been drawn are, in place of all if there is no room for them."""
        most = int(wanted.max(initial=0)) + 1
        self._tile_of.extend(np.full(max(0, most - len(self._tile_of)), UNKNOWN))
        of = self._tile_of.rows
        lacking = np.unique(wanted[of[wanted] == UNKNOWN])
        if len(self._tiles) + len(lacking) > self._most_tiles:
            self._tiles.cut(0)
            of[:] = UNKNOWN
            lacking = np.unique(wanted)
        for each in lacking.tolist():
            of[each] = len(self._tiles)
            self._tiles.extend(self._tile(each))
        numbers: Rows = of[wanted]
        return numbers

    def _tile(self, told: int) -> Tile:
        shown, heading = self._numbers.shown(told >> (HEADING_BITS + 1)), told % LIT - 1
        if shown is None:
            return draw_unseen_tile(self._tile_size)
        shade = Shade.REMEMBERED if not shown.in_view else Shade.LIT if told & LIT else Shade.PLAIN
        thing = make_object(shown.world, shown.look)
        return draw_tile(thing, heading if heading >= 0 else None, shade, self._tile_size)


def _field_of_view(rows: StateRows, sizes: Sequence[int]) -> CellsInSight:
    see = partial(_see, dict(zip(rows.worlds, sizes, strict=True)))
    return CellsInSight(rows, rows.worlds[0].topology.cell_count, see)


def _see(sizes: dict[World, int], world: World, state: State) -> frozenset[int]:
    topology = world.topology
    view = cone(topology.width, topology.height, state.cell, state.heading, sizes[world])
    return view.seen(world.opaque_cells(state))
