"""The tiling 4.8.8."""

import math

import pytest

from gridworld.task_spec import Position
from gridworld.world.topology import NO_CELL
from gridworld_multigrid.tilings.uniform import octagon_square_topology

TOPOLOGY = octagon_square_topology(5, 5)


def around(x: int, y: int) -> list[Position | None]:
    """The lattice cells beyond the edges that the eight headings face."""
    first = TOPOLOGY.anchor(Position(x, y)) * 8
    return [None if each == NO_CELL else TOPOLOGY.lattice[each] for each in TOPOLOGY.exits[first : first + 8]]


def test_octagons_are_where_x_plus_y_is_even_and_squares_where_it_is_odd() -> None:
    for (x, y), cells in TOPOLOGY.patches.items():
        assert [len(TOPOLOGY.polygons[cell]) for cell in cells] == [8 if (x + y) % 2 == 0 else 4]


def test_centres_lie_on_the_lattice() -> None:
    for position, cells in TOPOLOGY.patches.items():
        assert TOPOLOGY.centres[cells[0]] == pytest.approx(position, abs=1e-9)


def test_all_sides_are_equally_long() -> None:
    lengths = [
        math.dist(start, end)
        for polygon in TOPOLOGY.polygons
        for start, end in zip(polygon, polygon[1:] + polygon[:1], strict=True)
    ]
    assert lengths == pytest.approx([2 / (2 + math.sqrt(2))] * len(lengths))


def test_an_octagon_has_squares_to_its_four_sides_and_octagons_on_its_diagonals() -> None:
    assert around(2, 2) == [(3, 2), (3, 3), (2, 3), (1, 3), (1, 2), (1, 1), (2, 1), (3, 1)]


def test_a_square_has_octagons_to_its_four_sides_and_nothing_on_its_diagonals() -> None:
    assert around(2, 1) == [(3, 1), None, (2, 2), None, (1, 1), None, (2, 0), None]
    assert TOPOLOGY.edges[TOPOLOGY.anchor(Position(2, 1))] == (0, 2, 4, 6)


def test_no_exit_leads_over_the_rim() -> None:
    assert around(0, 0) == [(1, 0), (1, 1), (0, 1), None, None, None, None, None]
    assert around(4, 3) == [None, None, (4, 4), None, (3, 3), None, (4, 2), None]


def test_an_agent_that_enters_a_square_turns_by_quarters_there() -> None:
    square = TOPOLOGY.anchor(Position(2, 1)) * 8
    assert [TOPOLOGY.right[square + heading] for heading in (0, 2, 4, 6)] == [2, 4, 6, 0]
