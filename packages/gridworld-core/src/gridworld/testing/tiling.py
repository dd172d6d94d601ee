"""`TilingConformance`: the checks that every tiling must pass, at every lattice size."""

from __future__ import annotations

import math
import pickle
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise, product
from random import Random
from typing import ClassVar

from gridworld.hookspecs import TilingInfo
from gridworld.task_spec import Position
from gridworld.testing.conformance import Conformance, calling, expect, fail
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
from gridworld.testing.plugin_module import expect_light
from gridworld.world import Topology, square_topology
from gridworld.world.topology import NO_CELL, sealed_exits, sealed_seams

SIZES = ((3, 3), (4, 3), (3, 6), (5, 4), (7, 7), (16, 12))
"""Lattices with odd and even sides, from the smallest that holds a maze to the largest of the bundled tasks."""
SMALL = ((3, 3), (5, 4))
"""Lattices for checks that try every direction from every cell."""
OPEN = (6, 5)
"""Lattice for looking about, within its rim: straight lines there do not leave the tiling."""
VIEW_SIZES = (3, 5, 7)
RIGHT_ANGLE = 90 + 1e-6
"""Angle in degrees beyond which a cell is behind; the margin absorbs rounding for a cell exactly to the side."""
HALF = 0.5 + 1e-6
"""Half a lattice spacing, with a margin for rounding."""
BARRIER_SHARE, CHANGED_SHARE = 0.3, 0.5
"""Share of lattice cells that are barriers, and share of those that a check changes."""
MAZES = 20
TABLES = ("name", "width", "height", "heading_count", "exits", "edges", "patches", "centres", "polygons")


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
        with calling(f"the tiling of {width} x {height}"):
            topology: Topology = self.target()(width, height)
        expect(isinstance(topology, Topology), f"it makes {topology!r}, no `gridworld.world.Topology`")
        return topology

    def topologies(self, sizes: Sequence[tuple[int, int]] | None = None) -> Iterator[Topology]:
        """Yield the tiling of each size."""
        return (self.make(*size) for size in (self.sizes if sizes is None else sizes))

    # --- As a whole ----------------------------------------------------------------------------------------------

    def test_it_has_tables_of_the_size_of_the_lattice(self) -> None:
        """`exits` has an entry for each (cell, heading), `edges` and `polygons` one for each cell.

        The explanation is the same line at all sizes.
        """
        for topology, size in zip(self.topologies(), self.sizes, strict=True):
            expect((topology.width, topology.height) == size, f"{_named(topology)} was made for {size[0]} x {size[1]}")
            lengths = (len(topology.exits), len(topology.edges), len(topology.polygons))
            wanted = (topology.cell_count * topology.heading_count, topology.cell_count, topology.cell_count)
            expect(lengths == wanted, f"exits, edges and polygons of {_named(topology)} are {lengths}, not {wanted}")
        told = {topology.explanation for topology in self.topologies()}
        one_line = len(told) == 1 and all(isinstance(text, str) and "\n" not in text for text in told)
        expect(one_line, f"`explanation` is one of {sorted(map(repr, told))}")

    def test_it_is_made_the_same_each_time(self) -> None:
        """A lattice always has equal cells in the same order: no random numbers, and no iteration over sets."""
        for first, second in zip(self.topologies(), self.topologies(), strict=True):
            expect(_tables(first) == _tables(second), f"{_named(first)} differs when it is made again")

    def test_it_can_be_pickled(self) -> None:
        """Worlds are sent to other processes: `sight` is an instance of a class, not a nested function."""
        for topology in self.topologies(SMALL):
            with calling(f"pickling {_named(topology)}"):
                copy = pickle.loads(pickle.dumps(topology))
            alike = _tables(copy) == _tables(topology) and _views(copy) == _views(topology)
            expect(alike, f"{_named(topology)} differs after pickling")

    def test_importing_it_imports_no_heavy_library(self) -> None:
        """Every run and worker imports it: a heavy library is imported inside the function that needs it."""
        given = self.resolve()
        expect_light(given.target.partition(":")[0] if isinstance(given, TilingInfo) else given.__module__)

    # --- Headings and exits --------------------------------------------------------------------------------------

    def test_turning_faces_the_next_edge_on_that_side(self) -> None:
        """`edges` lists, ascending, all headings that face an edge of a cell; turning goes from one to the next."""
        for topology in self.topologies():
            count = topology.heading_count
            for cell, edges in enumerate(topology.edges):
                sound = len(edges) >= 3 and list(edges) == sorted(set(edges)) and set(edges) <= set(range(count))
                expect(sound, f"cell {cell} of {_named(topology)} has the edges {edges}")
                for turn, step in ((topology.right, 1), (topology.left, -1)):
                    for heading in range(count):
                        wanted = next(
                            each for n in range(1, count + 1) if (each := (heading + n * step) % count) in edges
                        )
                        faced = turn[cell * count + heading]
                        expect(faced == wanted, f"a turn on cell {cell} from {heading} faces {faced}, not {wanted}")

    def test_every_exit_has_a_twin_half_a_turn_from_it_that_leads_back(self) -> None:
        """Going through an exit, turning about and going forward leads back. Only headings in `edges` have exits."""
        for topology in self.topologies():
            count = topology.heading_count
            expect(count % 2 == 0, f"{_named(topology)} has {count} headings, which is odd")
            for cell, heading, beyond in exit_table(topology):
                way = f"in {_named(topology)}, the exit of cell {cell} with heading {heading}"
                expect(heading in topology.edges[cell], f"{way} faces no edge")
                twin = beyond * count + (heading + count // 2) % count
                back = beyond in range(topology.cell_count) and topology.exits[twin] == cell
                expect(back, f"{way} leads to cell {beyond}, where the opposite heading does not lead back")

    def test_exits_lead_to_all_cells_with_an_edge_in_common_and_to_no_others(self) -> None:
        """Cells are neighbours exactly where their polygons share an edge, corner for corner."""
        for topology in self.topologies():
            exits = {(cell, beyond) for cell, _, beyond in exit_table(topology)}
            touching = touching_cells(topology)
            wrong = f"{_some(exits - touching)}; common edges without an exit: {_some(touching - exits)}"
            expect(exits == touching, f"in {_named(topology)}, exits without a common edge: {wrong}")

    def test_an_exit_leads_roughly_in_the_direction_of_its_heading(self) -> None:
        """Headings count clockwise from right, y downwards; an exit leads less than 45 degrees away from its own."""
        for topology in self.topologies():
            for cell, heading, beyond in exit_table(topology):
                way = direction(topology.centres[cell], topology.centres[beyond])
                off = abs((way - 360 * heading / topology.heading_count + 180) % 360 - 180)
                wrong = f"in {_named(topology)}, heading {heading} leads from {cell} to {beyond}, {off:.0f} degrees off"
                expect(off < 45, wrong)

    # --- Patches -------------------------------------------------------------------------------------------------

    def test_every_cell_is_in_the_patch_of_one_lattice_cell(self) -> None:
        """Patches partition the cells, and each can be walked from its anchor without leaving it."""
        for topology in self.topologies():
            lattice = {Position(x, y) for x in range(topology.width) for y in range(topology.height)}
            without = lattice.symmetric_difference(each for each, cells in topology.patches.items() if cells)
            expect(not without, f"{_named(topology)} has no patch for {_some(without)}")
            shared = Counter(cell for cells in topology.patches.values() for cell in cells)
            everything = set(range(topology.cell_count))
            wrong = {cell for cell in everything.union(shared) if shared[cell] != 1 or cell not in everything}
            expect(not wrong, f"in {_named(topology)}, cells are in no patch, or in several: {_some(wrong)}")
            for position, cells in topology.patches.items():
                within = reached(topology.exits, topology.heading_count, cells[0], everything.difference(cells))
                expect(within == set(cells), f"in {_named(topology)}, the patch of {tuple(position)} is in pieces")

    def test_patches_touch_along_an_edge_if_they_are_4_neighbours_and_otherwise_only_on_diagonals(self) -> None:
        """Patches of 4-neighbours share a whole edge; others touch at most diagonally, as on squares."""
        for topology in self.topologies():
            lattice = topology.lattice
            touching = {(lattice[first], lattice[second]) for first, second in touching_cells(topology)}
            beside = {pair for pair in product(topology.patches, repeat=2) if is_beside(*pair)}
            expect(beside <= touching, f"in {_named(topology)}, patches do not touch: {_some(beside - touching)}")
            far = {pair for pair in touching - beside if pair[0] != pair[1] and not is_diagonal(*pair)}
            expect(not far, f"in {_named(topology)}, patches touch that are not even diagonal: {_some(far)}")

    def test_anchors_lie_as_their_lattice_cells_do(self) -> None:
        """Anchors are one unit apart in a row, and rows lie from top to bottom, at most half a unit aside."""
        for topology in self.topologies():
            for position in topology.patches:
                x, y = topology.centres[topology.anchor(position)]
                left, above = Position(position.x - 1, position.y), Position(position.x, position.y - 1)
                if left in topology.patches:
                    x0, y0 = topology.centres[topology.anchor(left)]
                    lies = math.dist((x - x0, y - y0), (1, 0)) < 1e-6
                    expect(lies, f"in {_named(topology)}, {position} is not one unit right of {left}")
                if above in topology.patches:
                    x0, y0 = topology.centres[topology.anchor(above)]
                    expect(y > y0 and abs(x - x0) <= HALF, f"in {_named(topology)}, {position} is not below {above}")

    # --- Polygons ------------------------------------------------------------------------------------------------

    def test_polygons_are_clockwise_and_convex_around_their_centres(self) -> None:
        """Corners are listed clockwise as seen with y downwards; `centres` has the same order and units."""
        for topology in self.topologies():
            for cell, (polygon, centre) in enumerate(zip(topology.polygons, topology.centres, strict=True)):
                corners, where = (*polygon, *polygon[:2]), f"of cell {cell} of {_named(topology)}"
                convex = all(area(corners[index : index + 3]) > 0 for index in range(len(polygon)))
                expect(convex, f"the polygon {where} is not convex, or not clockwise")
                expect(contains(polygon, centre, margin=0.01), f"the centre {where} is not inside its polygon")

    def test_polygons_fill_the_plane_without_gaps_or_overlaps(self) -> None:
        """Neighbours share whole edges, corner for corner, to a ten-thousandth of a unit, and cells do not overlap."""
        for topology in self.topologies():
            edges = Counter(edge for polygon in topology.polygons for edge in edges_of(polygon))
            twice = {edge for edge, times in edges.items() if times > 1}
            expect(not twice, f"in {_named(topology)}, two cells lie on one side of {_some(twice)}")
            outline = {start: end for start, end in edges if (end, start) not in edges}
            around = _steps_around(outline)
            expect(around == len(outline), f"{_named(topology)} has holes, or is in pieces: {around} of {len(outline)}")
            turns: Counter[tuple[int, int]] = Counter()
            for polygon in topology.polygons:
                for before, here, after in zip(
                    polygon[-1:] + polygon, polygon, polygon[1:] + polygon[:1], strict=False
                ):
                    turns[corner_key(here)] += round((direction(here, before) - direction(here, after)) % 360)
            wrong = {corner for corner, turn in turns.items() if (turn >= 360 if corner in outline else turn != 360)}
            expect(not wrong, f"in {_named(topology)}, cells overlap or leave gaps around {_some(wrong)}")

    # --- Sight ---------------------------------------------------------------------------------------------------

    def test_in_the_open_sight_is_symmetric(self) -> None:
        """A cell seen within reach and not behind sees back with the opposite heading, within the rim.

        Sight depends on the line between two centres, not on its direction.
        """
        for topology, size in product(self.topologies((OPEN,)), VIEW_SIZES):
            count = topology.heading_count
            inner = [
                cell for cell, (x, y) in enumerate(topology.lattice) if 0 < x < OPEN[0] - 1 and 0 < y < OPEN[1] - 1
            ]
            seen = {each: topology.sight(*each, size).seen(frozenset()) for each in product(inner, range(count))}
            for (cell, heading), cells in seen.items():
                for other in cells.intersection(inner):
                    back = seen[other, (heading + count // 2) % count]
                    if cell not in back and _is_ahead(topology, cell, heading, other, size):
                        where = f"in {_named(topology)}, cell {cell} with heading {heading} sees cell {other}"
                        fail(f"{where}, which does not see it with the opposite heading (view_size {size})")

    def test_what_is_seen_depends_on_nothing_that_is_not_seen(self) -> None:
        """All cells that a line of sight passes are seen, and the one that stops it; others change nothing."""
        rng = Random(0)
        for topology in self.topologies(SMALL):
            for cell, heading in product(range(topology.cell_count), range(topology.heading_count)):
                barriers = {position for position in topology.patches if rng.random() < BARRIER_SHARE}
                before = _seen_among(topology, cell, heading, barriers)
                unseen = [each for each, cells in topology.patches.items() if before.isdisjoint(cells)]
                others = barriers.symmetric_difference(each for each in unseen if rng.random() < CHANGED_SHARE)
                after = _seen_among(topology, cell, heading, others)
                if before != after:
                    where = f"in {_named(topology)}, cell {cell} with heading {heading} sees {_some(before ^ after)}"
                    fail(f"{where} or not, depending on lattice cells of which it sees nothing")

    def test_a_larger_view_and_fewer_opaque_cells_never_show_less(self) -> None:
        """`view_size` is only the reach of sight, and an opaque cell only removes cells from what is seen.

        The own cell and the one ahead are always seen.
        """
        for topology in self.topologies(SMALL):
            everything = frozenset(range(topology.cell_count))
            for cell, heading, opaque in _looks(topology):
                where = f"in {_named(topology)}, cell {cell} with heading {heading} sees"
                views = [topology.sight(cell, heading, size) for size in VIEW_SIZES]
                ahead = topology.exits[cell * topology.heading_count + heading]
                least = views[0].seen(everything - {cell})
                expect({cell, ahead} - {NO_CELL} <= least, f"{where} only {_some(least)} when all else is opaque")
                larger = all(one.seen(opaque) <= other.seen(opaque) for one, other in pairwise(views))
                expect(larger, f"{where} less with a larger view_size")
                fewer = (everything - {cell}, opaque, frozenset(sorted(opaque)[::2]), frozenset[int]())
                clearer = all(views[0].seen(one) <= views[0].seen(other) for one, other in pairwise(fewer))
                expect(clearer, f"{where} more where more is opaque")

    # --- Mazes ---------------------------------------------------------------------------------------------------

    def test_a_maze_keeps_its_meaning(self) -> None:
        """In random mazes with open and shut doors, the same lattice cells can be walked to as on squares.

        Patches touch along an edge where lattice cells are neighbours; seams between two barriers are sealed.
        """
        square, topology = square_topology(8, 7), self.make(8, 7)
        for seed in range(MAZES):
            rng = Random(seed)
            barriers = {position for position in sorted(square.patches) if rng.random() < CHANGED_SHARE}
            shut = {position for position in sorted(barriers) if rng.random() > BARRIER_SHARE}
            start = next(position for position in sorted(square.patches) if position not in shut)
            here, there = (_walkable(each, barriers, shut, start) for each in (square, topology))
            wrong = f"{_some(there - here)} can be reached and {_some(here - there)} cannot"
            expect(here == there, f"on {topology.name}, in a random maze, {wrong}, unlike on squares")


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
    """Yield (cell, heading, opaque cells) for every direction from every cell; a quarter of the others are opaque."""
    rng = Random(topology.cell_count)
    for cell in range(topology.cell_count):
        opaque = frozenset(rng.sample(range(topology.cell_count), topology.cell_count // 4)) - {cell}
        yield from ((cell, heading, opaque) for heading in range(topology.heading_count))


def _steps_around(outline: dict[tuple[int, int], tuple[int, int]]) -> int:
    """Return the number of edges in the part of an outline that its first corner is on."""
    first = here = min(outline)
    for steps in range(1, len(outline) + 1):
        here = outline.get(here, first)
        if here == first:
            return steps
    return 0


def _is_ahead(topology: Topology, cell: int, heading: int, other: int, reach: float) -> bool:
    """Whether a cell's centre is within reach and not behind."""
    here, there = topology.centres[cell], topology.centres[other]
    angle = abs(direction(here, there) - 360 * heading / topology.heading_count) % 360
    return math.dist(here, there) <= reach and min(angle, 360 - angle) <= RIGHT_ANGLE


def _seen_among(topology: Topology, cell: int, heading: int, barriers: set[Position]) -> frozenset[int]:
    opaque = frozenset(each for position in barriers for each in topology.patches[position])
    return topology.sight(cell, heading, VIEW_SIZES[-1]).seen(opaque, sealed_seams(topology, barriers))


def _walkable(topology: Topology, barriers: set[Position], shut: set[Position], start: Position) -> set[Position]:
    """Return the reachable lattice cells, with seams between barriers sealed."""
    exits = sealed_exits(topology, sealed_seams(topology, barriers))
    closed = {cell for position in shut for cell in topology.patches[position]}
    found = reached(exits, topology.heading_count, topology.anchor(start), closed)
    return {topology.lattice[cell] for cell in found}
