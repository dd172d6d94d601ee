from gridworld.hookspecs import Position, TilingInfo, Topology, shared_topology
from gridworld_polygons import Polygon, topology_of_polygons


def brick(left: float, top: float) -> Polygon:
    right, bottom = left + 0.5, top + 1
    return ((left, top), (right, top), (right, bottom), (left, bottom))


@shared_topology
def bricks(width: int, height: int) -> Topology:
    cells = [Position(x, y) for y in range(height) for x in range(width)]
    patches = {cell: [brick(*cell), brick(cell.x + 0.5, cell.y)] for cell in cells}
    return topology_of_polygons("bricks", (width, height), 4, patches)


BRICKS = TilingInfo("bricks", "Two bricks a cell.", f"{__name__}:bricks")
