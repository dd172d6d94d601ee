"""The square tiling: MiniGrid's cells, directions and field of view."""

from collections.abc import Collection, Container
from functools import partial
from typing import NamedTuple

import attrs

from gridworld.support.caches import BoundedCache, bounded, bytes_of_ints
from gridworld.task_spec import Position
from gridworld.world.topology import NO_CELL, Topology, shared_topology

DIRECTIONS = ((1, 0), (0, 1), (-1, 0), (0, -1))
"""Lattice vector of each heading: 0 right, 1 down, 2 left, 3 up."""


class View(NamedTuple):
    """What is visible from one pose."""

    mask: bytes
    """Visibility of each entry of `Cone.window`, one byte each: 1 for visible, 0 for not."""
    cells: frozenset[int]
    """The visible cells."""


@attrs.frozen(eq=False)
class Cone:
    """MiniGrid's field of view: a square window with the agent at the middle of its near edge.

    `window` holds ``view_size ** 2`` cells in the agent's frame: ``window[i * view_size + j]`` is column `i` from the
    left and row `j` from the far edge. Entries outside the tiling are `NO_CELL` and block sight like walls.
    """

    view_size: int
    window: tuple[int, ...]
    _views: BoundedCache[bytes, View] = attrs.field(init=False, factory=BoundedCache)
    """Views by what blocks sight in the window."""

    def view(self, opaque: Container[int]) -> View:
        """Return what is visible if the cells in `opaque` block sight."""
        blocked = bytes([cell == NO_CELL or cell in opaque for cell in self.window])
        view = self._views.get(blocked)
        if view is None:
            mask = self.mask(opaque)
            cells = frozenset(cell for cell, seen in zip(self.window, mask, strict=True) if seen and cell != NO_CELL)
            view = self._views.put(blocked, View(mask, cells), 2 * len(mask) + bytes_of_ints(cells))
        return view

    def mask(self, opaque: Container[int]) -> bytes:
        """Return the visibility of each entry of `window`, one byte each: 1 for visible, 0 for not.

        Follows MiniGrid's ``Grid.process_vis``: row by row away from the agent, first rightwards and then leftwards,
        sight spreads from every visible cell that does not block it to the next cell in the row and to the two cells in
        the row beyond.
        """
        size, window = self.view_size, self.window
        mask = bytearray(size * size)
        mask[(size // 2) * size + size - 1] = 1
        rightwards = [(column, +1) for column in range(size - 1)]
        leftwards = [(column, -1) for column in range(size - 1, 0, -1)]
        for row in range(size - 1, -1, -1):
            for column, sense in rightwards + leftwards:
                place = column * size + row
                if not mask[place] or window[place] == NO_CELL or window[place] in opaque:
                    continue
                beside = place + sense * size
                mask[beside] = 1
                if row > 0:
                    mask[beside - 1] = 1
                    mask[place - 1] = 1
        return bytes(mask)

    def seen(self, opaque: Container[int], seams: Collection[tuple[int, int]] = ()) -> frozenset[int]:
        """Return the visible cells if the cells in `opaque` block sight; squares have no seams."""
        return self.view(opaque).cells


@bounded(lambda made, *_: bytes_of_ints(made.window))
def cone(width: int, height: int, cell: int, heading: int, view_size: int) -> Cone:
    """Return the field of view from a cell in a heading on a square lattice."""
    (ahead_x, ahead_y), (right_x, right_y) = DIRECTIONS[heading], DIRECTIONS[(heading + 1) % 4]
    y, x = divmod(cell, width)

    def cell_in_view(column: int, row: int) -> int:
        ahead, right = view_size - 1 - row, column - view_size // 2
        return _cell_at(width, height, x + ahead * ahead_x + right * right_x, y + ahead * ahead_y + right * right_y)

    window = tuple(cell_in_view(column, row) for column in range(view_size) for row in range(view_size))
    return Cone(view_size, window)


def _cell_at(width: int, height: int, x: int, y: int) -> int:
    return y * width + x if 0 <= x < width and 0 <= y < height else NO_CELL


@shared_topology
def square_topology(width: int, height: int) -> Topology:
    """Return the square tiling of a lattice; cell ``y * width + x`` is lattice cell ``(x, y)``.

    Raises:
        ValueError: the lattice has more columns or rows than a maze may have.
    """
    positions = [Position(x, y) for y in range(height) for x in range(width)]
    return Topology(
        name="square",
        width=width,
        height=height,
        heading_count=4,
        exits=tuple(_cell_at(width, height, x + dx, y + dy) for x, y in positions for dx, dy in DIRECTIONS),
        edges=((0, 1, 2, 3),) * len(positions),
        patches={position: (cell,) for cell, position in enumerate(positions)},
        centres=tuple((x + 0.5, y + 0.5) for x, y in positions),
        polygons=tuple(((x, y), (x + 1, y), (x + 1, y + 1), (x, y + 1)) for x, y in positions),
        sight=partial(cone, width, height),
        explanation="The cells of the maze are squares.",
    )
