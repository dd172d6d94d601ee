"""What holds on every tiling, the square one of the core included, whatever the size of the lattice."""

import math
import pickle
from collections import Counter
from itertools import combinations, pairwise
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gridworld.actions import Action
from gridworld.task_spec import Position
from gridworld.world import Topology, compile_world, transition
from gridworld.world.seams import sealed_exits, sealed_seams
from gridworld.world.topology import NO_CELL
from tessellations import (
    TILINGS,
    area,
    contains,
    corner_key,
    direction,
    edges_of,
    exit_table,
    is_beside,
    is_diagonal,
    make_topology,
    on_all_sizes,
    on_all_tilings,
    reached,
    touching_cells,
)
from worlds import draw

HEADINGS = {"square": 4, "hex": 6, "triangle": 6, "488": 8, "3464": 12}
EDGES_OF_CORNERS = {
    "square": {4: 4},
    "hex": {6: 6},
    "triangle": {3: 6},
    "488": {4: 4, 8: 8},
    "3464": {3: 3, 4: 4, 6: 6},
}
"""Tiling to how many headings face an edge of a polygon, by the number of its corners."""
PATCHES = {"square": {(4,)}, "hex": {(6,)}, "triangle": {(3, 3)}, "488": {(4,), (8,)}, "3464": {(6, 4, 4, 4, 3, 3)}}
"""Tiling to the corners of the polygons of its patches, the anchor first."""
LARGEST_DEVIATION = {"triangle": 30.0}
"""Degrees between a heading and the direction in which it leads; none unless given."""

seeds = st.integers(0, 2**32 - 1)
few = settings(max_examples=25, deadline=None, derandomize=True)


def test_all_five_tilings_are_installed() -> None:
    assert set(TILINGS) == set(HEADINGS)


@on_all_sizes
def test_a_topology_says_which_tiling_it_is_and_of_what_size(name: str, size: tuple[int, int]) -> None:
    topology = make_topology(name, size)
    assert (topology.name, topology.width, topology.height) == (name, *size)


@on_all_tilings
def test_a_topology_is_made_once_for_each_size(name: str) -> None:
    assert make_topology(name, (5, 4)) is make_topology(name, (5, 4))
    assert make_topology(name, (5, 4)) is not make_topology(name, (4, 5))


# --- Headings and turns ----------------------------------------------------------------------------------------------


@on_all_sizes
def test_a_tiling_has_its_number_of_headings_and_of_edges_for_each_kind_of_polygon(
    name: str, size: tuple[int, int]
) -> None:
    topology = make_topology(name, size)
    edges = {(len(polygon), len(topology.edges[cell])) for cell, polygon in enumerate(topology.polygons)}
    assert topology.heading_count == HEADINGS[name]
    assert edges == set(EDGES_OF_CORNERS[name].items())


@on_all_sizes
def test_after_a_turn_the_agent_faces_the_next_edge_on_that_side(name: str, size: tuple[int, int]) -> None:
    topology = make_topology(name, size)
    count = topology.heading_count
    for cell in range(topology.cell_count):
        for heading in range(count):
            following = [(heading + step) % count for step in range(1, count + 1)]
            edges = [each for each in following if each in topology.edges[cell]]
            assert topology.right[cell * count + heading] == edges[0]
            assert topology.left[cell * count + heading] == next(each for each in reversed(edges) if each != heading)


@on_all_sizes
def test_turning_left_undoes_turning_right(name: str, size: tuple[int, int]) -> None:
    topology = make_topology(name, size)
    for cell, edges in enumerate(topology.edges):
        first = cell * topology.heading_count
        assert [topology.left[first + topology.right[first + edge]] for edge in edges] == list(edges)
        assert [topology.right[first + topology.left[first + edge]] for edge in edges] == list(edges)


@on_all_sizes
def test_a_full_turn_faces_every_edge_once_and_ends_where_it_began(name: str, size: tuple[int, int]) -> None:
    topology = make_topology(name, size)
    for turn in (topology.left, topology.right):
        for cell, edges in enumerate(topology.edges):
            faced = [edges[0]]
            for _ in edges:
                faced.append(turn[cell * topology.heading_count + faced[-1]])
            assert faced[-1] == faced[0]
            assert sorted(faced[:-1]) == list(edges)


