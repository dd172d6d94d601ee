"""Where the cells of a tiling lie in a picture: fitted in, centred, with room for what the agent holds."""

from __future__ import annotations

import math
from collections.abc import Iterable

import attrs

from gridworld.world.topology import Topology
from gridworld_multigrid.rendering.raster import UNITS

__all__ = ["Box", "CellShape", "Layout", "PlacedCell", "lay_out"]

Point = tuple[float, float]
IntPoint = tuple[int, int]

PRECISION = 1_000_000
"""Corners closer than a millionth of the lattice spacing are one."""
SNAPPED_FROM = 8
"""Lattice spacings of so many pixels and more are whole numbers of pixels, so that many cells look alike."""


@attrs.frozen
class Box:
    """A rectangle of pixels."""

    left: int
    top: int
    width: int
    height: int

    @property
    def slices(self) -> tuple[slice, slice]:
        """Rows and columns of the box in a picture."""
        return slice(self.top, self.top + self.height), slice(self.left, self.left + self.width)


@attrs.frozen
class CellShape:
    """A cell's polygon in a box of its own; equal for cells that look alike."""

    width: int
    """Of the box, in pixels."""
    height: int
    corners: tuple[IntPoint, ...]
    """In units, relative to the box."""

    @property
    def centre(self) -> Point:
        """In pixels, relative to the box."""
        count = len(self.corners) * UNITS
        return sum(x for x, _ in self.corners) / count, sum(y for _, y in self.corners) / count

    def edge_distances(self) -> list[tuple[float, Point]]:
        """The distance of each edge from the centre in pixels, and the edge's unit normal."""
        x, y = self.centre
        pairs = zip(self.corners, [*self.corners[1:], self.corners[0]], strict=True)
        return [_distance(x * UNITS, y * UNITS, *pair) for pair in pairs]

    @property
    def inner_radius(self) -> float:
        """The radius of the largest disc around the centre, in pixels."""
        return min(distance for distance, _ in self.edge_distances())

    @property
    def inner_square(self) -> float:
        """The side of the largest axis-parallel square around the centre, in pixels."""
        return 2 * min(distance / (abs(x) + abs(y)) for distance, (x, y) in self.edge_distances())


def _distance(x: float, y: float, start: IntPoint, end: IntPoint) -> tuple[float, Point]:
    dx, dy = end[0] - start[0], end[1] - start[1]
    length = math.hypot(dx, dy)
    cross = dx * (y - start[1]) - dy * (x - start[0])
    return abs(cross) / length / UNITS, (dy / length, -dx / length)


@attrs.frozen
class PlacedCell:
    """One cell: its shape, and where the shape's box is in the picture."""

    shape: CellShape
    box: Box


@attrs.frozen
class Layout:
    """All cells of a tiling in a picture."""

    width: int
    height: int
    spacing: float
    """Pixels between two neighbouring columns of the lattice."""
    cells: tuple[PlacedCell, ...]
    hand: Box
    """Where to show what the agent holds."""


def lay_out(topology: Topology, size: tuple[int, int]) -> Layout:
    """Fit a tiling into a picture, with a strip at the top or on the left free for what the agent holds.

    The strip is there in every world: whether there is anything to hold may not be known.

    Args:
        topology: the tiling.
        size: the picture's width and height in pixels.
    """
    width, height = size
    margin = max(1, min(size) // 80)
    strip = max(4, min(size) // 16)
    corners = [point for polygon in topology.polygons for point in polygon]
    left, right = min(x for x, _ in corners), max(x for x, _ in corners)
    top, bottom = min(y for _, y in corners), max(y for _, y in corners)

    def spacing_beside(strip_width: int, strip_height: int) -> float:
        room = (width - 2 * margin - strip_width, height - 2 * margin - strip_height)
        return min(room[0] / (right - left), room[1] / (bottom - top))

    above, beside = spacing_beside(0, strip), spacing_beside(strip, 0)
    spacing = max(above, beside)
    if spacing >= SNAPPED_FROM:
        spacing = math.floor(spacing)
    shift_x, shift_y = (0, strip) if above >= beside else (strip, 0)
    origin_x = round((width + shift_x - spacing * (right - left)) / 2 - spacing * left)
    origin_y = round((height + shift_y - spacing * (bottom - top)) / 2 - spacing * top)

    def to_units(point: Point) -> IntPoint:
        x, y = (round(coordinate * PRECISION) / PRECISION for coordinate in point)
        return round((origin_x + x * spacing) * UNITS), round((origin_y + y * spacing) * UNITS)

    cells = tuple(_place([to_units(point) for point in polygon]) for polygon in topology.polygons)
    return Layout(width, height, spacing, cells, Box(margin, margin, strip, strip))


def _place(corners: list[IntPoint]) -> PlacedCell:
    left, right = _pixels(x for x, _ in corners)
    top, bottom = _pixels(y for _, y in corners)
    shape = CellShape(right - left, bottom - top, tuple((x - left * UNITS, y - top * UNITS) for x, y in corners))
    return PlacedCell(shape, Box(left, top, shape.width, shape.height))


def _pixels(coordinates: Iterable[int]) -> tuple[int, int]:
    """The first pixel that a range of units touches, and the one after the last."""
    values = list(coordinates)
    return min(values) // UNITS, -(-max(values) // UNITS)
