"""Compilation of polygons to a `Topology`; cells that share an edge become neighbours.

Coordinates are in units of the lattice spacing, x to the right and y downwards; headings count clockwise from "right".
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Callable, Mapping, Sequence

from gridworld.task_spec import Position
from gridworld.world.topology import NO_CELL, Topology

Point = tuple[float, float]
"""A point: x and y in units of the lattice spacing, y downwards."""
Polygon = tuple[Point, ...]
"""Corners of a polygon, clockwise."""
Vertex = tuple[int, int]
EdgeChoice = Callable[[Sequence[float], float], int | None]
"""``(outward normals of a cell's edges, direction) -> edge``, angles in degrees; None for a direction without an edge.
"""

PRECISION = 1_000_000
"""Vertices closer than the lattice spacing divided by this number count as equal."""

CORNER_BITS = 31
"""Number of bits in a corner's number."""

SAME_DIRECTION = 1e-3
"""Tolerance for equal directions, in degrees."""


def regular_polygon(centre: Point, radius: float, sides: int, first_corner: float) -> Polygon:
    """Make a regular polygon, clockwise; `first_corner` is the direction of its first corner in degrees."""
    angles = (math.radians(first_corner + 360 * corner / sides) for corner in range(sides))
    return tuple((centre[0] + radius * math.cos(angle), centre[1] + radius * math.sin(angle)) for angle in angles)


def edge_facing(normals: Sequence[float], direction: float) -> int | None:
    """Return the edge whose outward normal equals the direction."""
    return next((edge for edge, normal in enumerate(normals) if _between(normal, direction) < SAME_DIRECTION), None)


def nearest_edge(normals: Sequence[float], direction: float) -> int | None:
    """Return the edge whose outward normal is nearest to the direction; the tiling must rule out ties."""
    return min(range(len(normals)), key=lambda edge: _between(normals[edge], direction))


def topology_of_polygons(
    name: str,
    dimensions: tuple[int, int],
    heading_count: int,
    patches: Mapping[Position, Sequence[Polygon]],
    choose_edge: EdgeChoice = edge_facing,
    explanation: str = "",
) -> Topology:
    """Compile the polygons of a tiling.

    Args:
        name: the tiling's name.
        dimensions: lattice columns and rows.
        heading_count: the number of headings; heading `h` points at ``360 * h / heading_count`` degrees.
        patches: lattice cell to its polygons, clockwise, the anchor first.
        choose_edge: finds the edge of a cell that a heading faces.
        explanation: sentences that explain the shapes and places of cells to models.
    """
    polygons = [polygon for patch in patches.values() for polygon in patch]
    directions = [360 * heading / heading_count for heading in range(heading_count)]
    neighbours = _neighbours(polygons)
    exits: list[int] = []
    edges: list[tuple[int, ...]] = []
    shared: dict[tuple[int, ...], tuple[int, ...]] = {}
    for polygon, beyond in zip(polygons, neighbours, strict=True):
        normals = _normals(polygon)
        faced = [choose_edge(normals, direction) for direction in directions]
        exits += [NO_CELL if edge is None else beyond[edge] for edge in faced]
        facing = tuple(heading for heading, edge in enumerate(faced) if edge is not None)
        edges.append(shared.setdefault(facing, facing))
    from gridworld_polygons.sight import LineOfSight  # needs NumPy, which tilings must not import

    centres = tuple(
        (sum(x for x, _ in polygon) / len(polygon), sum(y for _, y in polygon) / len(polygon)) for polygon in polygons
    )
    numbered = _number(patches)
    return Topology(
        name=name,
        width=dimensions[0],
        height=dimensions[1],
        heading_count=heading_count,
        exits=tuple(exits),
        edges=tuple(edges),
        patches=numbered,
        centres=centres,
        polygons=tuple(polygons),
        sight=LineOfSight(centres, tuple(polygons), neighbours, numbered, heading_count, dimensions),
        explanation=explanation,
    )


def _number(patches: Mapping[Position, Sequence[Polygon]]) -> dict[Position, tuple[int, ...]]:
    numbered, first = {}, 0
    for position, patch in patches.items():
        numbered[position] = tuple(range(first, first + len(patch)))
        first += len(patch)
    return numbered


def _neighbours(polygons: Sequence[Polygon]) -> tuple[tuple[int, ...], ...]:
    """Map each cell to the neighbours beyond its edges, `NO_CELL` at the border."""
    numbers: dict[Vertex, int] = {}
    edges = [_edges(polygon, numbers) for polygon in polygons]
    first: dict[int, int] = {}
    second: dict[int, int] = {}
    for cell, around in enumerate(edges):
        for edge in around:
            if first.setdefault(edge, cell) != cell:
                second.setdefault(edge, cell)
    return tuple(
        tuple(second.get(edge, NO_CELL) if first[edge] == cell else first[edge] for edge in around)
        for cell, around in enumerate(edges)
    )


def _edges(polygon: Polygon, numbers: dict[Vertex, int]) -> array[int]:
    """Return the edges of a polygon as direction-independent numbers; adds new corners to `numbers`."""
    corners = [numbers.setdefault((round(x * PRECISION), round(y * PRECISION)), len(numbers)) for x, y in polygon]
    pairs = zip(corners, corners[1:] + corners[:1], strict=True)
    return array("q", [max(pair) << CORNER_BITS | min(pair) for pair in pairs])


def _normals(polygon: Polygon) -> list[float]:
    """Return the outward normals of the edges, in degrees; edge `i` goes from corner `i` to the next."""
    return [
        math.degrees(math.atan2(x0 - x1, y1 - y0)) % 360
        for (x0, y0), (x1, y1) in zip(polygon, polygon[1:] + polygon[:1], strict=True)
    ]


def _between(first: float, second: float) -> float:
    """Return the angle between two directions, 0 to 180 degrees."""
    difference = abs(first - second) % 360
    return min(difference, 360 - difference)
