"""`TilingConformance`: the checks that every tiling must pass, at every lattice size."""

from __future__ import annotations

import math
import pickle
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from random import Random
from typing import ClassVar

from gridworld.actions import Action
from gridworld.hookspecs import TilingInfo
from gridworld.task_spec import GoalSpec, MazeLayout, Position, TaskSpecification
from gridworld.testing.conformance import Conformance, calling, expect, loaded
from gridworld.testing.geometry import (
    area,
    contains,
    corner_key,
    direction,
    edges_of,
    exit_table,
    is_beside,
    is_diagonal,
    reached,
    touching_cells,
)
from gridworld.testing.light_imports import heavy_imports_of
from gridworld.world import Topology, compile_world, square_topology, transition
from gridworld.world.topology import sealed_exits, sealed_seams

__all__ = ["TilingConformance"]

SIZES = ((3, 3), (4, 3), (3, 6), (5, 4), (7, 7), (16, 12))
"""Lattices with odd and even sides, from the smallest that holds a maze to the largest of the bundled tasks."""
SMALL = ((3, 3), (5, 4))
"""Lattices for checks that try every direction from every cell."""
VIEW_SIZES = (3, 5, 7)
RIGHT_ANGLE = 90 + 1e-6
"""Angle in degrees beyond which a cell is behind; the margin absorbs rounding for a cell exactly to the side."""
LINE_SAMPLES, HALF_BAND = 500, 1e-3
"""Number of sample points on a line, and distance below which it touches a corner of the border, in lattice spacings.
"""
BARRIER_SHARE, SWAPPED_SHARE = 0.3, 0.5
"""Share of lattice cells that are barriers, and share of unseen lattice cells that are swapped."""
ROOM = (6, 5)
"""The lattice of an empty room of 4 x 3."""
PAIRS_OF_ROOM = 17
"""Number of pairs of 4-neighbours in the empty room."""
TABLES = ("name", "width", "height", "heading_count", "exits", "edges", "patches", "centres", "polygons")

MAZE = """
#########
#@..#...#
###.#.#.#
#...#.#.#
#.###.#.#
#...D.#d#
#####.#.#
#.....#G#
#########
"""
"""A maze whose goal is behind two doors, D and d."""


Point = tuple[float, float]


