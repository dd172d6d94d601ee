"""Sizes of pictures, and the positions of a tiling's cells in them."""

from __future__ import annotations

import math
from array import array
from collections.abc import Iterable, Sequence
from operator import index
from statistics import fmean
from typing import overload

import attrs

from gridworld.support.caches import BoundedCache
from gridworld.support.checks import check_int
from gridworld.task_spec import Position
from gridworld.world.topology import Topology
from gridworld_multigrid.rendering.patches import PRECISION, Circle, patch_form
from gridworld_multigrid.rendering.raster import UNITS

MAX_SIDE = 1536
"""Default maximum width and height of a picture, in pixels."""

SMALLEST = 64
"""Minimum width and height of a picture, in pixels."""


def picture_size(size: int | tuple[int, int], max_side: int = MAX_SIDE) -> tuple[int, int]:
    """Return the width and height in pixels for a size given as a pair or as the side of a square.

    Args:
        size: the requested size.
        max_side: upper limit of both.

    Raises:
        ValueError: `size` is neither, or a side or `max_side` is less than `SMALLEST` pixels.
    """
    largest = check_int("max_side", max_side, SMALLEST, "pixels")
    sides = size if isinstance(size, (tuple, list)) else (size, size)
    try:
        width, height = map(index, sides)
    except (TypeError, ValueError):
        raise ValueError(f"image_size must be a whole number or (width, height), got {size!r}") from None
    if min(width, height) < SMALLEST:
        raise ValueError(f"image_size must be at least {SMALLEST} pixels each way, got {size!r}")
    return min(width, largest), min(height, largest)


Point = tuple[float, float]
IntPoint = tuple[int, int]

PATCH_MARGIN = 2
"""Margin in pixels around a single patch drawn as a picture."""
MARGINS = 160
"""Length of the picture's shorter side, as a multiple of the margin around the tiling."""
HAND, LARGEST_HAND = 1.85, 0.96
"""Side of the held object's frame, as fractions of its patch's radius and of the lattice spacing."""
ROUNDING = 1e-6
"""Fractions of a pixel up to this are rounded down."""
SNAPPED_FROM = 8
"""Minimum lattice spacing, in pixels, that is rounded to a whole number so that many cells look alike."""
BYTES_PER_PLACED_CELL = 1500
"""Measured memory of a `PlacedCell` in bytes."""


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
    """A cell's polygon in its box, and its position in its patch; equal for cells that look alike."""

    width: int
    """Width of the box in pixels."""
    height: int
    corners: tuple[IntPoint, ...]
    """Corners of the polygon, in `UNITS`, relative to the box."""
    inner: frozenset[int]
    """Edges shared with other cells of the patch; edge `i` goes from corner `i` to the next."""
    hub: Circle
    """Largest circle in the patch, in pixels, relative to the box; for content that fills the patch."""
    spot: Circle
    """Circle for content that lies on the cell: shifted towards the hub, but clearly on this cell."""

    @property
    def centre(self) -> Point:
        """Centre of the polygon, in pixels, relative to the box."""
        count = len(self.corners) * UNITS
        return sum(x for x, _ in self.corners) / count, sum(y for _, y in self.corners) / count

    def edge_distances(self) -> list[tuple[float, Point]]:
        """Return the distance of each edge from the centre in pixels, and the edge's unit normal."""
        x, y = self.centre
        pairs = zip(self.corners, [*self.corners[1:], self.corners[0]], strict=True)
        return [_distance(x * UNITS, y * UNITS, *pair) for pair in pairs]

    @property
    def inner_radius(self) -> float:
        """Radius of the largest disc around the centre, in pixels."""
        return min(distance for distance, _ in self.edge_distances())


def _distance(x: float, y: float, start: IntPoint, end: IntPoint) -> tuple[float, Point]:
    dx, dy = end[0] - start[0], end[1] - start[1]
    length = math.hypot(dx, dy)
    cross = dx * (y - start[1]) - dy * (x - start[0])
    return abs(cross) / length / UNITS, (dy / length, -dx / length)


