"""Plain geometry for checking tilings.

It uses only polygon corners, never the tables of a topology, so that it can contradict them.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator

from gridworld.task_spec import Position
from gridworld.world import Topology
from gridworld.world.topology import NO_CELL

__all__ = [
    "area",
    "contains",
    "corner_key",
    "direction",
    "edges_of",
    "exit_table",
    "is_beside",
    "is_diagonal",
    "reached",
    "touching_cells",
]

Point = tuple[float, float]
Corner = tuple[int, int]
"""A corner, in units of 1/10,000 of the lattice spacing."""


def exit_table(topology: Topology) -> Iterator[tuple[int, int, int]]:
    """Yield (cell, heading, cell beyond) for each exit."""
    for place, beyond in enumerate(topology.exits):
        if beyond != NO_CELL:
            yield *divmod(place, topology.heading_count), beyond


def reached(exits: tuple[int, ...], heading_count: int, start: int, closed: Iterable[int] = ()) -> set[int]:
    """Return the cells that are reachable through exits, excluding closed cells."""
    found, todo, closed = {start}, [start], set(closed)
    while todo:
        first = todo.pop() * heading_count
        fresh = set(exits[first : first + heading_count]) - found - closed - {NO_CELL}
        found |= fresh
        todo.extend(fresh)
    return found


def is_beside(first: Position, second: Position) -> bool:
    """Whether two lattice cells are 4-neighbours."""
    return abs(first.x - second.x) + abs(first.y - second.y) == 1


def is_diagonal(first: Position, second: Position) -> bool:
    """Whether two lattice cells are diagonal neighbours."""
    return abs(first.x - second.x) == 1 and abs(first.y - second.y) == 1


def corner_key(point: Point) -> Corner:
    """Round a corner to 1/10,000 of the lattice spacing."""
    return round(point[0] * 10_000), round(point[1] * 10_000)


def edges_of(polygon: Iterable[Point]) -> list[tuple[Corner, Corner]]:
    """Return the edges of a polygon in its own order, each from corner to corner."""
    corners = [corner_key(point) for point in polygon]
    return list(zip(corners, corners[1:] + corners[:1], strict=True))


def touching_cells(topology: Topology) -> set[tuple[int, int]]:
    """Return the pairs of cells that share an edge, in both orders."""
    owners: dict[frozenset[Corner], list[int]] = {}
    for cell, polygon in enumerate(topology.polygons):
        for edge in edges_of(polygon):
            owners.setdefault(frozenset(edge), []).append(cell)
    return {(first, second) for cells in owners.values() for first in cells for second in cells if first != second}


def area(polygon: Iterable[Point]) -> float:
    """Return the area of a polygon; positive if its corners are clockwise, y downwards."""
    corners = list(polygon)
    pairs = zip(corners, corners[1:] + corners[:1], strict=True)
    return sum(x0 * y1 - x1 * y0 for (x0, y0), (x1, y1) in pairs) / 2


def contains(polygon: tuple[Point, ...], point: Point, margin: float = 0.0) -> bool:
    """Whether a point is inside a convex clockwise polygon, at least `margin` from its edges."""
    x, y = point
    return all(
        ((x1 - x0) * (y - y0) - (y1 - y0) * (x - x0)) / math.hypot(x1 - x0, y1 - y0) >= margin
        for (x0, y0), (x1, y1) in zip(polygon, polygon[1:] + polygon[:1], strict=True)
    )


def direction(origin: Point, target: Point) -> float:
    """Return the direction from a point to another in degrees, clockwise from "right"."""
    return math.degrees(math.atan2(target[1] - origin[1], target[0] - origin[0])) % 360
