"""What holds on every tiling, the square one of the core included, whatever the size of the lattice.

What holds of anybody's tilings is in the kit for them (`gridworld.testing.tiling`); the rest is about our own.
"""

from collections import Counter
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gridworld.task_spec import Position
from gridworld.testing import TilingConformance
from gridworld.testing.tiling import SIZES
from gridworld.world import Topology
from gridworld.world.topology import NO_CELL, sealed_exits, sealed_seams
from support.thoroughness import bounded
from support.tilings import (
    TILINGS,
    direction,
    edges_of,
    exit_table,
    is_diagonal,
    make_topology,
    on_all_tilings,
    touching_cells,
)

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
few = bounded(5)


def on_all_sizes(function: object) -> object:
    """Run a test on every installed tiling in every size."""
    sizes = pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
    return on_all_tilings(sizes(function))


class TestSquare(TilingConformance):
    tiling = "square"


class TestHex(TilingConformance):
    tiling = "hex"


class TestTriangle(TilingConformance):
    tiling = "triangle"


class Test488(TilingConformance):
    tiling = "488"


class Test3464(TilingConformance):
    tiling = "3464"

    @pytest.mark.more
    def test_what_is_seen_depends_on_nothing_that_is_not_seen(self) -> None:
        super().test_what_is_seen_depends_on_nothing_that_is_not_seen()

    @pytest.mark.more
    def test_a_larger_view_and_fewer_opaque_cells_never_show_less(self) -> None:
        super().test_a_larger_view_and_fewer_opaque_cells_never_show_less()


def test_all_five_tilings_are_installed() -> None:
    assert set(TILINGS) == set(HEADINGS)


@on_all_tilings
def test_a_topology_is_made_once_for_each_size(name: str) -> None:
    assert make_topology(name, (5, 4)) is make_topology(name, (5, 4))
    assert make_topology(name, (5, 4)) is not make_topology(name, (4, 5))


# --- Headings and turns ----------------------------------------------------------------------------------------------


@on_all_sizes
def test_headings_and_edges_of_every_tiling(name: str, size: tuple[int, int]) -> None:
    topology = make_topology(name, size)
    edges = {(len(polygon), len(topology.edges[cell])) for cell, polygon in enumerate(topology.polygons)}
    assert topology.heading_count == HEADINGS[name]
    assert edges == set(EDGES_OF_CORNERS[name].items())


# --- Exits -----------------------------------------------------------------------------------------------------------


@on_all_sizes
def test_an_exit_leads_in_the_direction_of_its_heading(name: str, size: tuple[int, int]) -> None:
    topology = make_topology(name, size)
    for cell, heading, beyond in exit_table(topology):
        way = direction(topology.centres[cell], topology.centres[beyond])
        deviation = abs((way - 360 * heading / topology.heading_count + 180) % 360 - 180)
        assert deviation == pytest.approx(LARGEST_DEVIATION.get(name, 0.0), abs=1e-6)


# --- Patches ---------------------------------------------------------------------------------------------------------


@on_all_sizes
def test_a_patch_has_its_polygons_and_the_anchor_first(name: str, size: tuple[int, int]) -> None:
    topology = make_topology(name, size)
    corners = {tuple(len(topology.polygons[cell]) for cell in cells) for cells in topology.patches.values()}
    assert corners == PATCHES[name]
    assert all(topology.anchor(position) == cells[0] for position, cells in topology.patches.items())


# --- Polygons --------------------------------------------------------------------------------------------------------


@on_all_sizes
def test_an_edge_belongs_to_one_cell_at_the_rim_and_two_within(name: str, size: tuple[int, int]) -> None:
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


# --- Seams -----------------------------------------------------------------------------------------------------------


def _some_positions(topology: Topology, seed: int) -> set[Position]:
    rng = Random(seed)
    return {position for position in topology.patches if rng.random() < 0.5}


@on_all_tilings
@few
@given(seed=seeds)
def test_seams_are_sealed_between_two_barriers(name: str, seed: int) -> None:
    topology = make_topology(name, (6, 5))
    barriers = _some_positions(topology, seed)
    expected = set()
    for first, second in touching_cells(topology):
        (x0, y0), (x1, y1) = topology.lattice[first], topology.lattice[second]
        if is_diagonal(topology.lattice[first], topology.lattice[second]) and {(x0, y1), (x1, y0)} <= barriers:
            expected.add((first, second))
    assert sealed_seams(topology, barriers) == expected


@on_all_sizes
def test_only_diagonal_contacts_are_sealed(name: str, size: tuple[int, int]) -> None:
    topology = make_topology(name, size)
    seams = sealed_seams(topology, topology.patches)
    assert bool(seams) == (name in ("hex", "488", "3464"))
    assert all(is_diagonal(topology.lattice[first], topology.lattice[second]) for first, second in seams)
    assert not sealed_seams(topology, ())


@on_all_tilings
@few
@given(seed=seeds)
def test_sealed_seams_have_no_exits(name: str, seed: int) -> None:
    topology = make_topology(name, (6, 5))
    seams = sealed_seams(topology, _some_positions(topology, seed))
    exits = sealed_exits(topology, seams)
    assert all((second, first) in seams for first, second in seams)
    for place, beyond in enumerate(topology.exits):
        cell = place // topology.heading_count
        assert exits[place] == (NO_CELL if (cell, beyond) in seams else beyond)
