"""Triangles, two for each lattice cell, in rows where those that point up and down alternate."""

from gridworld.task_spec import Position
from gridworld.world.topology import Topology, shared_topology
from gridworld_multigrid.tilings.polygons import Polygon, nearest_edge, topology_of_polygons

__all__ = ["triangle_topology"]

SIDE = 1.0
HEIGHT = SIDE * 3**0.5 / 2


def _triangle(column: int, row: int) -> Polygon:
    """Triangle number `column` of a row, clockwise; it points up where column and row are both even or both odd."""
    left, top, bottom = column * SIDE / 2, row * HEIGHT, (row + 1) * HEIGHT
    if (column + row) % 2 == 0:
        return ((left + SIDE / 2, top), (left + SIDE, bottom), (left, bottom))
    return ((left, top), (left + SIDE, top), (left + SIDE / 2, bottom))


EXPLANATION = (
    "The cells of the maze are triangles that point up and down by turns. Each has a neighbour to the left and to the "
    "right; one that points up has one below it, one that points down has one above it."
)


@shared_topology
def triangle_topology(width: int, height: int) -> Topology:
    """Two triangles for each lattice cell; six headings, each of which takes the edge nearest to it, never a tie."""
    patches = {
        Position(x, y): [_triangle(2 * x, y), _triangle(2 * x + 1, y)] for y in range(height) for x in range(width)
    }
    return topology_of_polygons("triangle", (width, height), 6, patches, nearest_edge, EXPLANATION)
