"""`PicturesObserver`: the pictures of `CustomMiniGridEnv` for a batch of environments."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray

from gridworld.backends.thing_glyphs import LookNumbers
from gridworld.drawing.paned_pictures import PanedPictures
from gridworld.vector.cell_codes import CellsInSight, ShownLooks
from gridworld.vector.observers import MOST_KEPT, KeptPictures, one_size
from gridworld.vector.state_rows import GrowingArray, StateRows
from gridworld.world import World
from gridworld.world.knowledge import in_sight
from gridworld.world.state import State
from gridworld_minigrid.objects import make_object
from gridworld_minigrid.tiles import Shade, Tile, draw_tile, draw_unseen_tile

HEADING_BITS, LIT = 3, 8
"""Layout of a tile key: the agent's heading plus 1 (0 without agent), a highlight bit, the look's number."""
UNKNOWN = -1
Rows = NDArray[np.intp]
Flags = NDArray[np.bool_]
Pictures = NDArray[np.uint8]


class PicturesObserver(KeptPictures):
    """Observes pictures, redrawing only what changes.

    Args:
        rows: the rows of states.
        count: number of environments.
        tile_size: width of a cell in pixels.
        lit_sizes: cells along a side of the highlighted field of view, by task; None for no highlights.
        copy: whether each observation is a new array.

    Raises:
        ArgumentError: the tasks differ in size, or the pictures need too much memory.
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
        self._lit = None
        if lit_sizes is not None:
            see = partial(_see, dict(zip(rows.worlds, lit_sizes, strict=True)))
            self._lit = CellsInSight(rows, columns * lines, see)
        self._drawn = np.full((count, columns * lines), UNKNOWN)
        """Keys of the tiles currently shown; shape (num_envs, cells)."""
        self._tiles = GrowingArray((tile_size, tile_size, 3), np.uint8)
        self._most_tiles = MOST_KEPT // (3 * tile_size**2)
        self._tile_of = GrowingArray((), np.intp)
        """Tile number by tile key, or `UNKNOWN`."""

    @property
    def pictures(self) -> Pictures:
        """The kept pictures, shape (num_envs, height, width, 3); read-only."""
        return self._pictures.pictures

    def update(self, rows: Rows, begun: Flags | None) -> None:
        """Redraw the pictures where they have changed."""
        wanted = self._looks.at(rows, begun).astype(np.intp) << (HEADING_BITS + 1)
        if self._lit is not None:
            wanted += self._lit.at(rows) * LIT
        wanted[np.arange(len(rows)), self._rows.cell[rows]] += self._rows.heading[rows] + 1
        envs, cells = np.nonzero(wanted != self._drawn)
        self._drawn = wanted
        self._pictures.draw(envs, cells, self._tile_numbers(wanted[envs, cells]), self._tiles.rows)

    def _tile_numbers(self, wanted: Rows) -> Rows:
        """Return tile numbers, drawing the missing tiles; evicts all others if there is no room."""
        most = int(wanted.max(initial=0)) + 1
        self._tile_of.extend(np.full(max(0, most - len(self._tile_of)), UNKNOWN))
        of = self._tile_of.rows
        missing = np.unique(wanted[of[wanted] == UNKNOWN])
        if len(self._tiles) + len(missing) > self._most_tiles:
            self._tiles.cut(0)
            of[:] = UNKNOWN
            missing = np.unique(wanted)
        for each in missing.tolist():
            of[each] = len(self._tiles)
            self._tiles.extend(self._tile(each))
        numbers: Rows = of[wanted]
        return numbers

    def _tile(self, key: int) -> Tile:
        shown, heading = self._numbers.shown(key >> (HEADING_BITS + 1)), key % LIT - 1
        if shown is None:
            return draw_unseen_tile(self._tile_size)
        shade = Shade.REMEMBERED if not shown.in_view else Shade.LIT if key & LIT else Shade.PLAIN
        thing = make_object(shown.world, shown.look)
        return draw_tile(thing, heading if heading >= 0 else None, shade, self._tile_size)


def _see(sizes: dict[World, int], world: World, state: State) -> frozenset[int]:
    return in_sight(world, state, sizes[world])
