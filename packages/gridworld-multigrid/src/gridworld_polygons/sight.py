"""Straight lines of sight between the centres of cells, across their polygons.

An agent looks along two lines to each cell within reach and not behind it, slightly to the left and to the right of the
straight line between the centres. The straight line itself may pass between two walls that meet at a corner, which
block the view, or along the edge of a single wall, which does not; the two lines distinguish these cases. Lines of
sight are symmetric: both directions have the same two lines.

A line continues to the first opaque cell or sealed seam, and everything on it is seen: the cells that it crosses, the
one that stops it, and the two sides of a gap between cells that are only diagonal neighbours, since they determine
whether the gap is sealed. What is seen therefore depends on seen cells only.
"""

from __future__ import annotations

import math
import sys
from array import array
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import cached_property
from threading import Lock
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from gridworld.support.caches import BoundedCache
from gridworld.task_spec import Position
from gridworld.world.topology import NO_CELL, beside_contact

SAME_PLACE = 1e-7
"""Tolerance for equal positions, in lattice spacings."""
Point = tuple[float, float]
Places = NDArray[np.float64]


def cell_forms(
    polygons: Sequence[Sequence[Point]], patches: Mapping[Position, Sequence[int]], dimensions: tuple[int, int]
) -> tuple[int, ...]:
    """Number the cells by form: cells of the same form are surrounded by the same tiling.

    Between two such cells, all polygons are shifted by one vector and all cell numbers by one difference. Unless cells
    are numbered patch by patch and row by row, with equally many cells in each, every cell has a form of its own.

    Args:
        polygons: corners of each cell.
        patches: cells of each lattice cell.
        dimensions: lattice columns and rows.
    """
    width, height = dimensions
    size, rest = divmod(len(polygons), width * height)
    numbered = all(
        tuple(patches.get(Position(x, y), ())) == tuple(range((y * width + x) * size, (y * width + x + 1) * size))
        for y in range(height)
        for x in range(width)
    )
    if rest or not numbered:
        return tuple(range(len(polygons)))
    most = max(map(len, polygons))
    filled = [[*polygon, *[polygon[-1]] * (most - len(polygon))] for polygon in polygons]
    corners = np.array(filled).reshape(height, width, size * most, 2)
    down, right = _period(corners), _period(corners.swapaxes(0, 1))
    return tuple(
        ((y % down) * right + x % right) * size + place
        for y in range(height)
        for x in range(width)
        for place in range(size)
    )


def _period(corners: Places) -> int:
    """Return the number of rows after which the polygons repeat, shifted; the number of all rows if they never do.

    Args:
        corners: shape (rows, columns, corners, 2).
    """
    rows = len(corners)
    for period in range(1, rows):
        moved = corners[period:] - corners[:-period]
        if np.abs(moved - moved[0, 0, 0]).max() < SAME_PLACE:
            return period
    return rows


Seams = Collection[tuple[int, int]]
Numbers = NDArray[np.integer[Any]]
Flags = NDArray[np.bool_]

HAIR = 1e-4
"""Distance of the two lines from the straight one, in lattice spacings."""
BEHIND = -1e-9
"""Threshold for being behind the agent; a cell exactly to the side is not behind."""
ROUNDING = 1e-9
"""Tolerance for equal distances; a cell exactly at the reach is within it, wherever the agent stands."""
FIRST_CELL = 5
"""Index of the first cell in a packed way; its side and extent precede it."""
LINES = 2
"""Number of lines to each cell."""
BYTES_PER_TARGET = 64
"""Memory of a seen cell, in a set and as a number, in bytes."""
MOST_MET, MOST_LEFT = 1 << 22, 1 << 17
"""Limits on the total number of cells of ways, and of pairs whose lines leave the tiling; then all are evicted."""
NOWHERE = -1


