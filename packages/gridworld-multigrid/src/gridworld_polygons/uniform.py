"""The tilings of this package: hexagons, triangles, 4.8.8 and 3.4.6.4. Sizes are in lattice spacings."""

import math
from collections.abc import Callable, Sequence
from functools import partial

from gridworld.task_spec import Position
from gridworld.world.topology import Topology, shared_topology
from gridworld_polygons.polygons import Point, Polygon, nearest_edge, regular_polygon, topology_of_polygons

Patches = dict[Position, list[Polygon]]

ROW_HEIGHT = 3**0.5 / 2
"""Distance between rows of hexagons one lattice spacing apart; also the height of a triangle."""
HEXAGON_RADIUS = 1 / 3**0.5


def _patches(width: int, height: int, patch: Callable[[int, int], Sequence[Polygon]]) -> Patches:
    return {Position(x, y): [*patch(x, y)] for y in range(height) for x in range(width)}


def hexagon_centre(x: int, y: int) -> Point:
    """Return the centre of a hexagon in odd-r offset: odd rows are shifted half a cell to the right."""
    return (x + 0.5 * (y % 2), y * ROW_HEIGHT)


HEXAGONS = (
    "The cells of the maze are hexagons with a corner at the top, in rows; every second row is shifted by half a cell. "
    "No cell has a neighbour straight above or below it."
)


@shared_topology
def hexagon_topology(width: int, height: int) -> Topology:
    """Return the tiling with one hexagon per lattice cell, a corner at the top; six headings."""
    patches = _patches(width, height, lambda x, y: [regular_polygon(hexagon_centre(x, y), HEXAGON_RADIUS, 6, 30)])
    return topology_of_polygons("hex", (width, height), 6, patches, explanation=HEXAGONS)


TRIANGLES = (
    "The cells of the maze are triangles that alternately point up and down. Each has a neighbour to the left and to "
    "the right; one that points up has one below it, one that points down has one above it."
)


@shared_topology
def triangle_topology(width: int, height: int) -> Topology:
    """Return the tiling with two triangles per lattice cell; six headings, each with a unique nearest edge."""
    patches = _patches(width, height, lambda x, y: [_triangle(2 * x, y), _triangle(2 * x + 1, y)])
    return topology_of_polygons("triangle", (width, height), 6, patches, nearest_edge, TRIANGLES)


def _triangle(column: int, row: int) -> Polygon:
    """Return a triangle of a row, clockwise; it points up if column and row are both even or both odd."""
    left, top, bottom = column / 2, row * ROW_HEIGHT, (row + 1) * ROW_HEIGHT
    if (column + row) % 2 == 0:
        return ((left + 0.5, top), (left + 1, bottom), (left, bottom))
    return ((left, top), (left + 1, top), (left + 0.5, bottom))


OCTAGON_SIDE = 2 / (2 + 2**0.5)
"""Side of octagons and squares: an octagon, ``side * (1 + sqrt 2)`` wide, and a square span two lattice spacings."""
OCTAGON_RADIUS = OCTAGON_SIDE / 2 * (4 + 2 * 2**0.5) ** 0.5
OCTAGONS_AND_SQUARES = (
    "The cells of the maze are alternating octagons and squares, as on a checkerboard. Squares have neighbours to the "
    "right, below, to the left and above; octagons also have diagonal neighbours."
)


@shared_topology
def octagon_square_topology(width: int, height: int) -> Topology:
    """Return the tiling 4.8.8: an octagon where ``x + y`` is even and a square where it is odd; eight headings."""
    octagon = partial(regular_polygon, radius=OCTAGON_RADIUS, sides=8, first_corner=22.5)
    square = partial(regular_polygon, radius=OCTAGON_SIDE / 2**0.5, sides=4, first_corner=45)
    patches = _patches(width, height, lambda x, y: [(square if (x + y) % 2 else octagon)((x, y))])
    return topology_of_polygons("488", (width, height), 8, patches, explanation=OCTAGONS_AND_SQUARES)


RING_SIDE = 1 / (1 + 3**0.5)
"""Side of all polygons of 3.4.6.4: a hexagon, ``side * sqrt 3`` wide, and a square span one lattice spacing."""
RINGED_HEXAGONS = (
    "The cells of the maze are hexagons, each ringed by squares, with triangles between the squares. Hexagons "
    "and triangles have only squares as neighbours; squares have hexagons and triangles."
)


@shared_topology
def hexagon_square_triangle_topology(width: int, height: int) -> Topology:
    """Return the tiling 3.4.6.4: a hexagon, three squares and two triangles per lattice cell; twelve headings."""
    patches = _patches(width, height, lambda x, y: _ringed_hexagon(hexagon_centre(x, y)))
    return topology_of_polygons("3464", (width, height), 12, patches, explanation=RINGED_HEXAGONS)


def _ringed_hexagon(centre: Point) -> list[Polygon]:
    """Return a hexagon, the squares to its right, lower right and lower left, and the triangles between them."""

    def beyond(direction: float, sides: float, radius: float, corners: int, first_corner: float) -> Polygon:
        """Return a polygon whose centre is `sides` side lengths from the hexagon's, in a direction in degrees."""
        angle = math.radians(direction)
        place = (centre[0] + sides * RING_SIDE * math.cos(angle), centre[1] + sides * RING_SIDE * math.sin(angle))
        return regular_polygon(place, radius, corners, first_corner)

    squares = [beyond(way, (3**0.5 + 1) / 2, RING_SIDE / 2**0.5, 4, way + 45) for way in (0, 60, 120)]
    triangles = [beyond(way, 1 + 1 / 3**0.5, RING_SIDE / 3**0.5, 3, way + 180) for way in (30, 90)]
    return [regular_polygon(centre, RING_SIDE, 6, 30), *squares, *triangles]
