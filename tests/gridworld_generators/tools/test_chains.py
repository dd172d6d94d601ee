"""Chains in a forced order, decoys, hidden steps and items to collect."""

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from gridworld.generation.generator import NothingDrawn
from gridworld.task_spec import Position
from gridworld_generators.tools.chains import (
    STEP_KINDS,
    TARGET_KINDS,
    hide_steps,
    place_chain,
    place_targets,
    plate_cells,
)
from gridworld_generators.tools.decoys import DECOY_KINDS, place_decoys
from gridworld_generators.tools.dice import Dice
from gridworld_generators.tools.mazes import braid, carve
from gridworld_generators.tools.regions import reachable
from gridworld_generators.tools.rooms import grow_cave, partition
from gridworld_generators.tools.sketch import SOLID, Sketch
from gridworld_generators.tools.ways import cells_on_ways, estimated_length, place_ends, quiet_cells, waypoints
from support.tilings import TILINGS, make_topology

SIDE = 11
LAYOUTS = {
    "cave": lambda dice: grow_cave(SIDE, SIDE, dice),
    "hall": lambda dice: set(partition(SIDE, SIDE, 4, dice).floor),
    "maze": lambda dice: carve("wilson", 5, 5, dice),
    "loops": lambda dice: braid(carve("prim", 5, 5, dice), 0.8, dice),
}
kinds_of_steps = st.lists(st.sampled_from(STEP_KINDS), max_size=4)


def layout(name: str, seed: int) -> Sketch:
    dice = Dice(seed)
    sketch = Sketch(SIDE, SIDE, LAYOUTS[name](dice))
    assume(len(sketch.floor) > 20)
    place_ends(sketch, dice)
    return sketch


def goal_of(sketch: Sketch) -> Position:
    assert sketch.goal is not None
    return sketch.goal


def start_of(sketch: Sketch) -> Position:
    assert sketch.start is not None
    return sketch.start


@st.composite
def chained(draw: st.DrawFn) -> Sketch:
    """Layouts with a chain of any kinds of steps."""
    seed = draw(st.integers(0, 10**6))
    sketch = layout(draw(st.sampled_from(sorted(LAYOUTS))), seed)
    try:
        place_chain(sketch, goal_of(sketch), draw(kinds_of_steps), Dice(seed + 1))
    except NothingDrawn:
        assume(False)
    return sketch


def cell_of(sketch: Sketch, name: str) -> Position:
    (cell,) = sketch.things[name].cells
    return cell


def reach_by_the_chain(sketch: Sketch, shut: str | None) -> set[Position]:
    """Cells reachable by opening, in any order, all barriers with a reachable opener, except one."""
    closed = {step.unlocks for step in sketch.chain}
    while True:
        floor = sketch.floor - {cell_of(sketch, name) for name in closed}
        reach = reachable(floor, start_of(sketch), sketch.neighbors)
        found = {step.unlocks for step in sketch.chain if cell_of(sketch, step.element) in reach} - {shut}
        if found.isdisjoint(closed):
            return reach
        closed -= found


@given(chained())
def test_every_barrier_is_needed(sketch: Sketch) -> None:
    assert goal_of(sketch) in reach_by_the_chain(sketch, None)
    for step in sketch.chain:
        assert goal_of(sketch) not in reach_by_the_chain(sketch, step.unlocks)


@given(chained())
def test_openers_are_behind_the_previous_barrier(sketch: Sketch) -> None:
    for number, step in enumerate(sketch.chain[1:]):
        shut = {cell_of(sketch, later.unlocks) for later in sketch.chain[number:]}
        reach = reachable(sketch.floor - shut, start_of(sketch), sketch.neighbors)
        assert cell_of(sketch, step.element) not in reach


@given(chained())
def test_keys_block_nothing_and_the_first_opener_is_reachable(sketch: Sketch) -> None:
    if sketch.chain:
        reach = reachable(sketch.open_floor(), start_of(sketch), sketch.neighbors)
        assert cell_of(sketch, sketch.chain[0].element) in reach
    without_keys = sketch.floor - sketch.cells_of(*SOLID)
    assert reachable(without_keys, start_of(sketch), sketch.neighbors) == without_keys


@given(chained())
def test_hold_switches_are_on_plate_cells(sketch: Sketch) -> None:
    for step in sketch.chain:
        if step.element.startswith("plate"):
            assert cell_of(sketch, step.element) in plate_cells(cell_of(sketch, step.unlocks))


