"""The tiling of triangles, two for each lattice cell."""

import pytest

from gridworld.task_spec import Position
from gridworld.testing.geometry import direction
from gridworld.world.topology import NO_CELL
from gridworld_multigrid.tilings.uniform import triangle_topology

TOPOLOGY = triangle_topology(4, 4)


def cell(column: int, row: int) -> int:
    """Triangle number `column` of a row."""
    return TOPOLOGY.patches[Position(column // 2, row)][column % 2]


def points_up(number: int) -> bool:
    """Whether more corners of a triangle lie below its centre than above."""
    return sum(y > TOPOLOGY.centres[number][1] for _, y in TOPOLOGY.polygons[number]) == 2


def around(column: int, row: int) -> list[int | None]:
    """The cells beyond the edges that the six headings take."""
    first = cell(column, row) * 6
    return [None if each == NO_CELL else each for each in TOPOLOGY.exits[first : first + 6]]


def test_a_lattice_cell_has_the_triangles_2x_and_2x_plus_1_of_its_row_the_first_being_its_anchor() -> None:
    for (x, y), cells in TOPOLOGY.patches.items():
        assert len(cells) == 2
        lefts = [min(corner[0] for corner in TOPOLOGY.polygons[each]) for each in cells]
        assert lefts == pytest.approx([x, x + 0.5])
        assert TOPOLOGY.anchor(Position(x, y)) == cells[0]


def test_triangles_point_up_where_column_and_row_are_both_even_or_both_odd() -> None:
    for row in range(4):
        for column in range(8):
            assert points_up(cell(column, row)) == ((column + row) % 2 == 0)


def test_sides_are_one_unit_long() -> None:
    for polygon in TOPOLOGY.polygons:
        xs = sorted(x for x, _ in polygon)
        assert xs == pytest.approx([xs[0], xs[0] + 0.5, xs[0] + 1])


def test_the_headings_of_a_triangle_that_points_up_lead_right_down_and_left_two_each() -> None:
    right, below, left = cell(5, 2), cell(4, 3), cell(3, 2)
    assert around(4, 2) == [right, below, below, left, left, right]


def test_the_headings_of_a_triangle_that_points_down_lead_right_left_and_up_two_each() -> None:
    right, above, left = cell(6, 2), cell(5, 1), cell(4, 2)
    assert around(5, 2) == [right, right, left, left, above, above]


def test_no_exit_leads_over_the_rim() -> None:
    assert around(0, 0) == [cell(1, 0), cell(0, 1), cell(0, 1), None, None, cell(1, 0)]
    assert around(7, 0) == [None, None, cell(6, 0), cell(6, 0), None, None]


def test_a_heading_takes_the_edge_nearest_to_it_and_never_has_to_break_a_tie() -> None:
    for number, polygon in enumerate(TOPOLOGY.polygons):
        middles = [
            ((x0 + x1) / 2, (y0 + y1) / 2)
            for (x0, y0), (x1, y1) in zip(polygon, polygon[1:] + polygon[:1], strict=True)
        ]
        for heading in range(6):
            normals = [direction(TOPOLOGY.centres[number], middle) for middle in middles]
            nearest, second, _ = sorted(abs((each - 60 * heading + 180) % 360 - 180) for each in normals)
            assert (nearest, second) == (pytest.approx(30), pytest.approx(90))


def test_walking_straight_on_crosses_a_row_and_comes_back() -> None:
    at, walked = cell(0, 1), []
    while at != NO_CELL:
        walked.append(at)
        at = TOPOLOGY.exits[at * 6]
    assert walked == [cell(column, 1) for column in range(8)]
    back = [walked[-1]]
    while TOPOLOGY.exits[back[-1] * 6 + 3] != NO_CELL:
        back.append(TOPOLOGY.exits[back[-1] * 6 + 3])
    assert back == walked[::-1]
