"""Straight lines of sight between the centres of cells, over their polygons.

An agent looks along two lines to each cell within reach and not behind it: a hair to the left and to the right of the
straight one between the centres. The two lines decide what the straight one leaves open: it may pass between two walls
that meet in a corner, which no one sees through, or along the edge of one wall, which hides nothing. Lines of sight are
symmetric: the way back has the same two lines.

A line goes on until it meets an opaque cell or a sealed seam, and all that it meets is seen: the cells that it passes,
the one that stops it, and the two sides of a gap between cells that are only diagonal neighbours, for they decide
whether the gap is sealed. So what is seen depends on nothing that is not seen.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Container, Iterable, Iterator
from functools import cached_property
from itertools import pairwise
from typing import Any

import attrs

from gridworld.task_spec import Position
from gridworld.world.seams import beside_contact
from gridworld.world.topology import NO_CELL

__all__ = ["LineOfSight", "View", "Way"]

Point = tuple[float, float]

HAIR = 1e-4
"""How far the two lines are from the straight one, in units of the lattice spacing."""
BEHIND = -1e-9
"""A cell exactly beside the agent is not behind it."""


@attrs.frozen(eq=False)
class Way:
    """What a line meets from one cell to another. Sets of cells are bits, to be compared in one operation."""

    cells: tuple[int, ...]
    """The cells in order, the first and the last one too."""
    gaps: tuple[int, ...]
    """For each step from one cell to the next, the cells beside the gap that it goes through, if it is one."""
    between: int
    """The cells between the first and the last one."""
    passed: int
    """All cells of the way."""
    met: int
    """These, and those beside gaps."""

    @classmethod
    def through(cls, cells: tuple[int, ...], gaps: tuple[int, ...]) -> Way:
        """The way through some cells."""
        passed = met = _bits(cells)
        for beside in gaps:
            met |= beside
        return cls(cells, gaps, _bits(cells[1:-1]), passed, met)

    def met_until_blocked(self, blocking: int, seams: Collection[tuple[int, int]]) -> int:
        """What a line meets up to the first blocking cell, or to a sealed seam."""
        met = 0
        for step, beside in zip(pairwise(self.cells), self.gaps, strict=True):
            met |= beside
            if step in seams:
                break
            met |= 1 << step[1]
            if blocking >> step[1] & 1:
                break
        return met


def _bits(cells: Iterable[int]) -> int:
    bits = 0
    for cell in cells:
        bits |= 1 << cell
    return bits


def _cells(bits: int) -> Iterator[int]:
    while bits:
        lowest = bits & -bits
        yield lowest.bit_length() - 1
        bits ^= lowest


@attrs.frozen(eq=False, slots=False)
class View:
    """What can be seen from one cell with one heading: the ways of sight that stay in the tiling."""

    cell: int
    ways: tuple[Way, ...]
    _last: dict[tuple[int, int], frozenset[int]] = attrs.field(factory=dict, init=False)
    """What was seen the last time, by what blocked it then: doors change rarely."""

    @cached_property
    def _between(self) -> frozenset[int]:
        """All cells that are on the way to another one."""
        return frozenset(cell for way in self.ways for cell in way.cells[1:-1])

    def seen(self, opaque: Container[int], seams: Collection[tuple[int, int]] = ()) -> frozenset[int]:
        """The cells that are seen when opaque cells and sealed seams block sight; the agent's own is one of them."""
        blocking = _bits(cell for cell in self._between if cell in opaque)
        sealed = _bits(cell for cell, _ in seams)
        if (blocking, sealed) not in self._last:
            self._last.clear()
            self._last[blocking, sealed] = self._look(blocking, sealed, seams)
        return self._last[blocking, sealed]

    def _look(self, blocking: int, sealed: int, seams: Collection[tuple[int, int]]) -> frozenset[int]:
        met = 1 << self.cell
        for way in self.ways:
            is_clear = not (way.between & blocking or way.passed & sealed)
            met |= way.met if is_clear else way.met_until_blocked(blocking, seams)
        return frozenset(_cells(met))


