"""`PaneGrid`: the division of a picture into panes, and the cells in each of them.

Panes are squares of pixels, about as large as lattice cells. The picture of a pane depends on the looks of the cells in
and around it, and on the agent and its hand if they reach into it; if these are equal, panes of the same form look
alike.
"""

from __future__ import annotations

from array import array
from collections.abc import Hashable, Iterable, Sequence
from hashlib import blake2b
from itertools import product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gridworld.backends.looks import NOT_SHOWN
from gridworld.support.caches import BoundedCache
from gridworld.world.topology import Topology
from gridworld_multigrid.rendering.cell_sprites import CellSprites
from gridworld_multigrid.rendering.layers import arrow_length, corner_of, draw_arrow
from gridworld_multigrid.rendering.layout import Box, Layout
from gridworld_multigrid.rendering.palette import Colors
from gridworld_multigrid.rendering.raster import WHOLE, Sums
from gridworld_multigrid.rendering.zones import zones_of

LEAST_SIDE = 8
"""Minimum side of a pane, in pixels."""
BYTES_PER_PART = 480
"""Memory of a `Part` in bytes."""
NOTHING_SEEN = 0
"""Number for the absence of an agent and its hand."""
Numbers = NDArray[np.intp]


class Part(NamedTuple):
    """The part of a pane covered by one cell."""

    cell: int
    into: tuple[slice, slice]
    """Rows and columns in the pane."""
    of: tuple[slice, slice]
    """Rows and columns in the cell's box."""


