"""The rhombille tiling: hexagons in odd-r offset, each cut into three rhombi that meet in its centre."""

from gridworld.hookspecs import Position, TilingInfo, Topology, shared_topology
from gridworld_polygons import Point, Polygon, hexagon_centre, regular_polygon, topology_of_polygons

__all__ = ["RHOMBILLE", "rhombille_topology"]

RADIUS = 1 / 3**0.5
"""The radius of a hexagon that is one lattice spacing wide, and the side of the rhombi."""


def _rhombi(centre: Point) -> list[Polygon]:
    """The rhombi to the right, below and to the left, clockwise, from the centre of the hexagon to its corners."""
    corners = regular_polygon(centre, RADIUS, 6, -90)
    return [(centre, corners[first], corners[first + 1], corners[(first + 2) % 6]) for first in (0, 2, 4)]


EXPLANATION = (
    "The cells of the maze are rhombi; three of them that meet in a point make up a hexagon, and hexagons lie in rows "
    "of which every second one is shifted by half a hexagon."
)


@shared_topology
def rhombille_topology(width: int, height: int) -> Topology:
    """Three rhombi for each lattice cell; six headings, four of which have an edge on a rhombus."""
    patches = {Position(x, y): _rhombi(hexagon_centre(x, y)) for y in range(height) for x in range(width)}
    return topology_of_polygons("rhombille", (width, height), 6, patches, explanation=EXPLANATION)


RHOMBILLE = TilingInfo("rhombille", "Three rhombi a cell.", f"{__name__}:rhombille_topology")
