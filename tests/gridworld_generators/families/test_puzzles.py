"""Families of puzzles: what holds for all tasks of each."""

from typing import Any

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gridworld.actions import Action
from gridworld.generation.generator import Generator, NothingDrawn
from gridworld.plugins import get_registry
from gridworld.solver import Verdict, check_task, solve
from gridworld.support.import_strings import load_object
from gridworld.task_spec import MechanismSet, TaskSpecification
from gridworld.world import World, compile_world
from gridworld.world.rules import transition
from gridworld.world.square import square_topology
from gridworld.world.state import Status
from gridworld_generators.families.blocks import Warehouse, Weights
from gridworld_generators.families.family import Puzzle
from gridworld_generators.families.hazards import HazardField, Islet, LavaRivers
from gridworld_generators.families.teleporter_house import TeleporterHouse
from gridworld_generators.plugin import PUZZLES
from support.thoroughness import bounded
from support.tilings import TILINGS, make_topology

SEEDS = st.integers(0, 2**32)
FAMILIES = [name for name, _, _ in PUZZLES]


def family(name: str) -> type[Puzzle]:
    found: type[Puzzle] = load_object(get_registry().generators.get(name).target)
    return found


def drawn(generator: Generator, seed: int) -> TaskSpecification:
    """The task of the first seed from this one on that has any."""
    for each in range(seed, seed + 50):
        try:
            (task,) = generator.draw(each).tasks
        except NothingDrawn:
            continue
        return task
    raise AssertionError(f"nothing drawn from {seed} on")


def on_squares(task: TaskSpecification) -> World:
    return compile_world(task, square_topology(*task.maze.dimensions))


def without(task: TaskSpecification, *kinds: str) -> TaskSpecification:
    """The same task without mechanisms of some types, and without what is said of them."""
    rest = {kind: specs for kind, specs in task.mechanisms.groups() if kind not in kinds}
    return attrs.evolve(task, mechanisms=MechanismSet(**rest), dependency_chain=None, distractors=())


@pytest.mark.parametrize("name", FAMILIES)
@bounded(6)
@given(seed=SEEDS)
def test_a_seed_gives_one_valid_task(name: str, seed: int) -> None:
    task = drawn(family(name)(), seed)
    assert task.validate() == (True, [])
    assert task == drawn(family(name)(), seed)


@pytest.mark.parametrize("name", FAMILIES)
@bounded(3)
@given(seed=SEEDS)
def test_sight_is_limited_as_asked(name: str, seed: int) -> None:
    rules = drawn(family(name)(observability="view_cone", view_size=5), seed).rules
    assert (rules.observability, rules.view_size) == ("view_cone", 5)


@pytest.mark.parametrize(
    "generator",
    [Weights(), Weights(size=13, depth=4), TeleporterHouse(depth=1), TeleporterHouse(depth=3, one_way=100)],
    ids=repr,
)
@bounded(4)
@given(seed=SEEDS)
def test_chains_and_decoys_are_as_many_as_asked(generator: Weights | TeleporterHouse, seed: int) -> None:
    task = drawn(generator, seed)
    assert task.dependency_chain is not None
    assert task.dependency_chain.depth == generator.depth
    assert task.difficulty_tier == generator.TIER
    if isinstance(generator, TeleporterHouse):
        assert len(task.distractors) == generator.decoys


@pytest.mark.parametrize("generator", [HazardField(size=7), LavaRivers(), TeleporterHouse(size=9, decoys=1)], ids=repr)
@pytest.mark.parametrize("tiling", TILINGS)
@bounded(3)
@given(seed=SEEDS)
def test_hazards_and_teleporters_leave_a_way_on_every_tiling(generator: Generator, tiling: str, seed: int) -> None:
    task = drawn(generator, seed)
    report = check_task(compile_world(task, make_topology(tiling, task.maze.dimensions)))
    assert report.ok, report.findings


