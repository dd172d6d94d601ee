"""The tiling 3.4.6.4: hexagons ringed by squares, with triangles where three squares meet."""

import math

from gridworld.task_spec import Position
from gridworld.world.topology import Topology, shared_topology
from gridworld_multigrid.tilings.hexagon import hexagon_centre
from gridworld_multigrid.tilings.polygons import Point, Polygon, regular_polygon, topology_of_polygons

__all__ = ["hexagon_square_triangle_topology"]

SIDE = 1 / (1 + 3**0.5)
"""The side of all polygons: a hexagon of width ``SIDE * sqrt 3`` and a square fill one lattice spacing."""


def _patch(centre: Point) -> list[Polygon]:
    """A hexagon, the squares to its right, lower right and lower left, and the triangles between these."""
    squares = [
        _beyond(centre, direction, (3**0.5 + 1) / 2, SIDE / 2**0.5, 4, direction + 45) for direction in (0, 60, 120)
    ]
    triangles = [
        _beyond(centre, direction, 1 + 1 / 3**0.5, SIDE / 3**0.5, 3, direction + 180) for direction in (30, 90)
    ]
    return [regular_polygon(centre, SIDE, 6, 30), *squares, *triangles]


def _beyond(centre: Point, direction: float, sides: float, radius: float, corners: int, first_corner: float) -> Polygon:
    """A polygon whose centre is so many sides away from another one, in a direction in degrees."""
    angle = math.radians(direction)
    place = (centre[0] + sides * SIDE * math.cos(angle), centre[1] + sides * SIDE * math.sin(angle))
    return regular_polygon(place, radius, corners, first_corner)


EXPLANATION = (
    "The cells of the maze are hexagons, each ringed by squares, with triangles between the squares. From a hexagon "
    "one comes onto squares only; from a square onto hexagons and triangles."
)


@shared_topology
def hexagon_square_triangle_topology(width: int, height: int) -> Topology:
    """Six cells for each lattice cell: a hexagon, three squares and two triangles; twelve headings."""
    patches = {Position(x, y): _patch(hexagon_centre(x, y)) for y in range(height) for x in range(width)}
    return topology_of_polygons("3464", (width, height), 12, patches, explanation=EXPLANATION)