@attrs.frozen
class PlacedCell:
    """A cell's shape, and the position of its box in the picture."""

    shape: CellShape
    box: Box


@attrs.frozen
class Layout:
    """All cells of a tiling placed in a picture."""

    width: int
    height: int
    spacing: float
    """Distance in pixels between neighbouring columns of the lattice."""
    cells: Sequence[PlacedCell]
    """Cells by number; for a single patch, in the order of the patch."""
    hand: Box
    """Frame of the held object, on the top left lattice cell, which is a wall in every task."""

    def box(self, cell: int) -> Box:
        """Return the box of a cell."""
        return self.cells.box(cell) if isinstance(self.cells, PlacedCells) else self.cells[cell].box


@attrs.frozen
class Fit:
    """Size and scale at which a tiling fits into a picture."""

    width: int
    """Width of the picture, in pixels."""
    height: int
    spacing: float
    """Distance in pixels between neighbouring columns of the lattice."""
    origin: IntPoint
    """Position of the tiling's origin, in pixels."""


def fit(topology: Topology, size: tuple[int, int]) -> Fit:
    """Scale a tiling to a picture's maximum width and height in pixels, and shrink the picture to fit."""
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
    """Place the cells of a tiling in a picture of the size computed by `fit`."""
    fitted = fit(topology, size)
    cells = PlacedCells(topology, fitted)
    hub, _ = cells.patch(Position(0, 0))
    hand = _hand(hub, fitted.spacing, min(fitted.width, fitted.height))
    return Layout(fitted.width, fitted.height, fitted.spacing, cells, hand)


class PlacedCells(Sequence[PlacedCell]):
    """The cells of a tiling in a picture, placed one patch at a time on first use.

    Args:
        topology: the tiling.
        fitted: its size in the picture.
    """

    def __init__(self, topology: Topology, fitted: Fit) -> None:
        self._topology, self._fitted = topology, fitted
        self._patches: BoundedCache[Position, tuple[Circle, tuple[PlacedCell, ...]]] = BoundedCache()
        self._boxes = array("i", bytes(4 * array("i").itemsize * topology.cell_count))
        """Four numbers for each cell's box, zero until the cell is placed; boxes are needed far more often than shapes.
        """

    def __len__(self) -> int:
        return self._topology.cell_count

    @overload
    def __getitem__(self, cell: int) -> PlacedCell: ...
    @overload
    def __getitem__(self, cell: slice) -> tuple[PlacedCell, ...]: ...
    def __getitem__(self, cell: int | slice) -> PlacedCell | tuple[PlacedCell, ...]:
        if isinstance(cell, slice):
            return tuple(self[each] for each in range(len(self))[cell])
        position = self._topology.lattice[cell]
        return self.patch(position)[1][self._topology.patches[position].index(cell)]

    def box(self, cell: int) -> Box:
        """Return the box of a cell."""
        left, top, width, height = self._boxes[4 * cell : 4 * cell + 4]
        return Box(left, top, width, height) if width else self[cell].box

    def patch(self, position: Position) -> tuple[Circle, tuple[PlacedCell, ...]]:
        """Return the largest circle in a patch, in pixels, and its cells."""
        placed = self._patches.get(position)
        if placed is None:
            patch = self._topology.patches[position]
            placed = _place_patch(self._topology, patch, self._fitted.spacing, self._fitted.origin)
            self._patches.put(position, placed, BYTES_PER_PLACED_CELL * len(patch))
            for cell, each in zip(patch, placed[1], strict=True):
                self._boxes[4 * cell : 4 * cell + 4] = array("i", attrs.astuple(each.box))
        return placed


def lattice_lines(topology: Topology, layout: Layout) -> tuple[list[float], list[float]]:
    """Return the positions of the lattice's columns and rows, in pixels: the mean centres of their patches."""
    middles: dict[Position, Point] = {}
    for position, patch in topology.patches.items():
        cells = [layout.cells[cell] for cell in patch]
        middles[position] = (
            fmean(placed.box.left + placed.shape.centre[0] for placed in cells),
            fmean(placed.box.top + placed.shape.centre[1] for placed in cells),
        )
    columns = [fmean(middles[Position(x, y)][0] for y in range(topology.height)) for x in range(topology.width)]
    rows = [fmean(middles[Position(x, y)][1] for x in range(topology.width)) for y in range(topology.height)]
    return columns, rows


