"""`PaneGrid`: the division of a picture into panes, and the cells in each of them.

Panes are squares of pixels, about as large as lattice cells. The picture of a pane depends on the looks of the cells in
and around it, and on the agent and the held object if they reach into it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import product

import numpy as np
from numpy.typing import NDArray

from gridworld.world.topology import Topology
from gridworld_multigrid.rendering.cell_sprites import CellSprites
from gridworld_multigrid.rendering.layers import ArrowPlace, arrow_place, corner_of, draw_arrow
from gridworld_multigrid.rendering.layout import Box, Layout
from gridworld_multigrid.rendering.palette import Colors
from gridworld_multigrid.rendering.raster import Part, Sums
from gridworld_multigrid.rendering.sprites import ground_of
from gridworld_multigrid.rendering.zones import zones_of

LEAST_SIDE = 8
"""Minimum side of a pane, in pixels."""
Numbers = NDArray[np.intp]


class PaneGrid:
    """The panes of pictures with the same layout.

    Args:
        topology: the tiling.
        layout: the positions of its cells.
        sprites: draws them.
        colors: the colours of the pictures.
    """

    def __init__(self, topology: Topology, layout: Layout, sprites: CellSprites, colors: Colors) -> None:
        self.side = max(LEAST_SIDE, int(layout.spacing))
        """Side of each pane, in pixels."""
        corner = layout.cells[0].box
        self.offset = left, top = -corner.left % self.side, -corner.top % self.side
        """Offset of the picture in the first pane, across and down; chosen so that square cells coincide with panes."""
        self._columns, self._rows = (-(-each // self.side) for each in (left + layout.width, top + layout.height))
        self.count = self._columns * self._rows
        """Number of panes, which are numbered row by row."""
        self._ground = np.zeros((self._rows * self.side, self._columns * self.side, 3), dtype=np.int16)
        """Background not covered by cells, black beyond the picture."""
        self._ground[top : top + layout.height, left : left + layout.width] = ground_of(layout, colors.background)
        self.parts: list[list[tuple[int, Part, Part]]] = [[] for _ in range(self.count)]
        """The cells that cover part of each pane, with that part as rows and columns of the pane and of the box."""
        self.arrows: list[ArrowPlace] = []
        """Place of the arrow on each cell."""
        reached: list[list[int]] = []
        for cell, placed in enumerate(layout.cells):
            share = zones_of(placed.shape, frozenset()).whole
            for pane in self._within(placed.box):
                into, of = self.overlap(pane, placed.box)
                if share[of].any():
                    self.parts[pane].append((cell, into, of))
            self.arrows.append(arrow_place(placed, layout.spacing))
            x, y, length = self.arrows[-1]
            arrow = draw_arrow(0, topology.heading_count, length, colors)
            reached.append(self._within(Box(*corner_of(arrow, x, y), arrow.size, arrow.size)))
        around = [sorted({other for cell, _, _ in parts for other in sprites.around[cell]}) for parts in self.parts]
        touched: list[list[int]] = [[] for _ in layout.cells]
        for pane, cells in enumerate(around):
            for cell in cells:
                touched[cell].append(pane)
        self.around = _table(around, topology.cell_count)
        """Cells in and around each pane, padded with the number of cells; 2-D."""
        self.of_cell = _table(touched, self.count)
        """Panes that depend on each cell, padded with the number of panes; 2-D."""
        self.of_arrow = _table(reached, self.count)
        """Panes that an agent's arrow overlaps, for each cell of the agent, padded with the number of panes; 2-D."""
        self.of_hand = np.array(self._within(layout.hand))
        """Panes covered by the held object's frame."""

    def overlap(self, pane: int, box: Box) -> tuple[Part, Part]:
        """Return the overlap of a pane and a rectangle of the picture, as rows and columns in each of them."""
        left, top = self.corner(pane)
        first_x, last_x = max(left, box.left), min(left + self.side, box.left + box.width)
        first_y, last_y = max(top, box.top), min(top + self.side, box.top + box.height)
        return (
            (slice(first_y - top, last_y - top), slice(first_x - left, last_x - left)),
            (slice(first_y - box.top, last_y - box.top), slice(first_x - box.left, last_x - box.left)),
        )

    def ground(self, pane: int) -> Sums:
        """Return the background of a pane not covered by cells, shape (side, side, 3); must not be modified."""
        row, column = divmod(pane, self._columns)
        left, top = column * self.side, row * self.side
        return self._ground[top : top + self.side, left : left + self.side]

    def corner(self, pane: int) -> tuple[int, int]:
        """Return the top left corner of a pane in the picture, across and down; may be negative."""
        row, column = divmod(pane, self._columns)
        return column * self.side - self.offset[0], row * self.side - self.offset[1]

    def _within(self, box: Box) -> list[int]:
        """Return the panes that a rectangle of pixels overlaps."""
        columns = self._range(box.left + self.offset[0], box.width, self._columns)
        rows = self._range(box.top + self.offset[1], box.height, self._rows)
        return [row * self._columns + column for row, column in product(rows, columns)]

    def _range(self, start: int, length: int, count: int) -> range:
        return range(max(start // self.side, 0), min((start + length - 1) // self.side + 1, count))


def _table(rows: Iterable[Sequence[int]], filling: int) -> Numbers:
    """Stack rows of different lengths into a table, padded to the longest."""
    listed = list(rows)
    table = np.full((len(listed), max(map(len, listed))), filling, dtype=np.intp)
    for row, numbers in zip(table, listed, strict=True):
        row[: len(numbers)] = numbers
    return table
