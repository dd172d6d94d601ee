"""Straight lines of sight, judged by plain geometry and, where a line only grazes something, by example."""

import math
import pickle
import sys
import weakref
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from itertools import permutations
from random import Random

import pytest
from attrs import frozen
from hypothesis import given
from hypothesis import strategies as st

from gridworld.task_spec import Position
from gridworld.world import Topology
from gridworld.world.topology import Seam, sealed_exits, sealed_seams
from gridworld_polygons.polygons import topology_of_polygons
from gridworld_polygons.sight import View
from gridworld_polygons.uniform import hexagon_topology
from support.thoroughness import bounded, in_turn
from support.tilings import (
    POLYGON_TILINGS,
    direction,
    exit_table,
    make_topology,
    on_polygon_tilings,
    reached,
    touching_cells,
)
from support.worlds import cells_of

RIGHT, DOWN, LEFT, UP = range(4)
SIZES = {"hex": (5, 5), "triangle": (5, 4), "488": (5, 5), "3464": (4, 3)}
REACH = 9
"""Further than from any cell to any other on lattices of these sizes."""
NOTHING: frozenset[int] = frozenset()
seeds = st.integers(0, 2**32 - 1)
few = bounded(5)


# --- By example, on squares ------------------------------------------------------------------------------------------


@cache
def squares(width: int, height: int) -> Topology:
    """Squares that are seen over as any other polygons are, not by MiniGrid's rule."""
    patches = {
        Position(x, y): [((x, y), (x + 1, y), (x + 1, y + 1), (x, y + 1))] for y in range(height) for x in range(width)
    }
    return topology_of_polygons("squares", (width, height), 4, patches)


def seen_in(picture: str, heading: int = RIGHT, view_size: int = 9, seams: frozenset[Seam] = frozenset()) -> str:
    """What is seen from ``@`` where ``o`` is opaque: ``+`` for seen."""
    cells = cells_of(picture)
    height = len({y for places in cells.values() for _, y in places})
    width = len({x for places in cells.values() for x, _ in places})
    topology = squares(width, height)
    at, *_ = (topology.anchor(Position(*place)) for place in cells["@"])
    opaque = {topology.anchor(Position(*place)) for place in cells.get("o", [])}
    seen = topology.sight(at, heading, view_size).seen(opaque, seams)
    rows = [[topology.anchor(Position(x, y)) for x in range(width)] for y in range(height)]
    return "\n".join("".join("+" if cell in seen else "-" for cell in row) for row in rows)


@pytest.mark.parametrize(
    ("heading", "seen"),
    [
        (RIGHT, "--+++\n--+++\n--+++\n--+++\n--+++"),
        (DOWN, "-----\n-----\n+++++\n+++++\n+++++"),
        (LEFT, "+++--\n+++--\n+++--\n+++--\n+++--"),
        (UP, "+++++\n+++++\n+++++\n-----\n-----"),
    ],
)
def test_all_that_is_not_behind_is_seen_in_the_open(heading: int, seen: str) -> None:
    assert seen_in(".....\n.....\n..@..\n.....\n.....", heading) == seen


def test_view_size_is_the_largest_distance_between_centres() -> None:
    assert seen_in("......\n......\n......\n@.....", view_size=3) == "+-----\n+++---\n+++---\n++++--"


def test_an_opaque_cell_is_seen_and_hides_cells_behind_it() -> None:
    assert seen_in("@.o..") == "+++--"


def test_an_opaque_row_hides_all_that_is_behind_it() -> None:
    assert seen_in("@.o.\n..o.\n..o.") == "+++-\n+++-\n+++-"


def test_nothing_is_seen_between_opaque_cells_that_meet_in_a_corner() -> None:
    assert seen_in("@o\no.") == "++\n+-"


@pytest.mark.parametrize("picture", ["@o\n..", "@.\no."])
def test_one_opaque_cell_does_not_hide_what_lies_across_its_corner(picture: str) -> None:
    assert seen_in(picture) == "++\n++"


def test_what_the_agent_stands_in_does_not_have_to_be_clear() -> None:
    topology = squares(3, 1)
    assert topology.sight(0, RIGHT, 9).seen({0}) == {0, 1, 2}


