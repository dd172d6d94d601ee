"""The tiling 3.4.6.4."""

import math

import pytest

from gridworld.actions import Action
from gridworld.task_spec import Position
from gridworld.testing.geometry import direction, exit_table, touching_cells
from gridworld.world import compile_world, transition
from gridworld.world.events import Bumped
from gridworld.world.topology import NO_CELL
from gridworld_multigrid.tilings.uniform import hexagon_centre, hexagon_square_triangle_topology
from support.worlds import draw

TOPOLOGY = hexagon_square_triangle_topology(5, 5)
MIDDLE = TOPOLOGY.patches[Position(2, 2)]
SIDE = 1 / (1 + math.sqrt(3))


def corners(cell: int) -> int:
    return len(TOPOLOGY.polygons[cell])


def kinds_around(cell: int) -> list[int]:
    """The corners of the cells beyond a cell's edges, clockwise."""
    first = cell * 12
    beyond = [TOPOLOGY.exits[first + heading] for heading in TOPOLOGY.edges[cell]]
    return [corners(each) for each in beyond if each != NO_CELL]


def test_a_patch_is_a_hexagon_and_the_squares_and_triangles_to_its_right_and_below() -> None:
    hexagon, *others = MIDDLE
    assert [corners(cell) for cell in MIDDLE] == [6, 4, 4, 4, 3, 3]
    directions = [round(direction(TOPOLOGY.centres[hexagon], TOPOLOGY.centres[cell])) % 360 for cell in others]
    assert directions == [0, 60, 120, 30, 90]


def test_the_hexagons_lie_as_in_the_tiling_of_hexagons() -> None:
    for position, cells in TOPOLOGY.patches.items():
        assert TOPOLOGY.centres[cells[0]] == pytest.approx(hexagon_centre(*position), abs=1e-9)


def test_all_sides_are_equally_long() -> None:
    for polygon in TOPOLOGY.polygons:
        for start, end in zip(polygon, polygon[1:] + polygon[:1], strict=True):
            assert math.dist(start, end) == pytest.approx(SIDE)


def test_a_hexagon_is_ringed_by_six_squares() -> None:
    assert kinds_around(MIDDLE[0]) == [4] * 6


def test_a_square_lies_between_two_hexagons_and_two_triangles_in_turn() -> None:
    for square in MIDDLE[1:4]:
        assert kinds_around(square) in ([6, 3, 6, 3], [3, 6, 3, 6])


def test_a_triangle_lies_between_three_squares() -> None:
    for triangle in MIDDLE[4:]:
        assert kinds_around(triangle) == [4] * 3


def test_around_every_inner_corner_lie_a_triangle_a_square_a_hexagon_and_a_square() -> None:
    for corner in TOPOLOGY.polygons[MIDDLE[0]]:
        cells = [
            cell
            for cell, polygon in enumerate(TOPOLOGY.polygons)
            if any(math.dist(corner, other) < 1e-6 for other in polygon)
        ]
        assert sorted(corners(cell) for cell in cells) == [3, 4, 4, 6]


def test_two_hexagons_never_touch() -> None:
    assert not [pair for pair in touching_cells(TOPOLOGY) if corners(pair[0]) == corners(pair[1]) == 6]


def test_the_headings_that_face_edges_of_a_hexagon_three_squares_and_two_triangles() -> None:
    hexagon, right, lower_right, lower_left, *triangles = MIDDLE
    assert TOPOLOGY.edges[hexagon] == (0, 2, 4, 6, 8, 10)
    assert TOPOLOGY.edges[right] == (0, 3, 6, 9)
    assert TOPOLOGY.edges[lower_right] == (2, 5, 8, 11)
    assert TOPOLOGY.edges[lower_left] == (1, 4, 7, 10)
    assert [TOPOLOGY.edges[each] for each in triangles] == [(1, 5, 9), (3, 7, 11)]


def test_who_enters_a_triangle_straight_on_faces_a_corner_and_bumps_until_it_turns() -> None:
    task = draw("######\n#@...#\n#....#\n#...G#\n######", goal={"type": "survive_steps"})
    world = compile_world(task, hexagon_square_triangle_topology(6, 5))
    entered = 0
    for cell, heading, triangle in exit_table(world.topology):
        if len(world.topology.polygons[triangle]) != 3 or {cell, triangle} & world.walls:
            continue
        inside, _ = transition(world, world.start.at(cell).facing(heading), Action.MOVE_FORWARD)
        assert (inside.cell, inside.heading) == (triangle, heading)
        assert heading not in world.topology.edges[triangle]
        stuck, events = transition(world, inside, Action.MOVE_FORWARD)
        assert (stuck.cell, events) == (triangle, (Bumped(None),))
        for turn in (Action.TURN_LEFT, Action.TURN_RIGHT):
            assert transition(world, inside, turn)[0].heading in world.topology.edges[triangle]
        entered += 1
    assert entered > 20
