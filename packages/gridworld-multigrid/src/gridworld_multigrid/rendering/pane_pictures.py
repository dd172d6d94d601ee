"""`PanePictures`: pictures of many moments of tasks on one tiling, redrawn where something is shown differently."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gridworld.backends.look_numbers import LookNumbers, ShownCell
from gridworld.backends.looks import thing_glyph
from gridworld.drawing.glyphs import Glyph, Rectangle
from gridworld.drawing.paned_pictures import PanedPictures
from gridworld.vector.growing_array import GrowingArray
from gridworld.world.topology import Topology
from gridworld_multigrid.rendering.agent_mark import corner_of, draw_arrow, paint_over
from gridworld_multigrid.rendering.appearance import colored
from gridworld_multigrid.rendering.cell_sprites import CellSprites
from gridworld_multigrid.rendering.layers import Layer, draw_glyph
from gridworld_multigrid.rendering.layout import Box, Layout
from gridworld_multigrid.rendering.palette import HALO, Colors
from gridworld_multigrid.rendering.pane_grid import PaneGrid, overlap
from gridworld_multigrid.rendering.sums import Picture, rounded

__all__ = ["PanePictures"]

HELD, HELD_RIM = 0.8, 0.03
"""The size of what is held and of its rim, as parts of the frame around it."""
MOST_KEPT = 64 << 20
"""The most bytes of panes that are kept; they are then forgotten."""
AT_ONCE = 1024
"""So many panes are drawn together at most."""
EMPTY = 0
"""The number of what an empty hand holds."""
Numbers = NDArray[np.intp]
Codes = NDArray[np.uint32]


class PanePictures:
    """Keeps a picture of each of some copies of tasks.

    Args:
        count: how many copies.
        topology: the tiling.
        layout: where its cells are drawn.
        colors: those of the pictures.
        looks: what the numbers of looks stand for.

    Raises:
        ArgumentError: the pictures would take too much memory.
    """

    def __init__(self, count: int, topology: Topology, layout: Layout, colors: Colors, looks: LookNumbers) -> None:
        self._layout, self._colors, self._looks, self._headings = layout, colors, looks, topology.heading_count
        self._sprites = CellSprites(topology, layout, colors, looks)
        self._grid = grid = PaneGrid(topology, layout, self._sprites, colors)
        self._kept = KeptPanes(grid.side)
        size = layout.width, layout.height
        self._pictures = PanedPictures(count, size, (grid.side, grid.side), grid.offset)
        self._codes: Codes = np.zeros((count, topology.cell_count + 1), dtype=np.uint32)
        self._cells, self._turned, self._held = (np.zeros(count, dtype=np.intp) for _ in range(3))
        self._stale = np.ones((count, len(grid.panes) + 1), dtype=np.bool_)

    @property
    def pictures(self) -> NDArray[np.uint8]:
        """The pictures, shape (copies, height, width, 3): the memory itself, read-only, which `draw` changes."""
        return self._pictures.pictures

    def draw(self, codes: Codes, cells: Numbers, headings: Numbers, held: Numbers) -> None:
        """Bring the pictures up to date.

        Args:
            codes: how each cell of each copy is shown, in numbers of looks; shape (copies, cells).
            cells: where the agents are; shape (copies,).
            headings: where they face; shape (copies,).
            held: the number of the look of a cell with what they hold, `EMPTY` for nothing; shape (copies,).
        """
        self._mark_stale(codes, cells, headings, held)
        self._codes[:, :-1], self._cells, self._turned, self._held = codes, cells, headings, held
        copies, panes = np.nonzero(self._stale[:, :-1])
        for first in range(0, len(copies), AT_ONCE):
            self._redraw(copies[first : first + AT_ONCE], panes[first : first + AT_ONCE])
        self._stale[:] = False

    def _mark_stale(self, codes: Codes, cells: Numbers, headings: Numbers, held: Numbers) -> None:
        stale, grid = self._stale, self._grid
        copy, cell = np.nonzero(codes != self._codes[:, :-1])
        stale[copy[:, None], grid.of_cell[cell]] = True
        moved = np.flatnonzero((cells != self._cells) | (headings != self._turned))
        for here in (self._cells, cells):
            stale[moved[:, None], grid.of_arrow[here[moved]]] = True
        stale[np.flatnonzero(held != self._held)[:, None], grid.of_hand] = True

    def _redraw(self, copies: Numbers, panes: Numbers) -> None:
        keys = self._keys(copies, panes)
        kept = self._kept
        kept.make_room(len(keys))
        numbers = [kept.numbers.get(key, -1) for key in keys]
        for place, number in enumerate(numbers):
            if number < 0:
                numbers[place] = self._numbered(keys[place], int(copies[place]), int(panes[place]))
        self._pictures.draw(copies, panes, np.array(numbers, dtype=np.intp), kept.pixels)

    def _keys(self, copies: Numbers, panes: Numbers) -> list[bytes]:
        """What is equal for panes that look alike."""
        grid = self._grid
        keys = np.empty((len(panes), grid.around.shape[1] + 3), dtype=np.uint32)
        keys[:, 0] = grid.form[panes]
        keys[:, 1] = self._arrow_at(copies, panes)
        keys[:, 2] = self._hand_at(copies, panes)
        keys[:, 3:] = self._codes[copies[:, None], grid.around[panes]]
        listed: list[bytes] = keys.view(f"S{keys.itemsize * keys.shape[1]}")[:, 0].tolist()
        return listed

    def _arrow_at(self, copies: Numbers, panes: Numbers) -> Numbers:
        """A number for what is seen of the agent in panes, 0 for nothing."""
        grid, cells = self._grid, self._cells[copies]
        here, place = np.nonzero(grid.of_arrow[cells] == panes[:, None])
        numbers = np.zeros(len(panes), dtype=np.intp)
        numbers[here] = 1 + grid.arrow[cells[here], place] * self._headings + self._turned[copies[here]]
        return numbers

    def _hand_at(self, copies: Numbers, panes: Numbers) -> Numbers:
        """A number for what is seen of what the agent holds in panes, 0 for nothing."""
        held, grid = self._held[copies], self._grid
        here, place = np.nonzero((panes[:, None] == grid.of_hand) & (held[:, None] != EMPTY))
        numbers = np.zeros(len(panes), dtype=np.intp)
        numbers[here] = 1 + held[here] * len(grid.of_hand) + place
        return numbers

    def _numbered(self, key: bytes, copy: int, number: int) -> int:
        """The number of a pane as it is to look now, drawn unless there is such a one."""
        if key not in self._kept.numbers:
            self._kept.add(key, self._drawn(copy, number))
        return self._kept.numbers[key]

    def _drawn(self, copy: int, number: int) -> Picture:
        """A pane as it is to look now."""
        pane, grid = self._grid.panes[number], self._grid
        around = dict(zip(pane.around, self._codes[copy, list(pane.around)].tolist(), strict=True))
        sums, square = pane.ground.copy(), Box(pane.left, pane.top, grid.side, grid.side)
        for cell in pane.cells:
            into, of = overlap(square, self._layout.cells[cell].box)
            sums[into] += self._sprites.draw(cell, around)[of]
        picture = rounded(sums)
        for place in np.flatnonzero(grid.of_arrow[self._cells[copy]] == number):
            left, top, length = grid.arrow_places[grid.arrow[self._cells[copy], place]]
            arrow = draw_arrow(int(self._turned[copy]), self._headings, length, self._colors)
            paint_over(picture, arrow, left, top)
        if self._held[copy] != EMPTY and number in grid.of_hand:
            self._paint_hand(picture, int(self._held[copy]), pane.left, pane.top)
        return picture

    def _paint_hand(self, picture: Picture, held: int, left: int, top: int) -> None:
        """A frame with what the agent holds, on a pane whose corner is at (left, top)."""
        box, shown = self._layout.hand, self._looks.shown(held)
        assert shown is not None
        x, y = box.left + box.width / 2, box.top + box.height / 2
        for layer in self._hand_layers(shown):
            column, row = corner_of(layer, x, y)
            paint_over(picture, layer, column - left, row - top)

    def _hand_layers(self, shown: ShownCell) -> tuple[Layer, Layer]:
        width = self._layout.hand.width
        glyph = colored(thing_glyph(shown.world, shown.look.things[0]), self._colors)
        return draw_glyph(_hand_frame(self._colors), width), draw_glyph(glyph, HELD * width, HELD_RIM * width, HALO)


class KeptPanes:
    """Panes that have been drawn.

    Args:
        side: of each, in pixels.
    """

    def __init__(self, side: int) -> None:
        self.numbers: dict[bytes, int] = {}
        """What is equal for panes that look alike, to their number."""
        self._pixels = GrowingArray((side, side, 3), np.uint8)
        self._most = MOST_KEPT // (3 * side * side)

    @property
    def pixels(self) -> NDArray[np.uint8]:
        """Their pixels, shape (panes, side, side, 3)."""
        return self._pixels.rows

    def make_room(self, count: int) -> None:
        """Forget them all, unless there is room for so many more."""
        if len(self._pixels) + count > self._most:
            self.numbers.clear()
            self._pixels.cut(0)

    def add(self, key: bytes, picture: Picture) -> None:
        """Keep a pane."""
        self.numbers[key] = len(self._pixels)
        self._pixels.extend(picture)


def _hand_frame(colors: Colors) -> Glyph:
    """The frame around what the agent holds; it stands out from the wall that it lies upon."""
    return Glyph((Rectangle(0, 0, 1, 1, HALO), Rectangle(0.06, 0.06, 0.94, 0.94, colors.floor)))