def test_a_sealed_seam_hides_like_an_opaque_cell() -> None:
    seam = frozenset({(0, 1), (1, 0)})
    assert seen_in("@...\n....", seams=seam) == "+---\n++--"


# --- By example, on hexagons: a line along edges ---------------------------------------------------------------------

HEX = hexagon_topology(4, 4)
TOP, BOTTOM = HEX.anchor(Position(1, 0)), HEX.anchor(Position(1, 2))
BETWEEN = (HEX.anchor(Position(0, 1)), HEX.anchor(Position(1, 1)))
DOWN_RIGHT = 1


@pytest.mark.parametrize("opaque", BETWEEN)
def test_an_opaque_cell_beside_the_line_hides_nothing(opaque: int) -> None:
    assert BOTTOM in HEX.sight(TOP, DOWN_RIGHT, 3).seen({opaque})


def test_no_one_sees_along_the_edge_between_two_opaque_cells() -> None:
    assert BOTTOM not in HEX.sight(TOP, DOWN_RIGHT, 3).seen(set(BETWEEN))


def test_a_cell_exactly_beside_the_agent_is_seen() -> None:
    beside = HEX.anchor(Position(2, 2))
    middle = HEX.anchor(Position(2, 0))
    up_right_of_both = [heading for heading in range(6) if beside in HEX.sight(middle, heading, 3).seen(NOTHING)]
    assert up_right_of_both == [0, 1, 2, 3]  # straight below: beside those who face right or left


# --- On the tilings --------------------------------------------------------------------------------------------------


def heading_to(topology: Topology, cell: int, target: int) -> int:
    """The heading nearest to the direction of another cell."""
    step = 360 / topology.heading_count
    return round(direction(topology.centres[cell], topology.centres[target]) / step) % topology.heading_count


def some_cells(topology: Topology, seed: int) -> frozenset[int]:
    """A part of all cells, a small or a large one."""
    rng = Random(seed)
    share = rng.choice((0.02, 0.1, 0.3))
    return frozenset(cell for cell in range(topology.cell_count) if rng.random() < share)


def some_seams(topology: Topology, seed: int) -> frozenset[Seam]:
    rng = Random(seed)
    return sealed_seams(topology, {position for position in topology.patches if rng.random() < 0.6})


def pairs_of(topology: Topology) -> Iterator[tuple[int, int]]:
    return permutations(range(topology.cell_count), 2)


def pairs_in_sight(topology: Topology, opaque: frozenset[int]) -> set[Seam]:
    """(cell, other) where an agent on the cell that faces the other sees it."""

    @cache
    def seen(cell: int, heading: int) -> frozenset[int]:
        return topology.sight(cell, heading, REACH).seen(opaque)

    return {
        (cell, other) for cell, other in pairs_of(topology) if other in seen(cell, heading_to(topology, cell, other))
    }


def lines_of_sight(topology: Topology, cell: int, other: int) -> set[tuple[int, ...]]:
    """The cells that the lines from one cell to another pass, in order."""
    view = topology.sight(cell, heading_to(topology, cell, other), REACH)
    assert isinstance(view, View)
    return {way for way in ways_of(view) if way[-1] == other}


@cache
def ways_of(view: View) -> tuple[tuple[int, ...], ...]:
    return tuple(view.ways())


@on_polygon_tilings
def test_lines_of_sight_are_the_same_from_both_ends(name: str) -> None:
    topology = make_topology(name, SIZES[name])
    for cell, other in pairs_of(topology):
        back = {way[::-1] for way in lines_of_sight(topology, other, cell)}
        assert lines_of_sight(topology, cell, other) == back
        assert len(back) <= 2


@on_polygon_tilings
def test_lines_lead_to_all_that_is_within_reach_and_not_behind(name: str) -> None:
    topology = make_topology(name, SIZES[name])
    for cell, (x, y) in enumerate(topology.centres):
        for heading in range(topology.heading_count):
            angle = math.tau * heading / topology.heading_count
            ahead = {
                other
                for other, (x1, y1) in enumerate(topology.centres)
                if math.dist((x, y), (x1, y1)) <= 3 + 1e-6
                and (x1 - x) * math.cos(angle) + (y1 - y) * math.sin(angle) >= -1e-6
            }
            view = topology.sight(cell, heading, 3)
            assert isinstance(view, View)
            assert {way[-1] for way in view.ways()} <= ahead