class TilingConformance(Conformance):
    """The checks of a tiling, to be subclassed in its author's tests.

        class TestRhombi(TilingConformance):
            tiling = rhombus_topology

    It is laid out on several lattices, from 3 x 3 cells upwards.
    """

    kind: ClassVar[str] = "tiling"

    tiling: ClassVar[TilingInfo | Callable[[int, int], Topology] | str]
    """The function ``(width, height) -> Topology``, its descriptor, its import string, or its name if installed."""

    sizes: ClassVar[Sequence[tuple[int, int]]] = SIZES
    """Lattices to check, as (columns, rows)."""

    def make(self, width: int, height: int) -> Topology:
        """Return the tiling of a lattice."""
        given = self.resolve()
        function = loaded(given.target) if isinstance(given, TilingInfo) else given
        with calling(f"the tiling of {width} x {height}", "make a topology for every lattice from 3 x 3 up"):
            topology = function(width, height)
        expect(isinstance(topology, Topology), f"it makes {topology!r}", "return a `gridworld.world.Topology`")
        made: Topology = topology
        return made

    def topologies(self, sizes: Sequence[tuple[int, int]] | None = None) -> Iterator[Topology]:
        """Yield the tiling of each size."""
        return (self.make(*size) for size in (self.sizes if sizes is None else sizes))

    # --- As a whole ----------------------------------------------------------------------------------------------

    def test_it_says_of_what_size_it_is_and_has_tables_of_that_size(self) -> None:
        """A tiling has `width` and `height`, and tables with one entry for each (cell, heading) or cell."""
        for topology, size in zip(self.topologies(), self.sizes, strict=True):
            expect(
                (topology.width, topology.height) == size,
                f"{_named(topology)} was made for {size[0]} x {size[1]}",
                "pass `width` and `height` to the Topology",
            )
            lengths = (len(topology.exits), len(topology.edges), len(topology.polygons))
            cells = topology.cell_count
            expect(
                lengths == (cells * topology.heading_count, cells, cells),
                f"{_named(topology)} has {cells} centres and {topology.heading_count} headings, but exits, edges and "
                f"polygons of the lengths {lengths}",
                "give one exit for each (cell, heading), and edges and a polygon for each cell",
            )

    def test_it_is_made_the_same_each_time(self) -> None:
        """A lattice always has equal cells, in the same order."""
        for first, second in zip(self.topologies(), self.topologies(), strict=True):
            expect(
                _tables(first) == _tables(second),
                f"{_named(first)} differs when it is made again",
                "number the cells in a fixed order: use no random numbers and do not iterate over sets",
            )

    def test_what_it_explains_is_one_line_whatever_the_size(self) -> None:
        """`explanation` says how cells look and lie in one line, or is empty: turning is read off the tables."""
        told = {topology.explanation for topology in self.topologies()}
        expect(
            len(told) == 1 and all(isinstance(text, str) and "\n" not in text for text in told),
            f"`explanation` is one of {sorted(map(repr, told))}",
            "give every size of the tiling the same text, on one line",
        )

    def test_it_can_be_pickled(self) -> None:
        """A tiling can be pickled, since worlds are sent to other processes."""
        for topology in self.topologies(SMALL):
            with calling(
                f"pickling {_named(topology)}", "let `sight` be an instance of a class, not a nested function"
            ):
                copy = pickle.loads(pickle.dumps(topology))
            expect(
                _tables(copy) == _tables(topology) and _views(copy) == _views(topology),
                f"{_named(topology)} differs after pickling",
                "pickle everything that it consists of",
            )

    def test_importing_it_imports_no_heavy_library(self) -> None:
        """Importing the tiling imports no heavy library: every run on it does so, and so do its workers."""
        given = self.resolve()
        module = given.target.partition(":")[0] if isinstance(given, TilingInfo) else given.__module__
        heavy = heavy_imports_of(module)
        expect(
            not heavy,
            f"importing {module} imports {', '.join(heavy)}",
            "import it inside the function that needs it, or avoid it",
        )

    # --- Headings and turns --------------------------------------------------------------------------------------

    def test_after_a_turn_the_agent_faces_the_next_edge_on_that_side(self) -> None:
        """`edges` lists the headings that face an edge in ascending order, and turning goes to the next one."""
        for topology in self.topologies():
            count = topology.heading_count
            for cell, edges in enumerate(topology.edges):
                expect(
                    len(edges) >= 3 and list(edges) == sorted(set(edges)) and set(edges) <= set(range(count)),
                    f"cell {cell} of {_named(topology)} has the edges {edges}",
                    f"name at least three headings from 0 to {count - 1}, ascending, each once",
                )
                for heading in range(count):
                    turned = topology.right[cell * count + heading]
                    nearest = next(each for step in range(1, count + 1) if (each := (heading + step) % count) in edges)
                    expect(turned == nearest, f"cell {cell}: a right turn from {heading} faces {turned}", FIX_EDGES)

    def test_turning_left_undoes_turning_right(self) -> None:
        """Turning left undoes turning right, on every cell and from every edge."""
        for topology in self.topologies():
            for cell, edges in enumerate(topology.edges):
                first = cell * topology.heading_count
                there = [topology.right[first + edge] for edge in edges]
                back = [topology.left[first + edge] for edge in there]
                expect(back == list(edges), f"on cell {cell} of {_named(topology)}, {edges} becomes {back}", FIX_EDGES)

    def test_a_full_turn_faces_every_edge_once_and_ends_where_it_began(self) -> None:
        """A full turn to either side faces every edge once and ends where it began."""
        for topology in self.topologies():
            for turn in (topology.left, topology.right):
                for cell, edges in enumerate(topology.edges):
                    faced = [edges[0]]
                    for _ in edges:
                        faced.append(turn[cell * topology.heading_count + faced[-1]])
                    expect(
                        faced[-1] == faced[0] and sorted(faced[:-1]) == list(edges),
                        f"a full turn on cell {cell} of {_named(topology)} faces {faced}, its edges are {edges}",
                        FIX_EDGES,
                    )

    # --- Exits ---------------------------------------------------------------------------------------------------

    def test_every_exit_has_a_twin_half_a_turn_from_it_that_leads_back(self) -> None:
        """Going through an exit, turning about and going forward leads back."""
        for topology in self.topologies():
            count = topology.heading_count
            expect(count % 2 == 0, f"{_named(topology)} has {count} headings", "give it an even number of headings")
            for cell, heading, beyond in exit_table(topology):
                twin = beyond * count + (heading + count // 2) % count
                expect(
                    0 <= beyond < topology.cell_count and topology.exits[twin] == cell,
                    f"in {_named(topology)}, the exit of cell {cell} with heading {heading} leads to cell {beyond}, "
                    f"but the opposite heading there does not lead back",
                    "let `exits` hold, for each exit, the way back with the heading half a turn away",
                )

    def test_exits_lead_to_all_cells_with_an_edge_in_common_and_to_no_others(self) -> None:
        """Exits lead to exactly the cells with an edge in common, judged by the corners of the polygons."""
        for topology in self.topologies():
            exits = {(cell, beyond) for cell, _, beyond in exit_table(topology)}
            touching = touching_cells(topology)
            expect(
                exits == touching,
                f"in {_named(topology)}, exits without a common edge: {_some(exits - touching)}; "
                f"common edges without an exit: {_some(touching - exits)}",
                "let cells be neighbours exactly where their polygons share an edge, corner for corner",
            )

    def test_only_headings_that_face_an_edge_have_exits(self) -> None:
        """Only the headings in `edges` have exits."""
        for topology in self.topologies():
            for cell, heading, _ in exit_table(topology):
                expect(
                    heading in topology.edges[cell],
                    f"in {_named(topology)}, cell {cell} has an exit with heading {heading}, which faces no edge",
                    "add the heading to `edges`, or remove the exit",
                )

    def test_an_exit_leads_roughly_in_the_direction_of_its_heading(self) -> None:
        """An exit leads less than 45 degrees away from its heading, so that moving up never leads down."""
        for topology in self.topologies():
            for cell, heading, beyond in exit_table(topology):
                way = direction(topology.centres[cell], topology.centres[beyond])
                off = abs((way - 360 * heading / topology.heading_count + 180) % 360 - 180)
                expect(
                    off < 45,
                    f"in {_named(topology)}, heading {heading} leads from {cell} to {beyond}, {off:.0f} degrees off",
                    "number the headings clockwise from right, y downwards",
                )

    def test_forward_about_turn_and_forward_return_to_where_it_began(self) -> None:
        """In an empty room, the kernel returns after forward, about-turn and forward to where it began."""
        task = _room()
        world = compile_world(task, self.make(*ROOM))
        half, moves = world.headings // 2, 0
        for cell in sorted(set(range(world.topology.cell_count)) - world.walls):
            for heading in world.topology.edges[cell]:
                ahead, _ = transition(world, world.start.at(cell).facing(heading), Action.MOVE_FORWARD)
                if ahead.cell == cell:
                    continue
                moves += 1
                about = (heading + half) % world.headings
                for _ in range(world.headings):
                    if ahead.heading != about:
                        ahead, _ = transition(world, ahead, Action.TURN_RIGHT)
                back, _ = transition(world, ahead, Action.MOVE_FORWARD)
                expect(
                    back.cell == cell,
                    f"forward from cell {cell} with heading {heading}, about-turn and forward leads to {back.cell}",
                    "give every exit its twin with the opposite heading, and let that heading face an edge",
                )
        expect(moves >= 2 * PAIRS_OF_ROOM, f"only {moves} moves are possible in an empty room of 4 x 3", ALL_NEIGHBOURS)

    # --- Patches -------------------------------------------------------------------------------------------------

    def test_every_lattice_cell_has_a_patch_and_every_cell_is_in_exactly_one(self) -> None:
        """Patches partition the cells."""
        for topology in self.topologies():
            lattice = {Position(x, y) for x in range(topology.width) for y in range(topology.height)}
            expect(
                set(topology.patches) == lattice and all(topology.patches.values()),
                f"{_named(topology)} has no patch for {_some(lattice - set(topology.patches))}",
                "give every lattice cell at least one cell, its anchor",
            )
            shared = Counter(cell for cells in topology.patches.values() for cell in cells)
            wrong = {cell for cell in range(topology.cell_count) if shared[cell] != 1}
            expect(
                not wrong and len(shared) == topology.cell_count,
                f"in {_named(topology)}, cells are in no patch, or in several: {_some(wrong)}",
                "put each cell into the patch of one lattice cell",
            )

    def test_a_patch_can_be_walked_without_leaving_it(self) -> None:
        """A patch can be walked from its anchor without leaving it."""
        for topology in self.topologies():
            everything = set(range(topology.cell_count))
            for position, cells in topology.patches.items():
                within = reached(topology.exits, topology.heading_count, cells[0], everything.difference(cells))
                expect(
                    within == set(cells),
                    f"in {_named(topology)}, the patch of {tuple(position)} is in pieces: {_some(set(cells) - within)}",
                    "choose cells that are connected, edge to edge",
                )

    def test_patches_touch_along_an_edge_if_they_are_4_neighbours_and_otherwise_only_on_diagonals(self) -> None:
        """Patches touch along an edge exactly if they are 4-neighbours; otherwise only diagonally, as on squares."""
        for topology in self.topologies():
            lattice = topology.lattice
            touching = {(lattice[first], lattice[second]) for first, second in touching_cells(topology)}
            beside = {(one, other) for one in topology.patches for other in topology.patches if is_beside(one, other)}
            expect(
                beside <= touching,
                f"in {_named(topology)}, these patches do not touch: {_some(beside - touching)}",
                ALL_NEIGHBOURS,
            )
            far = {pair for pair in touching - beside if pair[0] != pair[1] and not is_diagonal(*pair)}
            expect(
                not far,
                f"in {_named(topology)}, patches touch that are not even diagonal neighbours: {_some(far)}",
                "lay the patches out so that each touches its eight neighbours at most",
            )

    def test_anchors_lie_as_their_lattice_cells_do(self) -> None:
        """Anchors are one unit apart in a row, rows from top to bottom, at most half a unit aside."""
        for topology in self.topologies():
            for position in topology.patches:
                x, y = topology.centres[topology.anchor(position)]
                left, above = Position(position.x - 1, position.y), Position(position.x, position.y - 1)
                if left in topology.patches:
                    x0, y0 = topology.centres[topology.anchor(left)]
                    lies = math.dist((x - x0, y - y0), (1, 0)) < 1e-6
                    expect(lies, f"in {_named(topology)}, {position} is not one unit right of {left}", LAY_OUT)
                if above in topology.patches:
                    x0, y0 = topology.centres[topology.anchor(above)]
                    lies = y > y0 and abs(x - x0) <= 0.5 + 1e-6
                    expect(lies, f"in {_named(topology)}, {position} is not below {above}", LAY_OUT)

    # --- Polygons ------------------------------------------------------------------------------------------------

    def test_polygons_are_clockwise_and_convex_around_their_centres(self) -> None:
        """Polygons are convex and clockwise around their centres; the y axis points downwards."""
        for topology in self.topologies():
            for cell, (polygon, centre) in enumerate(zip(topology.polygons, topology.centres, strict=True)):
                corners = (*polygon, *polygon[:2])
                convex = all(area(corners[index : index + 3]) > 0 for index in range(len(polygon)))
                expect(
                    convex,
                    f"the polygon of cell {cell} of {_named(topology)} is not convex, or not clockwise",
                    "list its corners clockwise as seen with y downwards",
                )
                expect(
                    contains(polygon, centre, margin=0.01),
                    f"the centre of cell {cell} of {_named(topology)} is not inside its polygon",
                    "give `centres` in the same order and units as `polygons`",
                )

    def test_polygons_fill_the_plane_without_gaps_or_overlaps(self) -> None:
        """Each edge belongs to one cell on each side, and the rim encloses the area of all cells."""
        for topology in self.topologies():
            edges = Counter(edge for polygon in topology.polygons for edge in edges_of(polygon))
            twice = {edge for edge, times in edges.items() if times > 1}
            expect(not twice, f"in {_named(topology)}, two cells lie on one side of {_some(twice)}", NO_OVERLAP)
            rims = _outlines({edge for edge in edges if edge[::-1] not in edges})
            expect(
                len(rims) == 1,
                f"{_named(topology)} has {len(rims)} outlines instead of one: it has holes, or is in pieces",
                "let neighbouring polygons share whole edges, corner for corner, to a ten-thousandth of a unit",
            )
            enclosed = area((x / 10_000, y / 10_000) for x, y in rims[0])
            cells = sum(map(area, topology.polygons))
            expect(
                math.isclose(enclosed, cells, rel_tol=1e-3),
                f"the rim of {_named(topology)} encloses {enclosed:.3f}, its cells have {cells:.3f} together",
                NO_OVERLAP,
            )

    def test_the_corners_that_meet_within_fill_a_whole_turn(self) -> None:
        """The corners that meet within the tiling fill 360 degrees, and on the rim less."""
        for topology in self.topologies():
            edges = {edge for polygon in topology.polygons for edge in edges_of(polygon)}
            rim = {corner for edge in edges if edge[::-1] not in edges for corner in edge}
            turns: Counter[tuple[int, int]] = Counter()
            for polygon in topology.polygons:
                around = zip(polygon[-1:] + polygon[:-1], polygon, polygon[1:] + polygon[:1], strict=True)
                for before, here, after in around:
                    turns[corner_key(here)] += round((direction(here, before) - direction(here, after)) % 360)
            wrong = {corner for corner, turn in turns.items() if (turn >= 360 if corner in rim else turn != 360)}
            expect(not wrong, f"in {_named(topology)}, cells overlap or leave gaps around {_some(wrong)}", NO_OVERLAP)

    # --- Sight ---------------------------------------------------------------------------------------------------

    def test_the_own_cell_and_the_cell_ahead_are_seen_whatever_is_opaque(self) -> None:
        """The agent always sees its own cell and the one ahead."""
        for topology in self.topologies(SMALL):
            everything = frozenset(range(topology.cell_count))
            for cell, heading, beyond in exit_table(topology):
                for view_size in VIEW_SIZES:
                    view = topology.sight(cell, heading, view_size)
                    for opaque in (frozenset[int](), everything - {cell}):
                        expect(
                            {cell, beyond} <= view.seen(opaque),
                            f"in {_named(topology)}, from cell {cell} with heading {heading}, {_some(opaque)} being "
                            f"opaque, cell {cell} or {beyond} is not seen",
                            "let `sight(...).seen(...)` always contain the own cell and the one ahead",
                        )

    def test_in_the_open_sight_is_symmetric(self) -> None:
        """Without obstacles, a seen cell within reach and not behind sees back with the opposite heading."""
        for topology in self.topologies(SMALL):
            count = topology.heading_count
            for view_size in VIEW_SIZES:
                seen = {
                    (cell, heading): topology.sight(cell, heading, view_size).seen(frozenset())
                    for cell in range(topology.cell_count)
                    for heading in range(count)
                }
                for (cell, heading), cells in seen.items():
                    ahead = {other for other in cells if _is_ahead(topology, cell, heading, other, view_size)}
                    blind = {other for other in ahead if cell not in seen[other, (heading + count // 2) % count]}
                    blind = {other for other in blind if _is_line_inside(topology, cell, other)}
                    expect(
                        not blind,
                        f"in {_named(topology)}, cell {cell} with heading {heading} sees {_some(blind)}, from "
                        f"where it is not seen with the opposite heading (view_size {view_size})",
                        "let sight depend on the line between two centres, not on its direction",
                    )

    def test_what_is_seen_depends_on_nothing_that_is_not_seen(self) -> None:
        """Swapping unseen walls and floor does not bring anything else into view."""
        rng = Random(0)
        for topology in self.topologies(SMALL):
            for cell in range(topology.cell_count):
                for heading in range(topology.heading_count):
                    barriers = {position for position in topology.patches if rng.random() < BARRIER_SHARE}
                    before = _seen_among(topology, cell, heading, barriers)
                    unseen = [each for each, cells in topology.patches.items() if before.isdisjoint(cells)]
                    others = barriers.symmetric_difference(each for each in unseen if rng.random() < SWAPPED_SHARE)
                    after = _seen_among(topology, cell, heading, others)
                    expect(
                        before == after,
                        f"in {_named(topology)}, cell {cell} with heading {heading} sees {_some(before ^ after)} or "
                        "not, depending on lattice cells of which it sees nothing",
                        "let every cell that a line of sight passes be seen, and the one that stops it",
                    )

    def test_a_larger_view_sees_all_that_a_smaller_one_does(self) -> None:
        """A larger view shows everything that a smaller one does, from every cell and with any opaque cells."""
        for topology in self.topologies(SMALL):
            for cell, heading, opaque in _looks(topology):
                views = [topology.sight(cell, heading, size).seen(opaque) for size in VIEW_SIZES]
                expect(
                    all(smaller <= larger for smaller, larger in pairwise(views)),
                    f"in {_named(topology)}, cell {cell} with heading {heading} sees less with a larger view_size",
                    "let `view_size` be the reach of sight only",
                )

    def test_what_is_opaque_never_shows_more(self) -> None:
        """Additional opaque cells never show more, from every cell."""
        for topology in self.topologies(SMALL):
            for cell, heading, opaque in _looks(topology):
                view = topology.sight(cell, heading, VIEW_SIZES[1])
                fewer = frozenset(sorted(opaque)[::2])
                expect(
                    view.seen(opaque) <= view.seen(fewer) <= view.seen(frozenset()),
                    f"in {_named(topology)}, cell {cell} with heading {heading} sees more where more is opaque",
                    "let each opaque cell only remove cells from what is seen",
                )

    # --- Mazes ---------------------------------------------------------------------------------------------------

    def test_a_maze_keeps_its_meaning(self) -> None:
        """The goal of a maze is reachable when both doors are open, and unreachable when either is shut."""
        walls, marks = _cells_of(MAZE)
        size = (max(x for x, _ in walls) + 1, max(y for _, y in walls) + 1)
        topology, doors = self.make(*size), [marks["D"], marks["d"]]
        barriers = {*walls, *doors}
        for shut in ([], doors[:1], doors[1:], doors):
            expect(
                (marks["G"] in _walkable(topology, barriers, {*walls, *shut}, marks["@"])) == (not shut),
                f"on {topology.name}, with {len(shut)} of two doors shut, the goal of a maze can"
                f"{'not' if not shut else ''} be walked to",
                SEE_SEAMS,
            )

    def test_whatever_the_walls_the_same_lattice_cells_can_be_walked_to_as_on_squares(self) -> None:
        """In random mazes, the same lattice cells can be walked to as on squares."""
        square, topology = square_topology(8, 7), self.make(8, 7)
        for seed in range(20):
            rng = Random(seed)
            walls = {position for position in sorted(square.patches) if rng.random() < 0.5}
            start = next(position for position in sorted(square.patches) if position not in walls)
            here, there = (_walkable(each, walls, walls, start) for each in (square, topology))
            expect(
                here == there,
                f"on {topology.name}, in a random maze, {_some(there - here)} can be reached and {_some(here - there)} "
                "cannot, unlike on squares",
                SEE_SEAMS,
            )


FIX_EDGES = "let `edges` hold, for each cell, all headings that face one of its edges, also at the rim"
ALL_NEIGHBOURS = "let the patches of 4-neighbours share at least one whole edge"
LAY_OUT = "measure in lattice spacings: (x, y) of the anchor grows by (1, 0) for each column"
SEE_SEAMS = "let patches touch along an edge where lattice cells are neighbours, see docs/how-to/plugins/tiling.md"
NO_OVERLAP = "check the corners of the polygons: neighbours share whole edges, and cells do not overlap"


def _named(topology: Topology) -> str:
    return f"'{topology.name}' of {topology.width} x {topology.height}"


def _some(things: Iterable[object]) -> str:
    """Format the first few items as text."""
    listed = sorted(map(str, things))
    return "nothing" if not listed else ", ".join(listed[:4]) + (f" and {len(listed) - 4} more" if listed[4:] else "")


def _tables(topology: Topology) -> dict[str, object]:
    return {name: vars(topology)[name] for name in TABLES}


def _views(topology: Topology) -> list[frozenset[int]]:
    return [topology.sight(cell, heading, VIEW_SIZES[0]).seen(opaque) for cell, heading, opaque in _looks(topology)]


def _looks(topology: Topology) -> Iterator[tuple[int, int, frozenset[int]]]:
    """Yield (cell, heading, opaque cells) for every direction from every cell; a quarter of the cells are opaque."""
    rng = Random(topology.cell_count)
    for cell in range(topology.cell_count):
        opaque = frozenset(rng.sample(range(topology.cell_count), topology.cell_count // 4))
        yield from ((cell, heading, opaque) for heading in range(topology.heading_count))


Corner = tuple[int, int]


def _outlines(edges: set[tuple[Corner, Corner]]) -> list[list[Corner]]:
    """Return the closed outlines that edges form; an outline that is not closed counts as one."""
    ahead, lines = dict(sorted(edges)), []
    while ahead:
        line = [min(ahead)]
        while line[-1] in ahead:
            line.append(ahead.pop(line[-1]))
        lines.append(line[:-1])
    return lines


def _room() -> TaskSpecification:
    return TaskSpecification(
        task_id="room",
        seed=1,
        difficulty_tier=1,
        maze=MazeLayout(dimensions=ROOM, start=(1, 1), goal=(ROOM[0] - 2, ROOM[1] - 2)),
        goal=GoalSpec("survive_steps"),
        max_steps=1000,
    )


def _cells_of(picture: str) -> tuple[set[Position], dict[str, Position]]:
    """Return the walls of a text map, and the positions of its letters."""
    rows = picture.split()
    placed = [(Position(x, y), sign) for y, row in enumerate(rows) for x, sign in enumerate(row)]
    walls = {position for position, sign in placed if sign == "#"}
    return walls, {sign: position for position, sign in placed if sign not in "#."}


def _walkable(topology: Topology, barriers: set[Position], closed: set[Position], start: Position) -> set[Position]:
    """Return the reachable lattice cells, with seams between barriers sealed."""
    exits = sealed_exits(topology, sealed_seams(topology, barriers))
    shut = {cell for position in closed for cell in topology.patches[position]}
    found = reached(exits, topology.heading_count, topology.anchor(start), shut)
    return {topology.lattice[cell] for cell in found}


def _is_ahead(topology: Topology, cell: int, heading: int, other: int, reach: float) -> bool:
    """Whether a cell's centre is within reach and not behind."""
    here, there = topology.centres[cell], topology.centres[other]
    angle = abs(direction(here, there) - 360 * heading / topology.heading_count) % 360
    return math.dist(here, there) <= reach and min(angle, 360 - angle) <= RIGHT_ANGLE


def _seen_among(topology: Topology, cell: int, heading: int, barriers: set[Position]) -> frozenset[int]:
    opaque = frozenset(each for position in barriers for each in topology.patches[position])
    return topology.sight(cell, heading, VIEW_SIZES[-1]).seen(opaque, sealed_seams(topology, barriers))


@lru_cache(maxsize=1 << 15)
def _is_line_inside(topology: Topology, cell: int, other: int) -> bool:
    """Whether the line between two centres neither crosses nor touches the tiling's border, which may be ragged."""
    ends = (topology.centres[cell], topology.centres[other])
    if any(_distance_to_line(point, *ends) < HALF_BAND for point in _corners_of_rim(topology)):
        return False
    (x0, y0), (x1, y1) = ends
    shares = (step / LINE_SAMPLES for step in range(1, LINE_SAMPLES))
    polygon = topology.polygons[cell]
    for point in ((x0 + share * (x1 - x0), y0 + share * (y1 - y0)) for share in shares):
        if not contains(polygon, point):  # most points are inside that of the point before
            around = next((each for each in topology.polygons if contains(each, point)), None)
            if around is None:
                return False
            polygon = around
    return True


@lru_cache(maxsize=8)
def _corners_of_rim(topology: Topology) -> frozenset[Point]:
    """Return the corners on the border of the tiling."""
    edges = {edge for polygon in topology.polygons for edge in edges_of(polygon)}
    rim = {corner for edge in edges if edge[::-1] not in edges for corner in edge}
    return frozenset(point for polygon in topology.polygons for point in polygon if corner_key(point) in rim)


def _distance_to_line(point: Point, start: Point, end: Point) -> float:
    """Return the distance of a point from the straight line between two others."""
    (x, y), (x0, y0), (x1, y1) = point, start, end
    length_squared = (x1 - x0) ** 2 + (y1 - y0) ** 2
    share = max(0.0, min(1.0, ((x - x0) * (x1 - x0) + (y - y0) * (y1 - y0)) / length_squared))
    return math.dist(point, (x0 + share * (x1 - x0), y0 + share * (y1 - y0)))
