"""What is seen in the open follows from exact distances and directions, never from where the agent stands."""

from collections.abc import Iterator
from itertools import pairwise, product

import numpy as np
import pytest
from attrs import frozen
from numpy.typing import NDArray

from gridworld.task_spec import Position
from support.exact_tilings import EXACT_TILINGS, FARTHEST, ExactTiling, Place, Way
from support.tilings import POLYGON_TILINGS, make_topology, on_polygon_tilings

Numbers = NDArray[np.int64]
Flags = NDArray[np.bool_]
EVERYWHERE = [
    pytest.param(name, size, (20, 20), marks=pytest.mark.thorough)
    for name, size in product(POLYGON_TILINGS, range(3, FARTHEST + 1))
]


@frozen(eq=False)
class ExactWays:
    """The exact lines of sight from cells of one kind, on a lattice of a certain width.

    Args:
        in_view: whether each is looked along, by heading; shape (headings, ways).
        extents: leftmost, rightmost, topmost and bottommost lattice offset of each; shape (4, ways).
        cells: differences of cell numbers from the first cell, padded with zeros; shape (length, ways).
        beside: likewise, the cells beside gaps between diagonal neighbours.
    """

    in_view: Flags
    extents: Numbers
    cells: Numbers
    beside: Numbers


def exact_ways(tiling: ExactTiling, start: Place, view_size: int, width: int) -> ExactWays:
    _, row, place = start
    ways = list(lines_from(tiling, start, view_size))
    places = [[(x, y - row) for x, y, _ in way] for way in ways]
    columns, rows = ([[each[axis] for each in way] for way in places] for axis in (0, 1))

    def number(x: int, y: int, cell: int) -> int:
        return (y * width + x) * tiling.patch + cell - place

    return ExactWays(
        np.array(
            [[not tiling.is_behind(start, way[-1], heading) for way in ways] for heading in range(tiling.headings)]
        ),
        np.array([list(map(edge, each)) for each in (columns, rows) for edge in (min, max)]),
        padded([[number(x, y - row, cell) for x, y, cell in way] for way in ways]),
        padded([[number(*each, cell) for each in beside_gaps(way) for cell in range(tiling.patch)] for way in places]),
    )


def lines_from(tiling: ExactTiling, start: Place, view_size: int) -> Iterator[Way]:
    sides = range(-view_size - 3, view_size + 4)
    for dx, dy, cell in product(sides, sides, range(tiling.patch)):
        end = (start[0] + dx, start[1] + dy, cell)
        if end != start and tiling.is_within(start, end, view_size):
            yield tiling.way(start, end, 1)
            yield tiling.way(start, end, -1)


def beside_gaps(way: list[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """The lattice cells beside each step from a lattice cell to a diagonal neighbour."""
    for (x, y), (x1, y1) in pairwise(way):
        if x != x1 and y != y1:
            yield from ((x, y1), (x1, y))


def padded(rows: list[list[int]]) -> Numbers:
    """Rows of different lengths as columns of an array."""
    made = np.zeros((max(map(len, rows)), len(rows)), dtype=np.int64)
    for column, row in enumerate(rows):
        made[: len(row), column] = row
    return made


@on_polygon_tilings
def test_the_exact_tilings_are_those_of_the_package(name: str) -> None:
    topology, tiling = make_topology(name, (4, 3)), EXACT_TILINGS[name]
    origin = topology.centres[topology.anchor(Position(0, 0))]

    def rounded(point: tuple[tuple[int, int], tuple[int, int]]) -> complex:
        x, y = ((a + b * tiling.d**0.5) / tiling.scale for a, b in point)
        return complex(x, y)

    shift = complex(*origin) - rounded(tiling.centre((0, 0, 0)))
    for (x, y), cells in topology.patches.items():
        for number, cell in enumerate(cells):
            corners = [complex(*corner) - shift for corner in topology.polygons[cell]]
            exact = [rounded(corner) for corner in tiling.polygon(x, y, number)]
            assert len(exact) == len(corners)
            assert all(min(abs(each - other) for other in corners) < 1e-9 for each in exact)


@pytest.mark.parametrize(
    ("name", "view_size", "dimensions"), [*((name, 3, (9, 8)) for name in POLYGON_TILINGS), *EVERYWHERE]
)
def test_sight_in_the_open_is_exact_from_every_pose(name: str, view_size: int, dimensions: tuple[int, int]) -> None:
    """Lines lead to all that is within reach and not behind, unless they leave the tiling; the same from each cell."""
    topology, tiling, (width, height) = make_topology(name, dimensions), EXACT_TILINGS[name], dimensions
    seen_from: dict[tuple[int, int, int, bytes], frozenset[int]] = {}
    for form, place in product((0, 1), range(tiling.patch)):
        ways = exact_ways(tiling, (0, form, place), view_size, width)
        left, right, top, bottom = ways.extents
        alike = [(x, y) for x, y in product(range(width), range(height)) if tiling.form(x, y) == form]
        for (x, y), heading in product(alike, range(tiling.headings)):
            cell = topology.patches[Position(x, y)][place]
            inside = (x + left >= 0) & (x + right < width) & (y + top >= 0) & (y + bottom < height)
            looked = inside & ways.in_view[heading]
            seen = topology.sight(cell, heading, view_size).seen(())
            relative = frozenset(each - cell for each in seen)
            kind = (form, place, heading, looked.tobytes())
            if kind not in seen_from:
                seen_from[kind] = relative
                assert_seen_are(cell, seen, ways, looked)
            assert seen_from[kind] == relative


def assert_seen_are(cell: int, seen: frozenset[int], ways: ExactWays, looked: Flags) -> None:
    """The agent's cell and all cells on the lines are seen, and no others but cells beside gaps."""
    on_lines = {cell, *np.unique(cell + ways.cells[:, looked]).tolist()}
    assert on_lines <= seen
    assert seen <= on_lines.union(np.unique(cell + ways.beside[:, looked]).tolist())