def some_barriers(topology: Topology, seed: int) -> set[Position]:
    rng = Random(seed)
    share = rng.choice((0.1, 0.3, 0.5))
    return {position for position in topology.patches if rng.random() < share}


def cells_at(topology: Topology, positions: Iterable[Position]) -> frozenset[int]:
    return frozenset(cell for position in positions for cell in topology.patches[position])


@on_polygon_tilings
@few
@given(seed=seeds)
def test_no_one_sees_through_closed_walls_and_sealed_seams(name: str, seed: int) -> None:
    """What can be walked to without them, what borders on that, and the sides of gaps are all that can be seen."""
    topology, barriers = make_topology(name, SIZES[name]), some_barriers(make_topology(name, SIZES[name]), seed)
    opaque, seams = cells_at(topology, barriers), sealed_seams(topology, barriers)
    for cell in range(topology.cell_count):
        inside = reached(sealed_exits(topology, seams), topology.heading_count, cell, opaque - {cell})
        bordering = {other for each, other in touching_cells(topology) if each in inside}
        beside_gaps = cells_at(topology, {p for each in bordering for p in around(topology, each)})
        for heading in range(topology.heading_count):
            seen = topology.sight(cell, heading, REACH).seen(opaque, seams)
            assert seen <= inside | bordering | beside_gaps
            assert seen - opaque <= inside | beside_gaps


def around(topology: Topology, cell: int) -> set[Position]:
    """The lattice cells next to that of a cell, itself included."""
    x, y = topology.lattice[cell]
    near = {Position(x + dx, y + dy) for dx in (-1, 0, 1) for dy in (-1, 0, 1)}
    return near & topology.patches.keys()


Point = tuple[float, float]
GRAZE = 0.002
"""Lines that come nearer to an edge than this part of a unit, without crossing it, may go either way."""


def length_within(polygon: tuple[Point, ...], start: Point, end: Point, margin: float = 0.0) -> float:
    """How much of a line is in a convex clockwise polygon whose edges have been moved inwards by a margin."""
    first, last = 0.0, 1.0
    for (x0, y0), (x1, y1) in zip(polygon, polygon[1:] + polygon[:1], strict=True):
        side = math.hypot(x1 - x0, y1 - y0)
        begins, ends = (((x1 - x0) * (y - y0) - (y1 - y0) * (x - x0)) / side - margin for x, y in (start, end))
        if begins < 0 and ends < 0:
            return 0.0
        if begins < 0:
            first = max(first, begins / (begins - ends))
        elif ends < 0:
            last = min(last, begins / (begins - ends))
    return max(0.0, last - first) * math.dist(start, end)


@frozen
class Line:
    """The straight line between the centres of two cells."""

    approached: frozenset[int]
    """The cells in between that it passes through or only grazes."""
    is_within: bool
    """Whether it stays on the tiling, whose rim is ragged."""


@cache
def radius_of(polygon: tuple[Point, ...], centre: Point) -> float:
    return max(math.dist(centre, corner) for corner in polygon)


def come_near(topology: Topology, start: Point, end: Point) -> Iterator[int]:
    """The cells in whose circumcircle, or just beside it, a line passes: it meets no other."""
    (x0, y0), (x1, y1) = start, end
    length = math.dist(start, end)
    for cell, ((x, y), polygon) in enumerate(zip(topology.centres, topology.polygons, strict=True)):
        aside = abs((x1 - x0) * (y - y0) - (y1 - y0) * (x - x0)) / length
        if aside < radius_of(polygon, (x, y)) + 2 * GRAZE:
            yield cell


@cache
def line_between(name: str, cell: int, other: int) -> Line:
    topology = make_topology(name, SIZES[name])
    start, end = topology.centres[cell], topology.centres[other]
    near = list(come_near(topology, start, end))

    def met(margin: float) -> dict[int, float]:
        lengths = ((each, length_within(topology.polygons[each], start, end, margin)) for each in near)
        return {each: length for each, length in lengths if length > 0}

    ends, inside = {cell, other}, sum(met(0).values())
    return Line(frozenset(met(-GRAZE)) - ends, inside > math.dist(start, end) - 1e-6)