@bounded(5)
@given(seed=SEEDS, blocks=st.integers(1, 2))
def test_a_warehouse_can_be_put_in_order_and_no_block_is_where_it_belongs(seed: int, blocks: int) -> None:
    task = drawn(Warehouse(size=7, blocks=blocks, lines=3), seed)
    assert solve(on_squares(task)).verdict is Verdict.SOLVED
    places = [block.position for block in task.mechanisms.blocks]
    goals = dict(zip(task.goal.target_ids, task.goal.target_positions, strict=True))
    assert len(places) == blocks
    assert all(goals[block.id] != block.position for block in task.mechanisms.blocks)


@bounded(5)
@given(seed=SEEDS)
def test_weights_open_the_way_and_nothing_else_does(seed: int) -> None:
    task = drawn(Weights(size=9), seed)
    assert solve(on_squares(task)).verdict is Verdict.SOLVED
    assert solve(on_squares(without(task, "blocks"))).verdict is Verdict.UNSOLVABLE


@given(seed=SEEDS)
def test_no_room_of_a_house_of_teleporters_has_a_door(seed: int) -> None:
    task = drawn(TeleporterHouse(), seed)
    assert solve(on_squares(without(task, "teleporters"))).verdict is Verdict.UNSOLVABLE


@bounded(5)
@given(seed=SEEDS, traps=st.integers(0, 1))
def test_one_can_get_lost_in_a_house_of_teleporters_only_if_it_has_traps(seed: int, traps: int) -> None:
    report = check_task(on_squares(drawn(TeleporterHouse(decoys=1, traps=traps), seed)))
    assert report.ok
    assert (report.dead_end is not None) == bool(traps)


@given(seed=SEEDS, density=st.integers(1, 60))
def test_a_field_is_as_dense_as_asked_if_a_way_is_left(seed: int, density: int) -> None:
    task = drawn(HazardField(density=density), seed)
    cells = 7 * 7
    assert len(task.mechanisms.hazards) <= cells * density // 100
    assert solve(on_squares(task)).verdict is Verdict.SOLVED


@given(seed=SEEDS)
def test_no_river_is_crossed_but_at_a_ford(seed: int) -> None:
    task = drawn(LavaRivers(rivers=1), seed)
    river = {hazard.position for hazard in task.mechanisms.hazards}
    columns, rows = {cell.x for cell in river}, {cell.y for cell in river}
    assert min(len(columns), len(rows)) == 1
    assert len(river) == task.maze.width - 3  # all of a line but the ford


@given(seed=SEEDS)
def test_on_an_islet_one_survives_by_waiting_and_not_by_going_on(seed: int) -> None:
    world = on_squares(drawn(Islet(duration=3), seed))
    state = world.start
    assert transition(world, state, Action.MOVE_FORWARD)[0].status == Status.DIED
    for _ in range(3):
        state, _ = transition(world, state, Action.DONE)
    assert state.status == Status.SUCCEEDED


@pytest.mark.parametrize(
    ("generator", "parameters", "message"),
    [
        (Warehouse, {"size": 5}, "size must be 6 to 20"),
        (Warehouse, {"blocks": 3, "lines": 2}, "lines=2 is less than blocks=3"),
        (Islet, {"size": 5, "ground": 8}, "ground=8 is more than half"),
        (TeleporterHouse, {"size": 7, "depth": 3, "decoys": 1}, "size=7 holds 4 rooms, but 5 are asked for"),
        (Weights, {"size": 12, "depth": 8}, "size=12 holds 4 rooms, but depth=8 needs 5"),
        (Weights, {"depth": 3}, "depth=3 is odd"),
        (Warehouse, {"tier": 5}, "tier=5 with observability=full: these tasks are of tier 4"),
        (HazardField, {"view_size": 4}, "view_size must be odd"),
    ],
)
def test_parameters_that_contradict_each_other_are_refused(
    generator: type[Generator], parameters: dict[str, Any], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        generator(**parameters)
