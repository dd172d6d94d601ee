"""From polygons to the tables of a topology."""

import math

import pytest

from gridworld.task_spec import Position
from gridworld.world import Topology
from gridworld.world.topology import NO_CELL
from gridworld_polygons.polygons import (
    Polygon,
    edge_facing,
    nearest_edge,
    regular_polygon,
    topology_of_polygons,
)
from support.tilings import area, direction

RIGHT, DOWN, LEFT, UP = range(4)
OF_SQUARE = (0.0, 90.0, 180.0, 270.0)
OF_TRIANGLE = (330.0, 90.0, 210.0)


def square(x: float, y: float, side: float = 1.0) -> Polygon:
    return ((x, y), (x + side, y), (x + side, y + side), (x, y + side))


def two_squares(gap: float = 0.0) -> Topology:
    patches = {Position(0, 0): [square(0, 0)], Position(1, 0): [square(1 + gap, 0)]}
    return topology_of_polygons("pair", (2, 1), 4, patches)


# --- Regular polygons ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("sides", [3, 4, 6, 8])
@pytest.mark.parametrize("first_corner", [0, 22.5, 90, 200])
def test_regular_polygons_have_corners_on_a_circle(sides: int, first_corner: float) -> None:
    centre = (2.0, -1.0)
    polygon = regular_polygon(centre, 1.5, sides, first_corner)
    assert len(polygon) == sides
    for index, corner in enumerate(polygon):
        assert math.dist(centre, corner) == pytest.approx(1.5)
        turned = direction(centre, corner) - first_corner - 360 * index / sides
        assert (turned + 180) % 360 == pytest.approx(180)
    clockwise = sides / 2 * 1.5**2 * math.sin(2 * math.pi / sides)
    assert area(polygon) == pytest.approx(clockwise)


# --- Edges and headings ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("normals", "heading", "edge"),
    [
        *((OF_SQUARE, normal, place) for place, normal in enumerate(OF_SQUARE)),
        *((OF_SQUARE, heading, None) for heading in (45.0, 1.0, 359.0)),
        ((359.9999999, 120.0, 240.0), 0.0, 0),
        ((0.0000001, 120.0, 240.0), 360.0, 0),
    ],
)
def test_a_heading_faces_the_edge_whose_normal_it_is(
    normals: tuple[float, ...], heading: float, edge: int | None
) -> None:
    assert edge_facing(normals, heading) == edge


@pytest.mark.parametrize(("heading", "edge"), [(0, 0), (300, 0), (60, 1), (120, 1), (180, 2), (240, 2), (330, 0)])
def test_the_nearest_edge_may_lie_on_either_side_of_zero(heading: float, edge: int) -> None:
    assert nearest_edge(OF_TRIANGLE, heading) == edge


# --- Topologies ------------------------------------------------------------------------------------------------------


def test_polygons_that_share_an_edge_are_neighbours() -> None:
    none, topology = NO_CELL, two_squares()
    assert topology.exits == (1, none, none, none, none, none, 0, none)
    assert topology.edges == ((RIGHT, DOWN, LEFT, UP),) * 2
    assert topology.centres == ((0.5, 0.5), (1.5, 0.5))
    assert (topology.name, topology.width, topology.height, topology.heading_count) == ("pair", 2, 1, 4)
    assert two_squares(gap=1e-9).exits == topology.exits


def test_polygons_apart_or_with_a_common_corner_are_no_neighbours() -> None:
    patches = {Position(0, 0): [square(0, 0)], Position(1, 1): [square(1, 1)]}
    for topology in (two_squares(gap=0.01), topology_of_polygons("corner", (2, 2), 4, patches)):
        assert set(topology.exits) == {NO_CELL}


def test_cells_are_numbered_patch_by_patch() -> None:
    patches = {
        Position(1, 0): [square(1, 0), square(2, 0)],
        Position(0, 0): [square(0, 0)],
    }
    topology = topology_of_polygons("three", (2, 1), 4, patches)
    assert topology.patches == {Position(1, 0): (0, 1), Position(0, 0): (2,)}
    assert topology.polygons == (square(1, 0), square(2, 0), square(0, 0))
    assert topology.anchor(Position(1, 0)) == 0
    assert topology.exits[2 * 4 + RIGHT] == 0


def test_turns_skip_headings_without_an_edge() -> None:
    patches = {Position(0, 0): [square(0, 0)], Position(1, 0): [square(1, 0)]}
    topology = topology_of_polygons("eight", (2, 1), 8, patches)
    assert topology.edges == ((0, 2, 4, 6),) * 2
    assert topology.exits[:8] == (1, *[NO_CELL] * 7)
    assert topology.right[:8] == (2, 2, 4, 4, 6, 6, 0, 0)
    assert topology.left[:8] == (6, 0, 0, 2, 2, 4, 4, 6)


def test_with_the_nearest_edge_every_heading_has_one() -> None:
    patches = {Position(0, 0): [regular_polygon((0, 0), 1, 3, 30)]}
    topology = topology_of_polygons("one", (1, 1), 6, patches, choose_edge=nearest_edge)
    assert topology.edges == ((0, 1, 2, 3, 4, 5),)


def test_a_topology_sees_over_its_own_polygons() -> None:
    topology = two_squares()
    assert topology.sight(0, RIGHT, 3).seen(frozenset()) == {0, 1}
    assert topology.sight(0, LEFT, 3).seen(frozenset()) == {0}
