"""The tilings of this package: shapes, places and neighbours of their cells, and forms that repeat."""

import math
from itertools import product

import pytest

from gridworld.actions import Action
from gridworld.task_spec import Position
from gridworld.world import Topology, compile_world, transition
from gridworld.world.events import Bumped
from gridworld.world.topology import NO_CELL
from gridworld_polygons.sight import cell_forms
from gridworld_polygons.uniform import (
    hexagon_centre,
    hexagon_square_triangle_topology,
    hexagon_topology,
    octagon_square_topology,
    triangle_topology,
)
from support.tilings import direction, exit_table, make_topology, on_polygon_tilings
from support.worlds import draw

HEX, OCTAGONS, RINGS, TRIANGLES = (
    hexagon_topology(5, 5),
    octagon_square_topology(5, 5),
    hexagon_square_triangle_topology(5, 5),
    triangle_topology(4, 4),
)
PATCH = RINGS.patches[Position(2, 2)]
"""A hexagon, three squares and two triangles."""


def beyond(topology: Topology, cell: int) -> list[int | None]:
    """Cells beyond the edges that the headings face."""
    first = cell * topology.heading_count
    exits = topology.exits[first : first + topology.heading_count]
    return [None if each == NO_CELL else each for each in exits]


def triangle(column: int, row: int) -> int:
    """Triangle number `column` of a row."""
    return TRIANGLES.patches[Position(column // 2, row)][column % 2]


def corners(cell: int) -> int:
    return len(RINGS.polygons[cell])


@pytest.mark.parametrize(
    ("topology", "at", "expected"),
    [
        (HEX, (2, 2), [(3, 2), (2, 3), (1, 3), (1, 2), (1, 1), (2, 1)]),
        (HEX, (2, 1), [(3, 1), (3, 2), (2, 2), (1, 1), (2, 0), (3, 0)]),
        (HEX, (0, 0), [(1, 0), (0, 1), None, None, None, None]),
        (HEX, (4, 1), [None, None, (4, 2), (3, 1), (4, 0), None]),
        (HEX, (0, 4), [(1, 4), None, None, None, None, (0, 3)]),
        (OCTAGONS, (2, 2), [(3, 2), (3, 3), (2, 3), (1, 3), (1, 2), (1, 1), (2, 1), (3, 1)]),
        (OCTAGONS, (2, 1), [(3, 1), None, (2, 2), None, (1, 1), None, (2, 0), None]),
        (OCTAGONS, (0, 0), [(1, 0), (1, 1), (0, 1), None, None, None, None, None]),
        (OCTAGONS, (4, 3), [None, None, (4, 4), None, (3, 3), None, (4, 2), None]),
    ],
)
def test_neighbours_by_heading(topology: Topology, at: tuple[int, int], expected: list[Position | None]) -> None:
    found = beyond(topology, topology.anchor(Position(*at)))
    assert [None if cell is None else topology.lattice[cell] for cell in found] == expected


@pytest.mark.parametrize(
    ("at", "expected"),
    [
        ((4, 2), [(5, 2), (4, 3), (4, 3), (3, 2), (3, 2), (5, 2)]),
        ((5, 2), [(6, 2), (6, 2), (4, 2), (4, 2), (5, 1), (5, 1)]),
        ((0, 0), [(1, 0), (0, 1), (0, 1), None, None, (1, 0)]),
        ((7, 0), [None, None, (6, 0), (6, 0), None, None]),
    ],
)
def test_neighbours_of_triangles_by_heading(at: tuple[int, int], expected: list[tuple[int, int] | None]) -> None:
    assert beyond(TRIANGLES, triangle(*at)) == [None if each is None else triangle(*each) for each in expected]


def test_triangles_point_up_where_column_and_row_are_both_even_or_odd() -> None:
    for (x, y), cells in TRIANGLES.patches.items():
        lefts = [min(corner[0] for corner in TRIANGLES.polygons[each]) for each in cells]
        assert lefts == pytest.approx([x, x + 0.5])
        assert TRIANGLES.anchor(Position(x, y)) == cells[0]
    for row, column in product(range(4), range(8)):
        cell = triangle(column, row)
        below = sum(y > TRIANGLES.centres[cell][1] for _, y in TRIANGLES.polygons[cell])
        assert below == (2 if (column + row) % 2 == 0 else 1)


def test_a_patch_of_3464_is_a_hexagon_with_squares_and_triangles_to_its_right_and_below() -> None:
    hexagon, *others = PATCH
    assert [corners(cell) for cell in PATCH] == [6, 4, 4, 4, 3, 3]
    directions = [round(direction(RINGS.centres[hexagon], RINGS.centres[cell])) % 360 for cell in others]
    assert directions == [0, 60, 120, 30, 90]
    for position, cells in RINGS.patches.items():
        assert RINGS.centres[cells[0]] == pytest.approx(hexagon_centre(*position), abs=1e-9)


@pytest.mark.parametrize(
    ("places", "headings", "kinds"),
    [
        ([0], [(0, 2, 4, 6, 8, 10)], [[4] * 6]),
        ([1, 2, 3], [(0, 3, 6, 9), (2, 5, 8, 11), (1, 4, 7, 10)], [[6, 3, 6, 3], [3, 6, 3, 6]]),
        ([4, 5], [(1, 5, 9), (3, 7, 11)], [[4] * 3]),
    ],
    ids=["hexagon", "squares", "triangles"],
)
def test_edges_of_the_cells_of_a_3464_patch(
    places: list[int], headings: list[tuple[int, ...]], kinds: list[list[int]]
) -> None:
    assert [RINGS.edges[PATCH[place]] for place in places] == headings
    for place in places:
        assert [corners(cell) for cell in beyond(RINGS, PATCH[place]) if cell is not None] in kinds


def test_an_agent_that_enters_a_triangle_of_3464_bumps_into_a_corner_until_it_turns() -> None:
    task = draw("######\n#@...#\n#....#\n#...G#\n######", goal={"type": "survive_steps"})
    world = compile_world(task, hexagon_square_triangle_topology(6, 5))
    entered = 0
    for cell, heading, inner in exit_table(world.topology):
        if len(world.topology.polygons[inner]) != 3 or {cell, inner} & world.walls:
            continue
        inside, _ = transition(world, world.start.at(cell).facing(heading), Action.MOVE_FORWARD)
        assert (inside.cell, inside.heading) == (inner, heading)
        assert heading not in world.topology.edges[inner]
        stuck, events = transition(world, inside, Action.MOVE_FORWARD)
        assert (stuck.cell, events) == (inner, (Bumped(None),))
        for turn in (Action.TURN_LEFT, Action.TURN_RIGHT):
            assert transition(world, inside, turn)[0].heading in world.topology.edges[inner]
        entered += 1
    assert entered > 20


# --- Forms -------------------------------------------------------------------------------------------------------

FORMS = {"hex": 2, "triangle": 4, "488": 4, "3464": 12}
"""Number of forms by tiling."""


def forms_of(topology: Topology) -> tuple[int, ...]:
    return cell_forms(topology.polygons, topology.patches, (topology.width, topology.height))


@on_polygon_tilings
def test_the_number_of_forms_does_not_depend_on_the_size(name: str) -> None:
    assert [len(set(forms_of(make_topology(name, size)))) for size in ((5, 5), (8, 6))] == [FORMS[name]] * 2


@on_polygon_tilings
def test_cells_of_one_form_have_equal_corners_and_exits(name: str) -> None:
    topology = make_topology(name, (6, 5))
    forms, headings = forms_of(topology), topology.heading_count
    for one, other in product(range(topology.cell_count), repeat=2):
        if forms[one] != forms[other]:
            continue
        (x0, y0), (x1, y1) = topology.polygons[one][0], topology.polygons[other][0]
        for (x2, y2), (x3, y3) in zip(topology.polygons[one], topology.polygons[other], strict=True):
            assert math.dist((x2 - x0, y2 - y0), (x3 - x1, y3 - y1)) < 1e-6
        for heading in range(headings):
            exits = [topology.exits[cell * headings + heading] for cell in (one, other)]
            assert NO_CELL in exits or exits[0] - one == exits[1] - other


@pytest.mark.parametrize("moved", [0, 1, 5])
def test_without_repetition_every_cell_has_its_own_form(moved: int) -> None:
    topology = make_topology("hex", (3, 3))
    polygons = [list(polygon) for polygon in topology.polygons]
    polygons[moved][0] = (polygons[moved][0][0] + 0.1, polygons[moved][0][1])
    assert len(set(cell_forms(polygons, topology.patches, (3, 3)))) > 2
    backwards = dict(zip(topology.patches, reversed(topology.patches.values()), strict=True))
    assert cell_forms(topology.polygons, backwards, (3, 3)) == tuple(range(9))
