"""Tasks of families of puzzles."""

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
from support.tilings import make_topology, on_two_tilings

SEEDS = st.integers(0, 2**32)
FAMILIES = [name for name, _, _ in PUZZLES]


def family(name: str) -> type[Puzzle]:
    found: type[Puzzle] = load_object(get_registry().generators.get(name).target)
    return found


def drawn(generator: Generator, seed: int) -> TaskSpecification:
    """The task of the first seed, from this one on, that has one."""
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
    """A copy of a task without some mechanism types, chain and distractors."""
    rest = {kind: specs for kind, specs in task.mechanisms.groups() if kind not in kinds}
    return attrs.evolve(task, mechanisms=MechanismSet(**rest), dependency_chain=None, distractors=())


@pytest.mark.parametrize("name", FAMILIES)
@bounded(6)
@given(seed=SEEDS)
def test_a_seed_gives_one_valid_task(name: str, seed: int) -> None:
    task = drawn(family(name)(), seed)
    assert task.validate() == (True, [])
    assert task == drawn(family(name)(), seed)


@pytest.mark.parametrize(
    "generator",
    [Weights(), Weights(size=13, depth=4), TeleporterHouse(depth=1), TeleporterHouse(depth=3, one_way=100)],
    ids=repr,
)
@bounded(4)
@given(seed=SEEDS)
def test_chains_and_decoys_have_the_required_number(generator: Weights | TeleporterHouse, seed: int) -> None:
    task = drawn(generator, seed)
    assert task.dependency_chain is not None
    assert task.dependency_chain.depth == generator.depth
    assert task.difficulty_tier == generator.TIER
    if isinstance(generator, TeleporterHouse):
        assert len(task.distractors) == generator.decoys


@pytest.mark.parametrize("generator", [HazardField(size=7), LavaRivers(), TeleporterHouse(size=9, decoys=1)], ids=repr)
@on_two_tilings
@bounded(3)
@given(seed=SEEDS)
def test_puzzles_are_solvable_on_every_tiling(generator: Generator, name: str, seed: int) -> None:
    task = drawn(generator, seed)
    report = check_task(compile_world(task, make_topology(name, task.maze.dimensions)))
    assert report.ok, report.findings


@bounded(5)
@given(seed=SEEDS, blocks=st.integers(1, 2))
def test_warehouses_are_solvable_and_all_blocks_displaced(seed: int, blocks: int) -> None:
    task = drawn(Warehouse(size=7, blocks=blocks, lines=3), seed)
    assert solve(on_squares(task)).verdict is Verdict.SOLVED
    places = [block.position for block in task.mechanisms.blocks]
    goals = dict(zip(task.goal.target_ids, task.goal.target_positions, strict=True))
    assert len(places) == blocks
    assert all(goals[block.id] != block.position for block in task.mechanisms.blocks)


@bounded(5)
@given(seed=SEEDS)
def test_weights_are_needed_to_open_the_way(seed: int) -> None:
    task = drawn(Weights(size=9), seed)
    assert solve(on_squares(task)).verdict is Verdict.SOLVED
    assert solve(on_squares(without(task, "blocks"))).verdict is Verdict.UNSOLVABLE


@given(seed=SEEDS)
def test_teleporters_are_the_only_way(seed: int) -> None:
    task = drawn(TeleporterHouse(), seed)
    assert solve(on_squares(without(task, "teleporters"))).verdict is Verdict.UNSOLVABLE


@bounded(5)
@given(seed=SEEDS, traps=st.integers(0, 1))
def test_teleporter_houses_have_dead_ends_only_with_traps(seed: int, traps: int) -> None:
    report = check_task(on_squares(drawn(TeleporterHouse(decoys=1, traps=traps), seed)))
    assert report.ok
    assert (report.dead_end is not None) == bool(traps)


@given(seed=SEEDS, density=st.integers(1, 60))
def test_hazard_fields_keep_the_density_and_a_way(seed: int, density: int) -> None:
    task = drawn(HazardField(density=density), seed)
    cells = 7 * 7
    assert len(task.mechanisms.hazards) <= cells * density // 100
    assert solve(on_squares(task)).verdict is Verdict.SOLVED


@given(seed=SEEDS)
def test_each_river_has_one_ford(seed: int) -> None:
    task = drawn(LavaRivers(rivers=1), seed)
    river = {hazard.position for hazard in task.mechanisms.hazards}
    columns, rows = {cell.x for cell in river}, {cell.y for cell in river}
    assert min(len(columns), len(rows)) == 1
    assert len(river) == task.maze.width - 3  # all of a line but the ford


@given(seed=SEEDS)
def test_waiting_survives_on_an_islet_and_moving_on_dies(seed: int) -> None:
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
        (TeleporterHouse, {"size": 7, "depth": 3, "decoys": 1}, "size=7 holds 4 rooms, but 5 are requested"),
        (Weights, {"size": 12, "depth": 8}, "size=12 holds 4 rooms, but depth=8 needs 5"),
        (Weights, {"depth": 3}, "depth=3 is odd"),
        (Warehouse, {"tier": 5}, "tier=5 with observability=full: these tasks are of tier 4"),
        (HazardField, {"view_size": 4}, "view_size must be odd"),
    ],
)
def test_contradictory_parameters_are_refused(
    generator: type[Generator], parameters: dict[str, Any], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        generator(**parameters)