@attrs.frozen
class Way:
    """The cells on a line of sight, as differences of cell numbers from its first cell."""

    cells: tuple[int, ...]
    """Cells in order, including the first and the last."""
    extent: tuple[int, int, int, int]
    """Leftmost, rightmost, topmost and bottommost lattice offset, counted rightwards and downwards."""
    side: int
    """Side of the straight line: 1 or -1."""

    def packed(self) -> bytes:
        """Pack into 4-byte numbers, which take far less memory than objects."""
        return array("i", (self.side, *self.extent, *self.cells)).tobytes()


@attrs.frozen(eq=False)
class ArrangedWays:
    """Ways of sight as arrays, with one column per way."""

    targets: Numbers
    """Last cell of each way, relative to the first; shape (ways,)."""
    extents: Numbers
    """Extents of the ways; shape (4, ways)."""
    cells: Numbers
    """Cells of each way, padded with the last; shape (length, ways)."""
    kinds: Numbers
    """Kind of the step from each cell to the next; shape (length - 1, ways)."""
    gaps: Numbers
    """Row in `kinds`, and way, of each step that may pass through a gap; shape (2, gaps)."""


class Ways:
    """Known ways of sight from all cells of the same form."""

    def __init__(self, steps: Steps) -> None:
        self._steps = steps
        self._found: dict[bytes, None] = {}
        self.met = 0
        """Total number of cells on the ways."""
        self.arranged = self._arrange(())
        """Arrays of the ways, as of the last `arrange`; later ways are appended."""

    def add(self, way: Way) -> None:
        """Add a way, unless it is known."""
        packed = way.packed()
        if packed not in self._found:
            self._found[packed] = None
            self.met += len(way.cells)

    def arrange(self) -> None:
        """Update the arrays."""
        if self.arranged.targets.size != len(self._found):
            self.arranged = self._arrange(tuple(self._found))

    def _arrange(self, found: Sequence[bytes]) -> ArrangedWays:
        ways = [np.frombuffer(packed, dtype=np.int32) for packed in found]
        length = max((len(way) - FIRST_CELL for way in ways), default=1)
        cells = np.empty((length, len(ways)), dtype=np.int32)
        for number, way in enumerate(ways):
            cells[:, number] = way[-1]
            cells[: len(way) - FIRST_CELL, number] = way[FIRST_CELL:]
        kinds = self._steps.kinds(np.diff(cells, axis=0)).astype(np.uint16)
        return ArrangedWays(
            targets=cells[-1],
            extents=np.array([way[1:FIRST_CELL] for way in ways], dtype=np.int32).reshape(-1, 4).T,
            cells=cells,
            kinds=kinds,
            gaps=np.array(np.nonzero(self._steps.may_be_gap[kinds])),
        )


class Steps:
    """Steps from cells to their neighbours, classified by the difference of cell numbers.

    Args:
        neighbours: for each cell, the cell beyond each of its edges.
        beside: finds the cells next to the gap of a step; empty for steps without one.
    """

    def __init__(self, neighbours: Sequence[Sequence[int]], beside: Callable[[int, int], tuple[int, ...]]) -> None:
        differences = {other - cell for cell, others in enumerate(neighbours) for other in others if other != NO_CELL}
        self._differences = np.array(sorted(differences | {0}))
        self._cell_count = len(neighbours)
        own = np.arange(len(neighbours), dtype=np.int32)[:, None].repeat(2, axis=1)
        tables: dict[int, NDArray[np.int32]] = {}
        for cell, others in enumerate(neighbours):
            for other in others:
                found = beside(cell, other) if other != NO_CELL else ()
                if found:
                    kind = self._kind(other - cell)
                    if kind not in tables:
                        tables[kind] = own.copy()
                    tables[kind][cell] = found
        self.may_be_gap = np.isin(np.arange(len(self._differences)), list(tables))
        """Mask of the kinds of steps that may pass through a gap."""
        self._row = np.zeros(len(self._differences), dtype=np.intp)
        self._row[list(tables)] = np.arange(len(tables))
        self._beside = np.array([*tables.values()] or [own])

    def beside(self, kinds: Numbers, cells: Numbers) -> Numbers:
        """Return the cells next to the gaps of steps, or the first cell of a step without a gap.

        Args:
            kinds: the kinds of the steps, among those that `may_be_gap`; shape (steps,).
            cells: their first cells; shape (steps,).

        Returns:
            Shape (steps, 2).
        """
        beside: Numbers = self._beside[self._row[kinds], cells]
        return beside

    def _kind(self, difference: int) -> int:
        return int(np.searchsorted(self._differences, difference))

    def kinds(self, differences: Numbers) -> Numbers:
        """Return the kinds of steps with the given differences of cell numbers; 0 is a step to the cell itself."""
        kinds: Numbers = np.searchsorted(self._differences, differences)
        return kinds

    def sealed(self, seams: frozenset[tuple[int, int]]) -> Flags:
        """Return a mask of the steps through sealed seams, by kind and first cell; shape (kinds, cells)."""
        sealed = np.zeros((len(self._differences), self._cell_count), dtype=np.bool_)
        for cell, beyond in seams:
            sealed[self._kind(beyond - cell), cell] = True
        return sealed


