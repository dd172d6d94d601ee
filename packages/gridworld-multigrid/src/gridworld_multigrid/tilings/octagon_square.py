"""The tiling 4.8.8: octagons and squares on a checkerboard."""

from gridworld.task_spec import Position
from gridworld.world.topology import Topology, shared_topology
from gridworld_multigrid.tilings.polygons import Polygon, regular_polygon, topology_of_polygons

__all__ = ["octagon_square_topology"]

SIDE = 2 / (2 + 2**0.5)
"""The side of all polygons: an octagon of width ``SIDE * (1 + sqrt 2)`` and a square fill two lattice spacings."""
OCTAGON_RADIUS = SIDE / 2 * (4 + 2 * 2**0.5) ** 0.5
SQUARE_RADIUS = SIDE / 2**0.5


def _polygon(x: int, y: int) -> Polygon:
    if (x + y) % 2 == 0:
        return regular_polygon((x, y), OCTAGON_RADIUS, 8, 22.5)
    return regular_polygon((x, y), SQUARE_RADIUS, 4, 45)


EXPLANATION = (
    "The cells of the maze are octagons and squares by turns, as on a checkerboard. Squares have neighbours to the "
    "right, below, to the left and above; octagons also diagonally."
)


@shared_topology
def octagon_square_topology(width: int, height: int) -> Topology:
    """An octagon where ``x + y`` is even and a square where it is odd; eight headings."""
    patches = {Position(x, y): [_polygon(x, y)] for y in range(height) for x in range(width)}
    return topology_of_polygons("488", (width, height), 8, patches, explanation=EXPLANATION)