@pytest.mark.parametrize("tiling", TILINGS)
def test_plate_cells_lead_into_the_gate_on_every_tiling(tiling: str) -> None:
    topology = make_topology(tiling, (9, 9))
    for gate in (Position(x, y) for x in range(1, 7) for y in range(1, 7)):
        for plate in plate_cells(gate):
            anchor = topology.anchor(plate)
            exits = topology.exits[anchor * topology.heading_count : (anchor + 1) * topology.heading_count]
            assert set(exits) & set(topology.patches[gate])


@given(st.integers(0, 10**6))
def test_a_failed_chain_leaves_the_sketch_unchanged(seed: int) -> None:
    sketch = Sketch(7, 3, {Position(x, 1) for x in range(1, 6)}, Position(1, 1), Position(5, 1))
    before = sketch.copy()
    with pytest.raises(NothingDrawn, match="no room"):
        place_chain(sketch, Position(5, 1), ["key"] * 3, Dice(seed))
    assert sketch == before


def test_doors_are_limited_by_colours() -> None:
    sketch = Sketch(41, 41, carve("wilson", 20, 20, Dice(1)))
    place_ends(sketch, Dice(1))
    with pytest.raises(NothingDrawn, match="colours"):
        place_chain(sketch, goal_of(sketch), ["key"] * 7, Dice(1))


@given(chained(), st.integers(0, 10**6), st.lists(st.sampled_from(sorted(DECOY_KINDS)), min_size=1, unique=True))
def test_decoys_are_off_the_ways_and_bar_nothing(sketch: Sketch, seed: int, kinds: list[str]) -> None:
    ways, before = cells_on_ways(sketch), set(sketch.things)
    try:
        place_decoys(sketch, 2, kinds, Dice(seed))
    except NothingDrawn:
        return
    new = {name: thing for name, thing in sketch.things.items() if name not in before}
    assert ways.isdisjoint(cell for thing in new.values() for cell in thing.cells)
    named = {each.element_id for each in sketch.distractors}
    assert set(new) <= named
    without = sketch.floor - {cell for thing in new.values() if thing.kind != "switches" for cell in thing.cells}
    assert {*waypoints(sketch)} <= reachable(without, start_of(sketch), sketch.neighbors)


@given(chained(), st.integers(0, 10**6), st.integers(0, 3))
def test_more_decoys_keep_the_first_ones(sketch: Sketch, seed: int, count: int) -> None:
    fewer, more = sketch.copy(), sketch.copy()
    try:
        place_decoys(more, count + 1, tuple(DECOY_KINDS), Dice(seed))
    except NothingDrawn:
        assume(False)
    place_decoys(fewer, count, tuple(DECOY_KINDS), Dice(seed))
    assert more.distractors[: len(fewer.distractors)] == fewer.distractors
    assert fewer.things.items() <= more.things.items()


@given(chained())
def test_quiet_cells_are_free_and_obstruct_nothing(sketch: Sketch) -> None:
    for cell in quiet_cells(sketch):
        assert sketch.is_free(cell)
        rest = sketch.floor - sketch.cells_of(*SOLID) - {cell}
        assert reachable(rest, start_of(sketch), sketch.neighbors) == rest


@given(chained(), st.integers(0, 4))
def test_only_doors_and_switches_are_hidden(sketch: Sketch, count: int) -> None:
    if count > len(sketch.chain):
        with pytest.raises(NothingDrawn, match="hidden"):
            hide_steps(sketch, count, Dice(1))
        return
    hide_steps(sketch, count, Dice(1))
    hidden = sketch.rules.hidden_mechanisms
    assert len(set(hidden)) == count
    assert {sketch.things[name].kind for name in hidden} <= {"doors", "switches"}


@given(chained(), st.integers(1, 3), st.integers(0, 10**6))
def test_items_to_collect_are_before_the_chain_or_at_its_end(sketch: Sketch, count: int, seed: int) -> None:
    end = goal_of(sketch)
    try:
        place_targets(sketch, end, count, TARGET_KINDS, Dice(seed))
    except NothingDrawn:
        return
    assert len(sketch.goal_spec.target_ids) == count
    cells = {cell_of(sketch, name) for name in sketch.goal_spec.target_ids}
    assert end in cells
    open_floor = sketch.open_floor()
    ends = [reachable(open_floor, cell, sketch.neighbors) for cell in (start_of(sketch), end)]
    assert cells <= ends[0] | ends[1]
    assert estimated_length(sketch) > 0