class View:
    """Lines of sight from one cell in one heading that stay within the tiling.

    Args:
        sight: the lines of sight of the tiling.
        cell: the agent's cell.
        ways: the ways of the cell's form.
        chosen: the numbers of the ways in this view.
    """

    def __init__(self, sight: LineOfSight, cell: int, ways: Ways, chosen: Numbers) -> None:
        self._sight, self._cell, self._ways = sight, cell, ways
        self._chosen = chosen.astype(np.int32)
        self._last: tuple[frozenset[int], frozenset[tuple[int, int]], frozenset[int]] | None = None
        """Blocking cells, blocking seams and result of the last call, since doors rarely change."""

    @property
    def size(self) -> int:
        """Memory in bytes that the view takes once all its cells are known."""
        return self._chosen.nbytes + BYTES_PER_TARGET * len(self._chosen)

    def ways(self) -> Iterator[tuple[int, ...]]:
        """Yield the cells of each way in order, from the agent's to the last."""
        for way in (self._cell + self._ways.arranged.cells[:, self._chosen]).T.tolist():
            yield tuple(dict.fromkeys(way))

    def seen(self, opaque: Collection[int], seams: Seams = ()) -> frozenset[int]:
        """Return the visible cells, including the agent's, given the opaque cells and sealed seams."""
        blocking, last = (frozenset(opaque), frozenset(seams)), self._last
        if last is None or last[:2] != blocking:
            last = self._last = *blocking, self._look(*blocking)
        return last[2]

    def _look(self, opaque: frozenset[int], seams: frozenset[tuple[int, int]]) -> frozenset[int]:
        ways, chosen = self._ways.arranged, self._chosen
        if not chosen.size:
            return frozenset({self._cell})
        cells = self._cell + ways.cells[:, chosen]
        stopped = self._sight.blocked(opaque)[cells]
        stopped[0] = False
        through = np.ones_like(stopped[1:])
        if seams:
            np.logical_not(self._sight.sealed(seams)[ways.kinds[:, chosen], cells[:-1]], out=through)
            stopped[1:] |= ~through
        tried = ~np.logical_or.accumulate(stopped, axis=0)[:-1]
        met = np.zeros(self._sight.cell_count, dtype=np.bool_)
        met[self._cell] = True
        met[self._beside_gaps(ways, cells, tried)] = True
        met[cells[1:][tried & through]] = True
        return frozenset(np.flatnonzero(met).tolist())

    def _beside_gaps(self, ways: ArrangedWays, cells: Numbers, tried: Flags) -> Numbers:
        """Return the cells next to the gaps that lines reach, including sealed gaps."""
        row, way = ways.gaps
        column = np.full(ways.cells.shape[1], NOWHERE)
        column[self._chosen] = np.arange(len(self._chosen))
        here = np.flatnonzero(column[way] != NOWHERE)
        row, way = row[here], way[here]
        known = tried[row, column[way]]
        row, way = row[known], way[known]
        return self._sight.steps.beside(ways.kinds[row, way], cells[row, column[way]])