class PaneGrid:
    """The panes of pictures with the same layout.

    Args:
        topology: the tiling.
        layout: the positions of its cells.
        sprites: draws them.
        colors: the colours of the pictures.
    """

    def __init__(self, topology: Topology, layout: Layout, sprites: CellSprites, colors: Colors) -> None:
        self._layout, self._sprites = layout, sprites
        self.side = max(LEAST_SIDE, int(layout.spacing))
        """Side of each pane, in pixels."""
        corner = layout.cells[0].box
        self.offset = -corner.left % self.side, -corner.top % self.side
        """Offset of the picture in the first pane, across and down; chosen so that square cells coincide with panes."""
        self._columns, self._rows = (
            -(-(before + length) // self.side)
            for before, length in zip(self.offset, (layout.width, layout.height), strict=True)
        )
        self.count = self._columns * self._rows
        """Number of panes, which are numbered row by row."""
        self._inside: list[array[int]] = [array("i") for _ in range(self.count)]
        """Cells that cover part of each pane."""
        self._ground = self._cut_up(colors)
        """Background not covered by cells, shape (rows of panes * side, columns of panes * side, 3)."""
        self._parts: BoundedCache[int, tuple[Part, ...]] = BoundedCache()
        nowhere = topology.cell_count
        around: list[array[int]] = []
        touched: list[array[int]] = [array("i") for _ in range(nowhere)]
        forms: dict[bytes, int] = {}
        self.form = np.zeros(self.count, dtype=np.intp)
        """Number of each pane's form."""
        for number in range(self.count):
            inside = self._inside[number]
            around.append(array("i", sorted({other for cell in inside for other in sprites.around[cell]})))
            for cell in around[-1]:
                touched[cell].append(number)
            form = blake2b(repr(self._form(number, around[-1])).encode()).digest()
            self.form[number] = forms.setdefault(form, len(forms))
        self.around = _table(around, nowhere)
        """Cells in and around each pane, padded with the number of cells; 2-D."""
        self.of_cell = _table(touched, self.count)
        """Panes that depend on each cell, padded with the number of panes; 2-D."""
        self.of_hand = tuple(self._within(layout.hand))
        """Panes covered by the held object's frame."""
        self._place_arrows(topology, colors)

    def _cut_up(self, colors: Colors) -> Sums:
        """Find the cells in each pane; return the background not covered by cells, black beyond the picture."""
        ground = np.zeros((self._rows * self.side, self._columns * self.side), dtype=np.int16)
        (left, top), layout = self.offset, self._layout
        free = ground[top : top + layout.height, left : left + layout.width]
        free[:] = WHOLE
        for cell, placed in enumerate(layout.cells):
            share = zones_of(placed.shape, frozenset()).whole.astype(np.int16)
            free[placed.box.slices] -= share
            for number in self._within(placed.box):
                _, of = _overlap(Box(*self.corner(number), self.side, self.side), placed.box)
                if share[of].any():
                    self._inside[number].append(cell)
        return ground[..., np.newaxis] * np.array(colors.background, dtype=np.int16)

    def parts(self, number: int) -> tuple[Part, ...]:
        """Return the parts of a pane that cells cover."""
        parts = self._parts.get(number)
        if parts is None:
            square = Box(*self.corner(number), self.side, self.side)
            parts = tuple(Part(cell, *_overlap(square, self._layout.box(cell))) for cell in self._inside[number])
            self._parts.put(number, parts, BYTES_PER_PART * len(parts))
        return parts

    def ground(self, number: int) -> Sums:
        """Return the background of a pane not covered by cells, shape (side, side, 3); must not be modified."""
        row, column = divmod(number, self._columns)
        left, top = column * self.side, row * self.side
        return self._ground[top : top + self.side, left : left + self.side]

    def corner(self, number: int) -> tuple[int, int]:
        """Return the top left corner of a pane in the picture, across and down; may be negative."""
        row, column = divmod(number, self._columns)
        return column * self.side - self.offset[0], row * self.side - self.offset[1]

    def _place_arrows(self, topology: Topology, colors: Colors) -> None:
        """Find the panes that agents' arrows overlap."""
        self._headings = topology.heading_count
        places: dict[tuple[int, int, float], int] = {}
        reached: list[array[int]] = []
        numbers: list[array[int]] = []
        for placed in self._layout.cells:
            x, y = placed.box.left + placed.shape.centre[0], placed.box.top + placed.shape.centre[1]
            length = arrow_length(placed.shape.inner_radius, self._layout.spacing)
            arrow = draw_arrow(0, topology.heading_count, length, colors)
            left, top = corner_of(arrow, x, y)
            reached.append(array("i", self._within(Box(left, top, arrow.size, arrow.size))))
            relative = [(left - x, top - y, length) for x, y in map(self.corner, reached[-1])]
            numbers.append(array("i", [places.setdefault(place, len(places)) for place in relative]))
        self.of_arrow = _table(reached, self.count)
        """Panes that an agent's arrow overlaps, for each cell of the agent, padded with the number of panes; 2-D."""
        self._arrow_numbers = _table(numbers, 0)
        self._arrow_places = tuple(places)

    def arrows(self, cells: Numbers, headings: Numbers) -> Numbers:
        """Number the arrow parts in the panes `of_arrow` of their cells; never `NOTHING_SEEN`.

        Args:
            cells: the agents' cells; shape (agents,).
            headings: their headings; shape (agents,).

        Returns:
            Shape (agents, maximum number of panes of an arrow).
        """
        numbers: Numbers = 1 + self._arrow_numbers[cells] * self._headings + headings[:, None]
        return numbers

    def arrow_of(self, number: int) -> tuple[int, int, float, int]:
        """Return the arrow with a number: its corner in the pane, across and down, its length, and the heading."""
        place, heading = divmod(number - 1, self._headings)
        return (*self._arrow_places[place], heading)

    def hands(self, held: Numbers) -> Numbers:
        """Number the parts of hands in the panes `of_hand`; `NOTHING_SEEN` for empty hands.

        Args:
            held: numbers of the looks of held objects, `NOT_SHOWN` for none; shape (agents,).

        Returns:
            Shape (agents, panes of a hand).
        """
        places = 1 + np.arange(len(self.of_hand))
        return np.where(held[:, None] == NOT_SHOWN, NOTHING_SEEN, held[:, None] * len(places) + places)

    def held_in(self, number: int) -> int:
        """Return the number of the held object's look, given a hand's number."""
        return (number - 1) // len(self.of_hand)

    def _form(self, number: int, around: Sequence[int]) -> Hashable:
        """Return the key of a pane's form; `around` lists the cells around it, ascending."""
        places = {cell: place for place, cell in enumerate(around)}
        left, top = self.corner(number)
        cells = tuple(
            (places[cell], box.left - left, box.top - top, self._sprites.form(cell, places))
            for cell in self._inside[number]
            for box in [self._layout.box(cell)]
        )
        return cells, self.ground(number).tobytes()

    def _within(self, box: Box) -> list[int]:
        """Return the panes that a rectangle of pixels overlaps."""
        columns = self._range(box.left + self.offset[0], box.width, self._columns)
        rows = self._range(box.top + self.offset[1], box.height, self._rows)
        return [row * self._columns + column for row, column in product(rows, columns)]

    def _range(self, start: int, length: int, count: int) -> range:
        return range(max(start // self.side, 0), min((start + length - 1) // self.side + 1, count))


def _overlap(one: Box, other: Box) -> tuple[tuple[slice, slice], tuple[slice, slice]]:
    """Return the overlap of two rectangles, as rows and columns in each of them."""
    left, right = max(one.left, other.left), min(one.left + one.width, other.left + other.width)
    top, bottom = max(one.top, other.top), min(one.top + one.height, other.top + other.height)
    return (
        (slice(top - one.top, bottom - one.top), slice(left - one.left, right - one.left)),
        (slice(top - other.top, bottom - other.top), slice(left - other.left, right - other.left)),
    )


def _table(rows: Iterable[Sequence[int]], filling: int) -> Numbers:
    """Stack rows of different lengths into a table, padded to the longest."""
    listed = list(rows)
    table = np.full((len(listed), max(map(len, listed))), filling, dtype=np.intp)
    for row, numbers in zip(table, listed, strict=True):
        row[: len(numbers)] = numbers
    return table
