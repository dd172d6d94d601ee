"""Diagrams of tilings as SVG: patches with their anchors and headings, and sealed seams."""

from collections.abc import Iterable, Iterator
from math import dist, hypot

from gridworld.world import Topology, World

__all__ = ["patches_diagram", "seams_diagram"]

PATCH_COLORS = ("#cfe3f5", "#f7dcc4", "#d8ecd0", "#ead7ef")
WALL_COLOR, FLOOR_COLOR, SEAM_COLOR, LINE_COLOR = "#8a8f98", "#ffffff", "#c8102e", "#5b6470"
MARGIN = 0.15

Point = tuple[float, float]


def patches_diagram(topology: Topology) -> str:
    """Each lattice cell's patch in a colour of its own, its anchor marked, with the headings of the middle one."""
    lattice = topology.lattice
    fills = (PATCH_COLORS[position.x % 2 + 2 * (position.y % 2)] for position in lattice)
    anchors = [topology.centres[cells[0]] for cells in topology.patches.values()]
    dots = [f'<circle cx="{x:.3f}" cy="{y:.3f}" r="0.04" fill="{LINE_COLOR}"/>' for x, y in anchors]
    middle = topology.patches[lattice[0]._replace(x=1, y=1)][0]
    return _svg(topology, [*_cells(topology, fills), *dots, *_headings(topology, middle)])


def seams_diagram(world: World) -> str:
    """The walls of a world, and in red the edges that are sealed."""
    topology = world.topology
    fills = (WALL_COLOR if cell in world.walls else FLOOR_COLOR for cell in range(topology.cell_count))
    return _svg(topology, [*_cells(topology, fills), *_seams(world)])


def _cells(topology: Topology, fills: Iterable[str]) -> Iterator[str]:
    for polygon, fill in zip(topology.polygons, fills, strict=True):
        points = " ".join(f"{x:.3f},{y:.3f}" for x, y in polygon)
        yield f'<polygon points="{points}" fill="{fill}" stroke="{LINE_COLOR}" stroke-width="0.015"/>'


def _headings(topology: Topology, cell: int) -> Iterator[str]:
    """From the middle of a cell towards each of its neighbours, with the headings that lead there."""
    x, y = topology.centres[cell]
    leading: dict[int, list[str]] = {}
    for heading in topology.edges[cell]:
        leading.setdefault(topology.exits[cell * topology.heading_count + heading], []).append(str(heading))
    for neighbour, headings in leading.items():
        dx, dy = topology.centres[neighbour][0] - x, topology.centres[neighbour][1] - y
        reach = min(0.3, 0.7 * hypot(dx, dy) / 2) / hypot(dx, dy)
        yield _line((x, y), (x + dx * reach, y + dy * reach), LINE_COLOR, 0.025)
        label = (x + dx * (reach + 0.1 / hypot(dx, dy)), y + dy * (reach + 0.1 / hypot(dx, dy)) + 0.04)
        yield f'<text x="{label[0]:.3f}" y="{label[1]:.3f}">{",".join(headings)}</text>'


def _seams(world: World) -> Iterator[str]:
    for cell, neighbour in sorted(world.seams):
        corners = [corner for corner in world.topology.polygons[cell] if _has(world.topology, neighbour, corner)]
        if cell < neighbour and len(corners) == 2:
            yield _line(corners[0], corners[1], SEAM_COLOR, 0.08)


def _has(topology: Topology, cell: int, corner: Point) -> bool:
    return any(dist(corner, other) < 1e-6 for other in topology.polygons[cell])


def _line(start: Point, end: Point, color: str, width: float) -> str:
    (x1, y1), (x2, y2) = start, end
    ends = f'x1="{x1:.3f}" y1="{y1:.3f}" x2="{x2:.3f}" y2="{y2:.3f}"'
    return f'<line {ends} stroke="{color}" stroke-width="{width}" stroke-linecap="round"/>'


def _svg(topology: Topology, shapes: Iterable[str]) -> str:
    xs, ys = zip(*(point for polygon in topology.polygons for point in polygon), strict=True)
    left, top = min(xs) - MARGIN, min(ys) - MARGIN
    width, height = max(xs) - left + MARGIN, max(ys) - top + MARGIN
    box = f"{left:.3f} {top:.3f} {width:.3f} {height:.3f}"
    style = "text{font:0.14px sans-serif;text-anchor:middle;fill:#22272e}"
    ground = f'<rect x="{left:.3f}" y="{top:.3f}" width="{width:.3f}" height="{height:.3f}" fill="#ffffff"/>'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{box}" width="300"><style>{style}</style>'
    return "\n".join([head, ground, *shapes, "</svg>"]) + "\n"
