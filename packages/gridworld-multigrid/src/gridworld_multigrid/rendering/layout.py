"""Where the cells of a tiling lie in a picture, which is as large as they are."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import attrs

from gridworld.task_spec import Position
from gridworld.world.topology import Topology
from gridworld_multigrid.rendering.circles import Circle, Edge, distance_to_edges, inscribed_circle, outer_edges
from gridworld_multigrid.rendering.raster import UNITS

__all__ = ["Box", "CellShape", "Fit", "Layout", "PlacedCell", "fit", "lay_out"]

Point = tuple[float, float]
IntPoint = tuple[int, int]

PRECISION = 1_000_000
"""Corners closer than a millionth of the lattice spacing are one."""
MARGINS = 160
"""The margin around the tiling is this part of the picture's shorter side."""
HAND, LARGEST_HAND = 1.85, 0.96
"""The side of the frame with what the agent holds, as parts of the radius of its patch and of the lattice spacing."""
TOWARDS_HUB = 0.5
"""How far from the middle of its cell towards that of the patch a thing is drawn."""
ROUNDING = 1e-6
"""What is no more than this above a whole number of pixels is that number."""
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
    """A cell's polygon in a box of its own, and where it is in its patch; equal for cells that look alike."""

    width: int
    """Of the box, in pixels."""
    height: int
    corners: tuple[IntPoint, ...]
    """In units, relative to the box."""
    inner: frozenset[int]
    """The edges behind which the patch goes on; edge `i` goes from corner `i` to the next."""
    hub: Circle
    """The largest circle in the patch, in pixels, relative to the box: where to draw what fills the patch."""
    spot: Circle
    """Where to draw what lies on the cell: as far towards the hub as leaves no doubt that it lies on this cell."""

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
    """Where to show what the agent holds: upon the top left lattice cell, which is wall in every task."""


@attrs.frozen
class Fit:
    """How large a tiling is in a picture."""

    width: int
    """Of the picture, in pixels."""
    height: int
    spacing: float
    """Pixels between two neighbouring columns of the lattice."""
    origin: IntPoint
    """Where the tiling's origin is, in pixels."""


def fit(topology: Topology, size: tuple[int, int]) -> Fit:
    """Make a tiling as large as it can be, and the picture no larger than it has to be.

    Args:
        topology: the tiling.
        size: the largest width and height of the picture in pixels.
    """
    margin = max(1, min(size) // MARGINS)
    corners = [point for polygon in topology.polygons for point in polygon]
    left, right = min(x for x, _ in corners), max(x for x, _ in corners)
    top, bottom = min(y for _, y in corners), max(y for _, y in corners)
    spacing = min((size[0] - 2 * margin) / (right - left), (size[1] - 2 * margin) / (bottom - top))
    if spacing >= SNAPPED_FROM:
        spacing = math.floor(spacing)
    width, height = (math.ceil(spacing * extent - ROUNDING) + 2 * margin for extent in (right - left, bottom - top))
    return Fit(width, height, spacing, (round(margin - spacing * left), round(margin - spacing * top)))


def lay_out(topology: Topology, size: tuple[int, int]) -> Layout:
    """Place the cells of a tiling in a picture, as large as `fit` says."""
    fitted = fit(topology, size)
    spacing, (origin_x, origin_y) = fitted.spacing, fitted.origin

    def to_units(point: Point) -> IntPoint:
        x, y = (round(coordinate * PRECISION) / PRECISION for coordinate in point)
        return round((origin_x + x * spacing) * UNITS), round((origin_y + y * spacing) * UNITS)

    polygons = [tuple(map(to_units, polygon)) for polygon in topology.polygons]
    hubs = {patch: _hub([polygons[cell] for cell in patch]) for patch in topology.patches.values()}
    cells: dict[int, PlacedCell] = {}
    for patch, hub in hubs.items():
        outline = outer_edges([polygons[cell] for cell in patch])
        cells |= {cell: _place(polygons[cell], hub, outline) for cell in patch}
    hand = _hand(hubs[topology.patches[Position(0, 0)]], spacing, min(fitted.width, fitted.height))
    return Layout(fitted.width, fitted.height, spacing, tuple(cells[cell] for cell in range(topology.cell_count)), hand)


def _hub(polygons: Sequence[tuple[IntPoint, ...]]) -> Circle:
    """The largest circle in a patch, in pixels; found once for all patches of one form."""
    left = min(x for corners in polygons for x, _ in corners) // UNITS * UNITS
    top = min(y for corners in polygons for _, y in corners) // UNITS * UNITS
    x, y, radius = inscribed_circle(tuple(tuple((x - left, y - top) for x, y in corners) for corners in polygons))
    return (left + x) / UNITS, (top + y) / UNITS, radius / UNITS


def _hand(corner: Circle, spacing: float, room: int) -> Box:
    """Upon the top left lattice cell, which is wall in every task, and no further than the walls around it."""
    x, y, radius = corner
    side = max(1, min(round(HAND * radius), round(LARGEST_HAND * spacing), room))
    return Box(max(0, round(x - side / 2)), max(0, round(y - side / 2)), side, side)


def _place(corners: tuple[IntPoint, ...], hub: Circle, outline: Sequence[Edge]) -> PlacedCell:
    left, right = _pixels(x for x, _ in corners)
    top, bottom = _pixels(y for _, y in corners)
    edges = zip(corners, (*corners[1:], corners[0]), strict=True)
    inner = frozenset(number for number, edge in enumerate(edges) if edge not in outline)
    spot = _spot(corners, hub, outline)
    shape = CellShape(
        width=right - left,
        height=bottom - top,
        corners=tuple((x - left * UNITS, y - top * UNITS) for x, y in corners),
        inner=inner,
        hub=(hub[0] - left, hub[1] - top, hub[2]),
        spot=(spot[0] - left, spot[1] - top, spot[2]),
    )
    return PlacedCell(shape, Box(left, top, shape.width, shape.height))


def _spot(corners: tuple[IntPoint, ...], hub: Circle, outline: Sequence[Edge]) -> Circle:
    """The circle around a place between the middle of a cell and the hub, as large as the patch has room for it."""
    x, y = (sum(place) / len(corners) / UNITS for place in zip(*corners, strict=True))
    x, y = x + TOWARDS_HUB * (hub[0] - x), y + TOWARDS_HUB * (hub[1] - y)
    return x, y, distance_to_edges((x * UNITS, y * UNITS), outline) / UNITS


def _pixels(coordinates: Iterable[int]) -> tuple[int, int]:
    """The first pixel that a range of units touches, and the one after the last."""
    values = list(coordinates)
    return min(values) // UNITS, -(-max(values) // UNITS)