class LineOfSight:
    """Computes the views of a tiling and caches recent ones; thread-safe, as are its views.

    Args:
        centres: centre of each cell.
        polygons: corners of each cell.
        neighbours: cell beyond each edge of each cell.
        patches: cells of each lattice cell.
        heading_count: number of headings.
        dimensions: lattice columns and rows.
    """

    def __init__(
        self,
        centres: tuple[Point, ...],
        polygons: tuple[tuple[Point, ...], ...],
        neighbours: tuple[tuple[int, ...], ...],
        patches: dict[Position, tuple[int, ...]],
        heading_count: int,
        dimensions: tuple[int, int],
    ) -> None:
        self._centres, self._polygons, self._neighbours = centres, polygons, neighbours
        self._patches, self._dimensions = patches, dimensions
        lattice = {cell: position for position, cells in patches.items() for cell in cells}
        self._lattice = tuple(lattice[cell] for cell in range(len(centres)))
        self._heading_count = heading_count
        self._places = np.array(centres).T
        self._form = cell_forms(polygons, patches, dimensions)
        self._ways: dict[int, Ways] = {}
        """Known ways by form."""
        self._left: set[tuple[int, int]] = set()
        """Pairs of cells between which a line leaves the tiling."""
        self._finding = Lock()
        """Lock held while adding ways."""
        self._views: BoundedCache[tuple[int, int, int], View] = BoundedCache()
        self._flags: BoundedCache[tuple[str, frozenset[Any]], Flags] = BoundedCache()
        """Masks of blocking cells and seams."""

    @cached_property
    def steps(self) -> Steps:
        """Steps from cell to cell."""
        return Steps(self._neighbours, self._find_gap)

    @property
    def cell_count(self) -> int:
        """Number of cells."""
        return len(self._centres)

    def __call__(self, cell: int, heading: int, view_size: int) -> View:
        """Return the view from a cell in a heading; the reach is `view_size` lattice spacings."""
        pose = cell, heading, view_size
        view = self._views.get(pose)
        if view is None:
            view = self._make_view(*pose)
            self._views.put(pose, view, view.size)
        return view

    def __reduce__(self) -> tuple[Any, ...]:
        given = (self._centres, self._polygons, self._neighbours, self._patches, self._heading_count, self._dimensions)
        return LineOfSight, given

    def blocked(self, opaque: frozenset[int]) -> Flags:
        """Return a mask of the cells that block sight; shape (cells,)."""
        found = self._flags.get(("opaque", opaque))
        if found is None:
            found = np.zeros(self.cell_count, dtype=np.bool_)
            found[list(opaque)] = True
            self._flags.put(("opaque", opaque), found, found.nbytes + sys.getsizeof(opaque))
        return found

    def sealed(self, seams: frozenset[tuple[int, int]]) -> Flags:
        """Return a mask of the steps through sealed seams, by kind and first cell; shape (kinds, cells)."""
        found = self._flags.get(("seams", seams))
        if found is None:
            found = self.steps.sealed(seams)
            self._flags.put(("seams", seams), found, found.nbytes + sys.getsizeof(seams))
        return found

    def _make_view(self, cell: int, heading: int, view_size: int) -> View:
        near = self._within_reach(cell, heading, view_size)
        with self._finding:
            if len(self._left) > MOST_LEFT or sum(ways.met for ways in self._ways.values()) > MOST_MET:
                self._evict()
            ways = self._ways.setdefault(self._form[cell], Ways(self.steps))
            self._find_missing(cell, near, ways)
            return View(self, cell, ways, self._staying(cell, ways.arranged, near))

    def _evict(self) -> None:
        """Evict all known ways and views; views in use keep theirs."""
        self._ways.clear()
        self._left.clear()
        self._views.clear()

    def _find_missing(self, cell: int, near: Flags, ways: Ways) -> None:
        """Find the ways from a cell to some cells that are unknown for its form."""
        known = ways.arranged.targets[self._staying(cell, ways.arranged, near)]
        lines = np.bincount(cell + known, minlength=self.cell_count)
        for target in np.flatnonzero(near & (lines < LINES)).tolist():
            if (cell, target) not in self._left:
                self._find_ways(cell, target, ways)
        ways.arrange()

    def _within_reach(self, cell: int, heading: int, view_size: int) -> Flags:
        """Return a mask of the cells within reach and not behind; shape (cells,)."""
        angle = 2 * math.pi * heading / self._heading_count
        dx, dy = self._places - self._places[:, cell, None]
        ahead = dx * math.cos(angle) + dy * math.sin(angle)
        near: Flags = (np.hypot(dx, dy) <= view_size + ROUNDING) & (ahead >= BEHIND)
        near[cell] = False
        return near

    def _staying(self, cell: int, ways: ArrangedWays, near: Flags) -> Numbers:
        """Return the numbers of the ways to some cells that stay within the tiling."""
        x, y = self._lattice[cell]
        width, height = self._dimensions
        left, right, up, down = ways.extents
        inside = np.flatnonzero((x + left >= 0) & (x + right < width) & (y + up >= 0) & (y + down < height))
        staying: Numbers = inside[near[cell + ways.targets[inside]]]
        return staying

    def _find_ways(self, cell: int, target: int, ways: Ways) -> None:
        for side in (1, -1):
            between = self._find_way(cell, target, side)
            if between is None:
                self._left.add((cell, target))
            else:
                ways.add(self._way((cell, *between, target), side))

    def _way(self, cells: tuple[int, ...], side: int) -> Way:
        first = cells[0]
        x, y = self._lattice[first]
        columns, rows = zip(*(self._lattice[cell] for cell in cells), strict=True)
        extent = (min(columns) - x, max(columns) - x, min(rows) - y, max(rows) - y)
        return Way(tuple(each - first for each in cells), extent, side)

    def _find_gap(self, cell: int, beyond: int) -> tuple[int, ...]:
        """Return the cells next to the contact of diagonal neighbours, one per lattice cell; empty if not diagonal."""
        beside = beside_contact(self._lattice[cell], self._lattice[beyond]) or ()
        return tuple(self._nearest(self._patches[position], cell, beyond) for position in beside)

    def _nearest(self, patch: Sequence[int], cell: int, beyond: int) -> int:
        """Return the cell of a patch that is nearest to two cells; the first of those equally near."""
        ends = self._centres[cell], self._centres[beyond]
        distances = [sum(math.dist(self._centres[each], end) for end in ends) for each in patch]
        least = min(distances) + ROUNDING
        return next(each for each, distance in zip(patch, distances, strict=True) if distance <= least)

    def _find_way(self, cell: int, target: int, side: int) -> tuple[int, ...] | None:
        """Return the cells strictly between two cells on one of their two lines; None if it leaves the tiling."""
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
        """Return the cell that the line enters when it leaves this one."""
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
    """Return where on the line from `start` to `end`, 0 to 1, it crosses an edge; None if it does not."""
    dx, dy = end[0] - start[0], end[1] - start[1]
    ex, ey = second[0] - first[0], second[1] - first[1]
    parallel = dx * ey - dy * ex
    if abs(parallel) < 1e-15:
        return None
    fx, fy = first[0] - start[0], first[1] - start[1]
    along = (fx * ey - fy * ex) / parallel
    across = (fx * dy - fy * dx) / parallel
    return along if 0 <= along <= 1 and 0 <= across <= 1 else None
