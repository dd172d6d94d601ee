"""The square tiling: cells, headings, exits, and MiniGrid's field of view."""

from textwrap import dedent

import pytest

from gridworld.task_spec import Position
from gridworld.world import Topology, square_topology
from gridworld.world.square import cone
from gridworld.world.topology import NO_CELL

RIGHT, DOWN, LEFT, UP = range(4)


@pytest.fixture
def topology() -> Topology:
    return square_topology(5, 4)


def exit_of(topology: Topology, position: tuple[int, int], heading: int) -> Position | None:
    cell = topology.exits[topology.anchor(Position(*position)) * topology.heading_count + heading]
    return None if cell == NO_CELL else topology.lattice[cell]


def test_cells_are_numbered_row_by_row(topology: Topology) -> None:
    assert topology.anchor(Position(0, 0)) == 0
    assert topology.anchor(Position(3, 2)) == 13


def test_headings(topology: Topology) -> None:
    assert [exit_of(topology, (2, 2), heading) for heading in range(4)] == [(3, 2), (2, 3), (1, 2), (2, 1)]


def test_cells_are_unit_squares_around_their_centres(topology: Topology) -> None:
    cell = topology.anchor(Position(3, 2))
    assert topology.centres[cell] == (3.5, 2.5)
    assert topology.polygons[cell] == ((3, 2), (4, 2), (4, 3), (3, 3))


# --- The field of view -----------------------------------------------------------------------------------------


def view(world: str, position: tuple[int, int], heading: int, size: int) -> str:
    """A picture of what is seen from a cell, ``+`` for seen; in the one given ``o`` is opaque."""
    rows = dedent(world).strip().splitlines()
    width, height = len(rows[0]), len(rows)
    opaque = {y * width + x for y in range(height) for x in range(width) if rows[y][x] == "o"}
    x, y = position
    seen = cone(width, height, y * width + x, heading, size).seen(opaque)
    lines = ["".join("+" if y * width + x in seen else "-" for x in range(width)) for y in range(height)]
    return "\n".join(lines)


def picture(text: str) -> str:
    return dedent(text).strip()


OPEN = "\n".join(["." * 7] * 7)


@pytest.mark.parametrize(
    ("heading", "seen"),
    [
        (RIGHT, "-------\n-------\n---+++-\n---+++-\n---+++-\n-------\n-------"),
        (DOWN, "-------\n-------\n-------\n--+++--\n--+++--\n--+++--\n-------"),
        (LEFT, "-------\n-------\n-+++---\n-+++---\n-+++---\n-------\n-------"),
        (UP, "-------\n--+++--\n--+++--\n--+++--\n-------\n-------\n-------"),
    ],
)
def test_view_by_heading(heading: int, seen: str) -> None:
    assert view(OPEN, (3, 3), heading, 3) == seen


def test_an_opaque_row() -> None:
    world = """
        .......
        .......
        ooooooo
        .......
        .......
    """
    assert view(world, (3, 4), UP, 5) == picture(
        """
        -------
        -------
        -+++++-
        -+++++-
        -+++++-
        """
    )


def test_an_agent_on_an_opaque_cell() -> None:
    world = ".....\n..o..\n....."
    assert view(world, (2, 1), RIGHT, 3) == "-----\n--+--\n-----"


def test_window_order() -> None:
    window = cone(5, 5, 2 * 5 + 2, UP, 3).window
    assert window == (1, 6, 11, 2, 7, 12, 3, 8, 13)


def test_mask_bytes() -> None:
    assert cone(5, 5, 2 * 5 + 2, UP, 3).mask(frozenset()) == bytes([1] * 9)
    assert cone(5, 5, 2 * 5 + 2, UP, 3).mask({6, 7, 8}) == bytes([0, 1, 1] * 3)
