"""From polygons to the tables of a topology."""

import math

import pytest

from gridworld.task_spec import Position
from gridworld.testing.geometry import area, direction
from gridworld.world import Topology
from gridworld.world.topology import NO_CELL
from gridworld_multigrid.tilings.polygons import (
    Polygon,
    edge_facing,
    nearest_edge,
    regular_polygon,
    topology_of_polygons,
)

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


@pytest.mark.parametrize("sides", [3, 4, 6, 8])
def test_a_regular_polygon_is_clockwise_with_y_downwards(sides: int) -> None:
    assert area(regular_polygon((0, 0), 1, sides, 10)) == pytest.approx(sides / 2 * math.sin(2 * math.pi / sides))


# --- Edges and headings ----------------------------------------------------------------------------------------------


def test_a_heading_faces_the_edge_whose_normal_it_is() -> None:
    assert [edge_facing(OF_SQUARE, normal) for normal in OF_SQUARE] == [0, 1, 2, 3]


@pytest.mark.parametrize("heading", [45.0, 1.0, 359.0])
def test_a_heading_between_the_normals_faces_no_edge(heading: float) -> None:
    assert edge_facing(OF_SQUARE, heading) is None


def test_rounding_turns_no_heading_away_from_its_edge() -> None:
    assert edge_facing((359.9999999, 120.0, 240.0), 0.0) == 0
    assert edge_facing((0.0000001, 120.0, 240.0), 360.0) == 0


@pytest.mark.parametrize(("heading", "edge"), [(0, 0), (300, 0), (60, 1), (120, 1), (180, 2), (240, 2), (330, 0)])
def test_the_nearest_edge_may_lie_on_either_side_of_zero(heading: float, edge: int) -> None:
    assert nearest_edge(OF_TRIANGLE, heading) == edge


# --- Topologies ------------------------------------------------------------------------------------------------------


def test_polygons_that_share_an_edge_are_neighbours() -> None:
    none = NO_CELL
    assert two_squares().exits == (1, none, none, none, none, none, 0, none)


def test_edges_at_the_rim_are_faced_too() -> None:
    assert two_squares().edges == ((RIGHT, DOWN, LEFT, UP),) * 2


def test_corners_that_rounding_has_moved_apart_are_still_one() -> None:
    assert two_squares(gap=1e-9).exits == two_squares().exits


def test_polygons_that_stand_apart_are_no_neighbours() -> None:
    assert set(two_squares(gap=0.01).exits) == {NO_CELL}


def test_polygons_that_meet_in_a_corner_only_are_no_neighbours() -> None:
    patches = {Position(0, 0): [square(0, 0)], Position(1, 1): [square(1, 1)]}
    assert set(topology_of_polygons("corner", (2, 2), 4, patches).exits) == {NO_CELL}


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


def test_a_centre_is_the_middle_of_its_polygon() -> None:
    assert two_squares().centres == ((0.5, 0.5), (1.5, 0.5))


def test_a_topology_keeps_its_name_its_dimensions_and_its_headings() -> None:
    topology = two_squares()
    assert (topology.name, topology.width, topology.height, topology.heading_count) == ("pair", 2, 1, 4)


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