class LineOfSight:
    """Makes the views of a tiling; a view is made when it is first asked for, and kept.

    Args:
        centres: cell to its centre.
        polygons: cell to its corners.
        neighbours: cell to the cell beyond each of its edges.
        patches: lattice cell to its cells.
        heading_count: the number of headings.
    """

    def __init__(
        self,
        centres: tuple[Point, ...],
        polygons: tuple[tuple[Point, ...], ...],
        neighbours: tuple[tuple[int, ...], ...],
        patches: dict[Position, tuple[int, ...]],
        heading_count: int,
    ) -> None:
        self._centres, self._polygons, self._neighbours = centres, polygons, neighbours
        self._patches = patches
        self._lattice = {cell: position for position, cells in patches.items() for cell in cells}
        self._heading_count = heading_count
        self._views: dict[tuple[int, int, int], View] = {}
        self._ways: dict[tuple[int, int], tuple[Way, ...]] = {}
        self._gaps: dict[tuple[int, int], int] = {}

    def __call__(self, cell: int, heading: int, view_size: int) -> View:
        """The view from a cell with a heading; reach is `view_size` lattice spacings."""
        key = (cell, heading, view_size)
        if key not in self._views:
            self._views[key] = self._make_view(*key)
        return self._views[key]

    def __reduce__(self) -> tuple[Any, ...]:
        return LineOfSight, (self._centres, self._polygons, self._neighbours, self._patches, self._heading_count)

    def _make_view(self, cell: int, heading: int, view_size: int) -> View:
        angle = 2 * math.pi * heading / self._heading_count
        ahead = (math.cos(angle), math.sin(angle))
        targets = self._within_reach(cell, view_size, ahead)
        return View(cell, tuple(way for target in targets for way in self._ways_to(cell, target)))

    def _within_reach(self, cell: int, view_size: int, ahead: Point) -> Iterator[int]:
        x0, y0 = self._centres[cell]
        for target, (x, y) in enumerate(self._centres):
            dx, dy = x - x0, y - y0
            if target != cell and math.hypot(dx, dy) <= view_size and dx * ahead[0] + dy * ahead[1] >= BEHIND:
                yield target

    def _ways_to(self, cell: int, target: int) -> tuple[Way, ...]:
        key = (cell, target)
        if key not in self._ways:
            found = (self._find_way(cell, target, side) for side in (1, -1))
            self._ways[key] = tuple(self._way((cell, *between, target)) for between in found if between is not None)
        return self._ways[key]

    def _way(self, cells: tuple[int, ...]) -> Way:
        return Way.through(cells, tuple(self._beside_gap(*step) for step in pairwise(cells)))

    def _beside_gap(self, cell: int, beyond: int) -> int:
        """Of the lattice cells beside the contact of diagonal neighbours the nearest cells; none for other contacts."""
        if (cell, beyond) not in self._gaps:
            self._gaps[cell, beyond] = self._find_gap(cell, beyond)
        return self._gaps[cell, beyond]

    def _find_gap(self, cell: int, beyond: int) -> int:
        beside = beside_contact(self._lattice[cell], self._lattice[beyond]) or ()
        patches = (self._patches[position] for position in beside)
        return _bits(min(patch, key=lambda each: self._distance(each, cell, beyond)) for patch in patches)

    def _distance(self, each: int, cell: int, beyond: int) -> float:
        centre = self._centres[each]
        return math.dist(centre, self._centres[cell]) + math.dist(centre, self._centres[beyond])

    def _find_way(self, cell: int, target: int, side: int) -> tuple[int, ...] | None:
        """The cells strictly between two cells on the line beside the straight one; None if it leaves the tiling."""
        (x0, y0), (x1, y1) = self._centres[cell], self._centres[target]
        length = math.hypot(x1 - x0, y1 - y0)
        right_x, right_y = -side * HAIR * (y1 - y0) / length, side * HAIR * (x1 - x0) / length
        start, end = (x0 + right_x, y0 + right_y), (x1 + right_x, y1 + right_y)
        way, at, came_from = [], cell, NO_CELL
        while at != target:
            beyond = self._cell_beyond(at, came_from, start, end)
            if beyond == NO_CELL:
                return None
            came_from, at = at, beyond
            way.append(at)
        return tuple(way[:-1])

    def _cell_beyond(self, cell: int, came_from: int, start: Point, end: Point) -> int:
        """The cell that the line enters where it leaves this one."""
        polygon = self._polygons[cell]
        best, beyond = -1.0, NO_CELL
        for edge, neighbour in enumerate(self._neighbours[cell]):
            if neighbour == came_from and came_from != NO_CELL:
                continue
            along = _crossing(start, end, polygon[edge], polygon[(edge + 1) % len(polygon)])
            if along is not None and along > best:
                best, beyond = along, neighbour
        return beyond


def _crossing(start: Point, end: Point, first: Point, second: Point) -> float | None:
    """How far along the line from `start` to `end`, 0 to 1, it crosses an edge between two corners; None if nowhere."""
    dx, dy = end[0] - start[0], end[1] - start[1]
    ex, ey = second[0] - first[0], second[1] - first[1]
    parallel = dx * ey - dy * ex
    if abs(parallel) < 1e-15:
        return None
    fx, fy = first[0] - start[0], first[1] - start[1]
    along = (fx * ey - fy * ex) / parallel
    across = (fx * dy - fy * dx) / parallel
    return along if 0 <= along <= 1 and 0 <= across <= 1 else None
