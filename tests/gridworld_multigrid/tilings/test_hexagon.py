"""The tiling of hexagons."""

import math

import pytest

from gridworld.task_spec import Position
from gridworld.world.topology import NO_CELL
from gridworld_multigrid.tilings.uniform import hexagon_centre, hexagon_topology

TOPOLOGY = hexagon_topology(5, 5)
RIGHT, LOWER_RIGHT, LOWER_LEFT, LEFT, UPPER_LEFT, UPPER_RIGHT = range(6)


def around(x: int, y: int) -> list[Position | None]:
    """The lattice cells beyond the six edges, by heading."""
    first = TOPOLOGY.anchor(Position(x, y)) * 6
    return [None if each == NO_CELL else TOPOLOGY.lattice[each] for each in TOPOLOGY.exits[first : first + 6]]


def test_there_is_one_hexagon_for_each_lattice_cell_numbered_row_by_row() -> None:
    assert TOPOLOGY.cell_count == 25
    assert TOPOLOGY.patches[Position(3, 2)] == (13,)


def test_odd_rows_are_shifted_half_a_cell_to_the_right() -> None:
    assert [hexagon_centre(2, y)[0] for y in range(4)] == [2, 2.5, 2, 2.5]


def test_all_six_neighbours_are_one_unit_away() -> None:
    for place, beyond in enumerate(TOPOLOGY.exits):
        if beyond != NO_CELL:
            assert math.dist(TOPOLOGY.centres[place // 6], TOPOLOGY.centres[beyond]) == pytest.approx(1)


def test_the_neighbours_of_a_cell_in_an_even_row_lie_straight_and_to_the_left_above_and_below() -> None:
    assert around(2, 2) == [(3, 2), (2, 3), (1, 3), (1, 2), (1, 1), (2, 1)]


def test_the_neighbours_of_a_cell_in_an_odd_row_lie_straight_and_to_the_right_above_and_below() -> None:
    assert around(2, 1) == [(3, 1), (3, 2), (2, 2), (1, 1), (2, 0), (3, 0)]


def test_no_exit_leads_over_the_rim() -> None:
    assert around(0, 0) == [(1, 0), (0, 1), None, None, None, None]
    assert around(4, 1) == [None, None, (4, 2), (3, 1), (4, 0), None]
    assert around(0, 4) == [(1, 4), None, None, None, None, (0, 3)]


def test_hexagons_have_a_corner_on_top() -> None:
    for polygon, (x, y) in zip(TOPOLOGY.polygons, TOPOLOGY.centres, strict=True):
        assert min(polygon, key=lambda corner: corner[1]) == pytest.approx((x, y - 1 / math.sqrt(3)))


def test_six_turns_right_face_the_six_edges_clockwise() -> None:
    cell, heading, faced = TOPOLOGY.anchor(Position(2, 2)), RIGHT, []
    for _ in range(6):
        heading = TOPOLOGY.right[cell * 6 + heading]
        faced.append(heading)
    assert faced == [LOWER_RIGHT, LOWER_LEFT, LEFT, UPPER_LEFT, UPPER_RIGHT, RIGHT]