def lay_out_patch(topology: Topology, position: Position, spacing: float) -> Layout:
    """Place the cells of one lattice cell in a separate picture, in the order of the patch.

    Args:
        topology: the tiling.
        position: the lattice cell.
        spacing: pixels between neighbouring columns of the lattice.
    """
    patch = topology.patches[position]
    corners = [point for cell in patch for point in topology.polygons[cell]]
    left, top = min(x for x, _ in corners), min(y for _, y in corners)
    width, height = (
        math.ceil(spacing * (max(along) - min(along)) - ROUNDING) + 2 * PATCH_MARGIN
        for along in zip(*corners, strict=True)
    )
    origin = (round(PATCH_MARGIN - spacing * left), round(PATCH_MARGIN - spacing * top))
    hub, placed = _place_patch(topology, patch, spacing, origin)
    return Layout(width, height, spacing, placed, _hand(hub, spacing, min(width, height)))


def _place_patch(
    topology: Topology, patch: tuple[int, ...], spacing: float, origin: IntPoint
) -> tuple[Circle, tuple[PlacedCell, ...]]:
    """Return the largest circle in a patch, in pixels, and its cells."""

    def to_units(point: Point) -> IntPoint:
        x, y = (round(coordinate * PRECISION) / PRECISION for coordinate in point)
        return round((origin[0] + x * spacing) * UNITS), round((origin[1] + y * spacing) * UNITS)

    polygons = [tuple(map(to_units, topology.polygons[cell])) for cell in patch]
    form, first = patch_form([topology.polygons[cell] for cell in patch]), polygons[0][0]
    hub = _placed(form.hub, first, spacing)
    spots = (_placed(spot, first, spacing) for spot in form.spots)
    parts = zip(polygons, spots, form.inner, strict=True)
    return hub, tuple(_place(corners, hub, spot, inner) for corners, spot, inner in parts)


def _placed(circle: Circle, first: IntPoint, spacing: float) -> Circle:
    """Place a circle of a patch in the picture, in pixels; its centre is rounded like corners.

    Args:
        circle: relative to the first corner of the patch, in lattice spacings.
        first: that corner in the picture, in `UNITS`.
        spacing: pixels between two neighbouring columns of the lattice.
    """
    x, y, radius = circle
    left, top = (at + round(offset * spacing * UNITS) for at, offset in zip(first, (x, y), strict=True))
    return left / UNITS, top / UNITS, radius * spacing


def _hand(corner: Circle, spacing: float, room: int) -> Box:
    """Return the frame of the held object, no larger than the walls around it."""
    x, y, radius = corner
    side = max(1, min(round(HAND * radius), round(LARGEST_HAND * spacing), room))
    return Box(max(0, round(x - side / 2)), max(0, round(y - side / 2)), side, side)


def _place(corners: tuple[IntPoint, ...], hub: Circle, spot: Circle, inner: frozenset[int]) -> PlacedCell:
    left, right = _pixels(x for x, _ in corners)
    top, bottom = _pixels(y for _, y in corners)
    shape = CellShape(
        width=right - left,
        height=bottom - top,
        corners=tuple((x - left * UNITS, y - top * UNITS) for x, y in corners),
        inner=inner,
        hub=(hub[0] - left, hub[1] - top, hub[2]),
        spot=(spot[0] - left, spot[1] - top, spot[2]),
    )
    return PlacedCell(shape, Box(left, top, shape.width, shape.height))


def _pixels(coordinates: Iterable[int]) -> tuple[int, int]:
    """Return the first pixel that a range of `UNITS` touches, and the one after the last."""
    values = list(coordinates)
    return min(values) // UNITS, -(-max(values) // UNITS)
