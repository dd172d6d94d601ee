"""Reach, separators and cuts, compared with removing cells."""

from itertools import pairwise

from hypothesis import assume, given
from hypothesis import strategies as st

from gridworld.task_spec import Position
from gridworld_generators.tools.dice import Dice
from gridworld_generators.tools.lattice import inner_cells, neighbors
from gridworld_generators.tools.regions import (
    components,
    cut_cells,
    distances,
    narrowest_cut,
    reachable,
    separators,
    shortest_path,
)

SIDE = 8
NEIGHBORS = neighbors(SIDE, SIDE)


@st.composite
def regions(draw: st.DrawFn) -> set[Position]:
    """The largest part of a lattice from which cells were taken at random."""
    dice, density = Dice(draw(st.integers(0, 10**6))), draw(st.floats(0.5, 0.9))
    return components({cell for cell in inner_cells(SIDE, SIDE) if dice.chance(density)}, NEIGHBORS)[0]


@st.composite
def regions_with_ends(draw: st.DrawFn) -> tuple[set[Position], Position, Position]:
    region = draw(regions())
    assume(len(region) > 3)
    start, end = Dice(draw(st.integers(0, 10**6))).sample(sorted(region), 2)
    return region, start, end


@given(regions())
def test_cut_cells_are_the_articulation_points(region: set[Position]) -> None:
    assert cut_cells(region, NEIGHBORS) == {cell for cell in region if len(components(region - {cell}, NEIGHBORS)) > 1}


@given(regions_with_ends())
def test_separators_cut_off_the_end(
    ends: tuple[set[Position], Position, Position],
) -> None:
    region, start, end = ends
    found = separators(region, start, end, NEIGHBORS)
    needed = {cell for cell in region - {start, end} if end not in reachable(region - {cell}, start, NEIGHBORS)}
    assert {each.cell for each in found} == needed
    for each in found:
        assert each.near_side == reachable(region - {each.cell}, start, NEIGHBORS)
    assert sorted(found, key=lambda each: len(each.near_side)) == found


@given(regions_with_ends())
def test_a_shortest_path_is_as_long_as_the_distance(ends: tuple[set[Position], Position, Position]) -> None:
    region, start, end = ends
    path = shortest_path(region, start, end, NEIGHBORS)
    assert len(path) - 1 == distances(region, [start], NEIGHBORS)[end]
    assert all(there in NEIGHBORS[here] for here, there in pairwise(path))


@given(regions_with_ends())
def test_narrowest_cuts_separate_minimally(ends: tuple[set[Position], Position, Position]) -> None:
    region, start, end = ends
    cut = narrowest_cut(region, [start], [end], NEIGHBORS, most=4)
    if end in NEIGHBORS[start]:
        assert cut == []
        return
    assert cut  # nowhere more than four: those beside the end are one
    assert end not in reachable(region - set(cut), start, NEIGHBORS)
    for cell in cut:
        assert end in reachable(region - (set(cut) - {cell}), start, NEIGHBORS)
    assert (len(cut) == 1) == bool(separators(region, start, end, NEIGHBORS))


@given(regions_with_ends())
def test_kept_cells_are_in_no_cut(ends: tuple[set[Position], Position, Position]) -> None:
    region, start, end = ends
    kept = set(narrowest_cut(region, [start], [end], NEIGHBORS)[:1])
    assert kept.isdisjoint(narrowest_cut(region, [start], [end], NEIGHBORS, keep=kept))