@on_polygon_tilings
@few
@given(seed=seeds)
def test_what_no_opaque_cell_comes_near_the_line_to_is_seen(name: str, seed: int) -> None:
    topology = make_topology(name, SIZES[name])
    opaque = some_cells(topology, seed)
    hidden = set(pairs_of(topology)) - pairs_in_sight(topology, opaque)
    lines = {pair: line_between(name, min(pair), max(pair)) for pair in hidden}
    assert {pair for pair, line in lines.items() if line.is_within and not line.approached & opaque} == set()


@on_polygon_tilings
def test_sealed_seams_never_show_more(name: str) -> None:
    topology = make_topology(name, SIZES[name])
    opaque, seams = some_cells(topology, 3), some_seams(topology, 3)
    for cell in range(topology.cell_count):
        for heading in range(topology.heading_count):
            view = topology.sight(cell, heading, 5)
            assert view.seen(opaque, seams) <= view.seen(opaque)


# --- Views -----------------------------------------------------------------------------------------------------------


@pytest.fixture
def switching_often() -> Iterator[None]:
    """Lets threads get in each other's way."""
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(interval)


@pytest.mark.parametrize("name", ["hex", "3464"])
def test_lines_of_sight_that_were_pickled_see_the_same(name: str) -> None:
    topology = make_topology(name, SIZES[name])
    opaque, seams = some_cells(topology, 5), some_seams(topology, 5)
    copy = pickle.loads(pickle.dumps(topology.sight))
    for cell, heading, _ in exit_table(topology):
        assert copy(cell, heading, 3).seen(opaque, seams) == topology.sight(cell, heading, 3).seen(opaque, seams)


@pytest.mark.parametrize("name", ["hex", "3464"])
def test_threads_may_look_at_once(name: str, switching_often: None) -> None:
    """They share what cells of one form have in common, and views, which remember what blocked them last."""
    topology = make_topology(name, (9, 9))
    poses = [(cell, heading) for cell, heading, _ in exit_table(topology)][::5]
    alone, shared = (pickle.loads(pickle.dumps(topology.sight)) for _ in range(2))
    blocks = [some_cells(topology, seed) for seed in range(2)]
    expected = [[alone(*pose, 3).seen(opaque) for pose in poses] for opaque in blocks]

    def look(number: int) -> bool:
        return [shared(*pose, 3).seen(blocks[number % 2]) for pose in poses] == expected[number % 2]

    with ThreadPoolExecutor(4) as threads:
        assert all(threads.map(look, range(4)))


@in_turn("name, bound", POLYGON_TILINGS, ["MOST_MET", "MOST_LEFT"])
def test_lines_that_are_forgotten_are_found_again(name: str, bound: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Views that somebody has go on to be right, the others take no memory."""
    topology = make_topology(name, SIZES[name])
    expected, poses = topology.sight, [(cell, 0) for cell in range(0, topology.cell_count, 10)]
    forgetful, opaque = pickle.loads(pickle.dumps(expected)), some_cells(topology, 5)
    monkeypatch.setattr(f"gridworld_polygons.sight.{bound}", -1)
    held, dropped = forgetful(0, 0, 3), weakref.ref(forgetful(1, 0, 3))
    assert [forgetful(*pose, 3).seen(opaque) for pose in poses] == [expected(*pose, 3).seen(opaque) for pose in poses]
    assert held.seen(opaque) == expected(0, 0, 3).seen(opaque)
    assert dropped() is None


@on_polygon_tilings
@few
@given(seed=seeds)
def test_what_cells_of_one_form_have_in_common_changes_nothing(name: str, seed: int) -> None:
    """With or without it, the same is seen, also at the rim, where lines leave the tiling."""
    topology = make_topology(name, SIZES[name])
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("gridworld_polygons.sight.cell_forms", lambda polygons, *_: range(len(polygons)))
        alone = pickle.loads(pickle.dumps(topology.sight))
    opaque, seams = some_cells(topology, seed), some_seams(topology, seed)
    rng = Random(seed)
    for _ in range(10):
        cell, heading = rng.randrange(topology.cell_count), rng.randrange(topology.heading_count)
        seen = topology.sight(cell, heading, 4).seen(opaque, seams)
        assert seen == alone(cell, heading, 4).seen(opaque, seams)
