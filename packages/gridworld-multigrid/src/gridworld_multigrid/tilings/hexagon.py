"""Hexagons in odd-r offset: odd rows are shifted half a cell to the right."""

from gridworld.task_spec import Position
from gridworld.world.topology import Topology, shared_topology
from gridworld_multigrid.tilings.polygons import Point, regular_polygon, topology_of_polygons

__all__ = ["hexagon_centre", "hexagon_topology"]

ROW_HEIGHT = 3**0.5 / 2
"""The distance of two rows whose hexagons are one lattice spacing apart."""
RADIUS = 1 / 3**0.5


def hexagon_centre(x: int, y: int) -> Point:
    """The centre of a lattice cell."""
    return (x + 0.5 * (y % 2), y * ROW_HEIGHT)


EXPLANATION = (
    "The cells of the maze are hexagons with a corner at the top, in rows of which every second one is shifted by half "
    "a cell. No cell has another one straight above or below it."
)


@shared_topology
def hexagon_topology(width: int, height: int) -> Topology:
    """One hexagon for each lattice cell, a corner on top; six headings."""
    patches = {
        Position(x, y): [regular_polygon(hexagon_centre(x, y), RADIUS, 6, 30)]
        for y in range(height)
        for x in range(width)
    }
    return topology_of_polygons("hex", (width, height), 6, patches, explanation=EXPLANATION)