# --- Exits -----------------------------------------------------------------------------------------------------------


@on_all_sizes
def test_every_exit_has_a_twin_half_a_turn_from_it_that_leads_back(name: str, size: tuple[int, int]) -> None:
    topology = make_topology(name, size)
    count = topology.heading_count
    for cell, heading, beyond in exit_table(topology):
        assert topology.exits[beyond * count + (heading + count // 2) % count] == cell


@on_all_sizes
def test_exits_lead_to_all_cells_with_an_edge_in_common_and_to_no_others(name: str, size: tuple[int, int]) -> None:
    topology = make_topology(name, size)
    assert {(cell, beyond) for cell, _, beyond in exit_table(topology)} == touching_cells(topology)


@on_all_sizes
def test_only_headings_that_face_an_edge_have_exits(name: str, size: tuple[int, int]) -> None:
    topology = make_topology(name, size)
    assert all(heading in topology.edges[cell] for cell, heading, _ in exit_table(topology))


@on_all_sizes
def test_an_exit_leads_in_the_direction_of_its_heading(name: str, size: tuple[int, int]) -> None:
    topology = make_topology(name, size)
    for cell, heading, beyond in exit_table(topology):
        way = direction(topology.centres[cell], topology.centres[beyond])
        deviation = abs((way - 360 * heading / topology.heading_count + 180) % 360 - 180)
        assert deviation == pytest.approx(LARGEST_DEVIATION.get(name, 0.0), abs=1e-6)


@on_all_tilings
def test_forward_about_turn_and_forward_return_to_where_it_began(name: str) -> None:
    task = draw("######\n#@...#\n#....#\n#...G#\n######", goal={"type": "survive_steps"}, max_steps=1000)
    world = compile_world(task, make_topology(name, task.maze.dimensions))
    half, moves = world.headings // 2, 0
    for cell in set(range(world.topology.cell_count)) - world.walls:
        for heading in world.topology.edges[cell]:
            ahead, _ = transition(world, world.start.at(cell).facing(heading), Action.MOVE_FORWARD)
            if ahead.cell == cell:
                continue
            moves += 1
            back = ahead
            while back.heading != (heading + half) % world.headings:
                assert back.steps < world.headings
                back, _ = transition(world, back, Action.TURN_RIGHT)
            assert transition(world, back, Action.MOVE_FORWARD)[0].cell == cell
    assert moves >= 2 * 17  # both ways between the 17 pairs of neighbours in a room of 4 x 3


# --- Patches ---------------------------------------------------------------------------------------------------------


@on_all_sizes
def test_every_lattice_cell_has_a_patch_and_every_cell_is_in_exactly_one(name: str, size: tuple[int, int]) -> None:
    topology = make_topology(name, size)
    assert set(topology.patches) == {Position(x, y) for x in range(size[0]) for y in range(size[1])}
    assert sorted(cell for cells in topology.patches.values() for cell in cells) == list(range(topology.cell_count))
    assert all(topology.lattice[cell] == position for position, cells in topology.patches.items() for cell in cells)


@on_all_sizes
def test_a_patch_has_the_polygons_of_its_tiling_and_the_anchor_first(name: str, size: tuple[int, int]) -> None:
    topology = make_topology(name, size)
    corners = {tuple(len(topology.polygons[cell]) for cell in cells) for cells in topology.patches.values()}
    assert corners == PATCHES[name]
    assert all(topology.anchor(position) == cells[0] for position, cells in topology.patches.items())


@on_all_sizes
def test_a_patch_can_be_walked_without_leaving_it(name: str, size: tuple[int, int]) -> None:
    topology = make_topology(name, size)
    everything = set(range(topology.cell_count))
    for cells in topology.patches.values():
        within = reached(topology.exits, topology.heading_count, cells[0], everything.difference(cells))
        assert within == set(cells)


@on_all_sizes
def test_patches_touch_along_an_edge_if_they_are_4_neighbours_and_otherwise_only_on_diagonals(
    name: str, size: tuple[int, int]
) -> None:
    topology = make_topology(name, size)
    lattice = topology.lattice
    touching = {(lattice[first], lattice[second]) for first, second in touching_cells(topology)}
    beside = {(first, second) for first in topology.patches for second in topology.patches if is_beside(first, second)}
    assert beside <= touching
    assert all(first == second or is_diagonal(first, second) for first, second in touching - beside)


@on_all_sizes
def test_anchors_lie_as_their_lattice_cells_do_one_unit_apart_in_a_row(name: str, size: tuple[int, int]) -> None:
    topology = make_topology(name, size)
    centres = {position: topology.centres[topology.anchor(position)] for position in topology.patches}
    for x, y in topology.patches:
        if x > 0:
            (x0, y0), (x1, y1) = centres[Position(x - 1, y)], centres[Position(x, y)]
            assert (x1 - x0, y1 - y0) == pytest.approx((1, 0), abs=1e-9)
        if y > 0:
            (x0, y0), (x1, y1) = centres[Position(x, y - 1)], centres[Position(x, y)]
            assert y1 > y0
            assert abs(x1 - x0) <= 0.5 + 1e-9


# --- Polygons --------------------------------------------------------------------------------------------------------


@on_all_sizes
def test_polygons_are_clockwise_and_convex_around_their_centres(name: str, size: tuple[int, int]) -> None:
    topology = make_topology(name, size)
    for polygon, centre in zip(topology.polygons, topology.centres, strict=True):
        corners = (*polygon, *polygon[:2])
        assert all(area(corners[index : index + 3]) > 0 for index in range(len(polygon)))
        assert contains(polygon, centre, margin=0.1)
        assert centre == pytest.approx(tuple(sum(axis) / len(polygon) for axis in zip(*polygon, strict=True)))


@on_all_sizes
def test_an_edge_belongs_to_one_cell_at_the_rim_and_to_two_on_its_sides_within(
    name: str, size: tuple[int, int]
) -> None:
    topology = make_topology(name, size)
    times = Counter(edge for polygon in topology.polygons for edge in edges_of(polygon))
    assert set(times.values()) == {1}  # clockwise, so the other cell walks it from its other end
    inner = [
        polygon
        for position, cells in topology.patches.items()
        if _is_inner(topology, position)
        for polygon in (topology.polygons[cell] for cell in cells)
    ]
    assert inner
    assert all((end, start) in times for polygon in inner for start, end in edges_of(polygon))


def _is_inner(topology: Topology, position: Position) -> bool:
    return 0 < position.x < topology.width - 1 and 0 < position.y < topology.height - 1


@on_all_tilings
@pytest.mark.parametrize("size", [(3, 3), (5, 4), (6, 7)])
def test_no_two_edges_cross(name: str, size: tuple[int, int]) -> None:
    topology = make_topology(name, size)
    edges = {tuple(sorted(edge)) for polygon in topology.polygons for edge in edges_of(polygon)}
    near = [pair for pair in combinations(sorted(edges), 2) if pair[1][0][0] <= pair[0][1][0]]
    assert len(near) > len(edges)
    assert not [pair for pair in near if _cross(*pair)]


Edge = tuple[tuple[int, int], tuple[int, int]]


def _cross(first: Edge, second: Edge) -> bool:
    """Whether two edges have a point in common that is not a corner of both."""
    if set(first) & set(second):
        return False
    sides = [_side(first, point) * _side(first, other) for point, other in [second]]
    sides += [_side(second, point) * _side(second, other) for point, other in [first]]
    return max(sides) <= 0 and (min(sides) < 0 or _overlap(first, second))


def _side(edge: Edge, point: tuple[int, int]) -> int:
    """On which side of an edge a point lies; 0 within some thousandths of a unit."""
    (x0, y0), (x1, y1) = edge
    cross = (x1 - x0) * (point[1] - y0) - (y1 - y0) * (point[0] - x0)
    return 0 if abs(cross) < 20 * math.hypot(x1 - x0, y1 - y0) else (1 if cross > 0 else -1)


def _overlap(first: Edge, second: Edge) -> bool:
    return all(
        max(min(first[0][axis], first[1][axis]), min(second[0][axis], second[1][axis]))
        <= min(max(first[0][axis], first[1][axis]), max(second[0][axis], second[1][axis]))
        for axis in (0, 1)
    )


@on_all_sizes
def test_the_corners_that_meet_within_fill_a_whole_turn(name: str, size: tuple[int, int]) -> None:
    topology = make_topology(name, size)
    times = Counter(edge for polygon in topology.polygons for edge in edges_of(polygon))
    rim = {corner for (start, end) in times if (end, start) not in times for corner in (start, end)}
    turns: Counter[tuple[int, int]] = Counter()
    for polygon in topology.polygons:
        for before, here, after in zip(polygon[-1:] + polygon[:-1], polygon, polygon[1:] + polygon[:1], strict=True):
            turns[corner_key(here)] += round((direction(here, before) - direction(here, after)) % 360)
    inner = {corner: degrees for corner, degrees in turns.items() if corner not in rim}
    assert len(inner) >= (size[0] - 1) * (size[1] - 1) // 2
    assert set(inner.values()) == {360}
    assert all(turns[corner] < 360 for corner in rim)


@on_all_sizes
def test_the_rim_is_one_closed_line_that_encloses_the_area_of_all_cells(name: str, size: tuple[int, int]) -> None:
    topology = make_topology(name, size)
    edges = [edge for polygon in topology.polygons for edge in edges_of(polygon)]
    ahead = {start: end for start, end in edges if (end, start) not in set(edges)}
    line = [min(ahead)]
    while ahead[line[-1]] != line[0]:
        line.append(ahead[line[-1]])
        assert len(line) <= len(ahead)
    assert len(line) == len(ahead)
    enclosed = area((x / 10_000, y / 10_000) for x, y in line)
    assert enclosed == pytest.approx(sum(map(area, topology.polygons)), rel=1e-3)


@on_all_tilings
def test_every_point_between_the_anchors_of_inner_cells_is_in_exactly_one_cell(name: str) -> None:
    topology = make_topology(name, (7, 7))
    chance = Random(7)
    left, top = topology.centres[topology.anchor(Position(1, 1))]
    right, bottom = topology.centres[topology.anchor(Position(5, 5))]
    for _ in range(500):
        point = (chance.uniform(left, right), chance.uniform(top, bottom))
        around = [polygon for polygon in topology.polygons if contains(polygon, point, margin=-1e-6)]
        inside = [polygon for polygon in around if contains(polygon, point, margin=1e-6)]
        assert len(inside) == 1 or len(around) >= 2
        assert len(inside) <= 1


# --- Sight -----------------------------------------------------------------------------------------------------------

VIEW_SIZES = (3, 5, 7)


@on_all_tilings
@pytest.mark.parametrize("view_size", VIEW_SIZES)
def test_the_cell_ahead_is_seen_whatever_it_and_the_others_are(name: str, view_size: int) -> None:
    topology = make_topology(name, (5, 4))
    everything = frozenset(range(topology.cell_count))
    for cell, heading, beyond in exit_table(topology):
        view = topology.sight(cell, heading, view_size)
        assert beyond in view.seen(frozenset())
        assert beyond in view.seen(everything - {cell})


@on_all_tilings
@few
@given(data=st.data())
def test_the_own_cell_is_always_seen(name: str, data: st.DataObject) -> None:
    topology = make_topology(name, (5, 4))
    opaque = data.draw(_some_cells(topology))
    for cell in range(topology.cell_count):
        for heading in range(topology.heading_count):
            assert cell in topology.sight(cell, heading, 5).seen(opaque)


@on_all_tilings
@few
@given(data=st.data())
def test_a_larger_view_sees_all_that_a_smaller_one_does(name: str, data: st.DataObject) -> None:
    topology = make_topology(name, (6, 5))
    opaque = data.draw(_some_cells(topology))
    cell = data.draw(st.integers(0, topology.cell_count - 1))
    for heading in range(topology.heading_count):
        views = [topology.sight(cell, heading, size).seen(opaque) for size in (3, 5, 7, 9)]
        assert all(smaller <= larger for smaller, larger in pairwise(views))


@on_all_tilings
@few
@given(data=st.data())
def test_what_is_opaque_never_shows_more(name: str, data: st.DataObject) -> None:
    topology = make_topology(name, (6, 5))
    opaque, more = data.draw(_some_cells(topology)), data.draw(_some_cells(topology))
    cell = data.draw(st.integers(0, topology.cell_count - 1))
    for heading in range(topology.heading_count):
        view = topology.sight(cell, heading, 7)
        assert view.seen(opaque | more) <= view.seen(opaque) <= view.seen(frozenset())


def _some_cells(topology: Topology) -> st.SearchStrategy[frozenset[int]]:
    """Any cells: chosen one by one, or at random so that there are many."""
    cells = range(topology.cell_count)
    chosen = st.frozensets(st.sampled_from(cells), max_size=8)
    scattered = seeds.map(lambda seed: frozenset(Random(seed).sample(cells, len(cells) // 4)))
    return chosen | scattered


@on_all_sizes
def test_a_topology_can_be_pickled(name: str, size: tuple[int, int]) -> None:
    topology = make_topology(name, size)
    copy = pickle.loads(pickle.dumps(topology))
    for field in ("name", "width", "height", "heading_count", "exits", "edges", "patches", "centres", "polygons"):
        assert getattr(copy, field) == getattr(topology, field)
    assert (copy.left, copy.right, copy.lattice) == (topology.left, topology.right, topology.lattice)
    middle = topology.anchor(Position(size[0] // 2, size[1] // 2))
    opaque = frozenset({topology.anchor(Position(1, 1))})
    for heading in range(topology.heading_count):
        assert copy.sight(middle, heading, 5).seen(opaque) == topology.sight(middle, heading, 5).seen(opaque)


# --- Seams -----------------------------------------------------------------------------------------------------------


def _some_positions(topology: Topology, seed: int) -> set[Position]:
    chance = Random(seed)
    return {position for position in topology.patches if chance.random() < 0.5}


@on_all_tilings
@few
@given(seed=seeds)
def test_seams_are_sealed_exactly_where_both_lattice_cells_beside_a_diagonal_contact_are_barriers(
    name: str, seed: int
) -> None:
    topology = make_topology(name, (6, 5))
    barriers = _some_positions(topology, seed)
    expected = set()
    for first, second in touching_cells(topology):
        (x0, y0), (x1, y1) = topology.lattice[first], topology.lattice[second]
        if is_diagonal(topology.lattice[first], topology.lattice[second]) and {(x0, y1), (x1, y0)} <= barriers:
            expected.add((first, second))
    assert sealed_seams(topology, barriers) == expected


@on_all_sizes
def test_only_diagonal_contacts_are_ever_sealed_and_squares_and_triangles_have_none(
    name: str, size: tuple[int, int]
) -> None:
    topology = make_topology(name, size)
    seams = sealed_seams(topology, topology.patches)
    assert bool(seams) == (name in ("hex", "488", "3464"))
    assert all(is_diagonal(topology.lattice[first], topology.lattice[second]) for first, second in seams)
    assert not sealed_seams(topology, ())


@on_all_tilings
@few
@given(seed=seeds)
def test_exits_through_sealed_seams_are_gone_in_both_directions_and_no_others(name: str, seed: int) -> None:
    topology = make_topology(name, (6, 5))
    seams = sealed_seams(topology, _some_positions(topology, seed))
    exits = sealed_exits(topology, seams)
    assert all((second, first) in seams for first, second in seams)
    for place, beyond in enumerate(topology.exits):
        cell = place // topology.heading_count
        assert exits[place] == (NO_CELL if (cell, beyond) in seams else beyond)


@on_all_tilings
@few
@given(seed=seeds)
def test_whatever_the_walls_the_same_lattice_cells_can_be_walked_to_as_on_squares(name: str, seed: int) -> None:
    size = (8, 7)
    square, topology = make_topology("square", size), make_topology(name, size)
    walls = _some_positions(square, seed)
    start = next(position for position in square.patches if position not in walls)
    assert _walkable(topology, walls, start) == _walkable(square, walls, start)


def _walkable(topology: Topology, walls: set[Position], start: Position) -> set[Position]:
    exits = sealed_exits(topology, sealed_seams(topology, walls))
    closed = {cell for position in walls for cell in topology.patches[position]}
    found = reached(exits, topology.heading_count, topology.anchor(start), closed)
    return {topology.lattice[cell] for cell in found}
