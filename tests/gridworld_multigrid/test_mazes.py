"""The bundled tasks mean the same on every tiling."""

from functools import cache
from typing import Any

import pytest

from gridworld.actions import Action
from gridworld.plugins import get_registry
from gridworld.solver import Verdict, solve
from gridworld.solver.necessity import without
from gridworld.suites import load_benchmark
from gridworld.task_spec import Position, TaskSpecification
from gridworld.world import Episode, World, compile_world
from support.thoroughness import in_turn
from support.tilings import (
    POLYGON_TILINGS,
    TILINGS,
    is_diagonal,
    make_topology,
    on_two_tilings,
    reached,
)

TASKS = {
    task.task_id: task
    for name in ("validation_10", "tiers")
    for task in load_benchmark(get_registry().benchmarks.get(name))
}
BARRIERS = ("doors", "gates")

on_a_tiling_in_turn = in_turn("task_id, name", list(TASKS), TILINGS)


@cache
def world_of(task_id: str, tiling: str) -> World:
    task = TASKS[task_id]
    return compile_world(task, make_topology(tiling, task.maze.dimensions))


# --- Compiling -------------------------------------------------------------------------------------------------------


@on_a_tiling_in_turn
def test_barriers_and_hazards_fill_their_patch(task_id: str, name: str) -> None:
    task, world = TASKS[task_id], world_of(task_id, name)
    topology = world.topology
    assert world.walls == {cell for position in task.maze.wall_cells() for cell in topology.patches[position]}
    for entity in world.entities:
        places = entity.type.positions(entity.spec).values()
        whole = entity.type.name in (*BARRIERS, "hazards")
        expected = [topology.patches[place] if whole else (topology.anchor(place),) for place in places]
        assert entity.cells == tuple(cell for cells in expected for cell in cells)


@on_a_tiling_in_turn
def test_seams_are_sealed_where_wall_door_or_gate_is_on_both_sides(task_id: str, name: str) -> None:
    task, world = TASKS[task_id], world_of(task_id, name)
    lattice = world.topology.lattice
    closed = task.maze.wall_cells() | {spec.position for kind in BARRIERS for spec in getattr(task.mechanisms, kind)}
    for place, beyond in enumerate(world.topology.exits):
        cell = place // world.headings
        if beyond < 0 or not is_diagonal(lattice[cell], lattice[beyond]):
            assert world.exits[place] == beyond
            continue
        (x0, y0), (x1, y1) = lattice[cell], lattice[beyond]
        sealed = {(x0, y1), (x1, y0)} <= closed
        assert ((cell, beyond) in world.seams) == sealed
        assert (world.exits[place] != beyond) == sealed


# --- Where one can walk ----------------------------------------------------------------------------------------------


@cache
def walkable(task_id: str, tiling: str, barriers_open: bool) -> frozenset[Position]:
    """The lattice cells that can be walked to, past all that is no wall, door or gate; teleporters are floor."""
    world = world_of(task_id, tiling)
    barring = (entity for entity in world.entities if entity.type.name in BARRIERS and not barriers_open)
    closed = world.walls.union(*(entity.cells for entity in barring))
    cells = reached(world.exits, world.headings, world.start.cell, closed)
    return frozenset(world.topology.lattice[cell] for cell in cells)


@pytest.mark.parametrize("barriers_open", [True, False], ids=["open", "shut"])
@in_turn("task_id, name", list(TASKS), POLYGON_TILINGS)
def test_the_same_lattice_cells_can_be_walked_to_as_on_squares(task_id: str, name: str, barriers_open: bool) -> None:
    assert walkable(task_id, name, barriers_open) == walkable(task_id, "square", barriers_open)


# --- Winning ---------------------------------------------------------------------------------------------------------

MAX_STATES = 1_000_000
LARGE = ("v06_key_switch_chain", "v10_distractor_chain")
WITHOUT_BLOCKS = [task for task in TASKS.values() if not task.mechanisms.blocks]


def quick_or_thorough(task: TaskSpecification) -> Any:
    """Tasks of many states, most of those above the first tier, are only solved in thorough runs."""
    quick = task.difficulty_tier == 1 or (task.task_id.startswith("v") and task.task_id not in LARGE)
    return pytest.param(task, id=task.task_id, marks=() if quick else pytest.mark.thorough)


every_task_without_blocks = pytest.mark.parametrize("task", [quick_or_thorough(task) for task in WITHOUT_BLOCKS])


@on_two_tilings
@every_task_without_blocks
def test_tasks_without_blocks_are_winnable_and_need_their_chain(name: str, task: TaskSpecification) -> None:
    world = world_of(task.task_id, name)
    solution = solve(world, MAX_STATES)
    assert solution.verdict == Verdict.SOLVED
    assert solution.plan is not None
    assert len(solution.plan) <= task.max_steps
    assert wins(world, solution.plan)
    for step in task.dependency_chain.sequence if task.dependency_chain else ():
        spared = without(world, world.by_id[step.element].index)
        length = len(solution.plan)
        assert solve(world, MAX_STATES, constraint=spared, max_length=length).depth > length, step.element


def wins(world: World, plan: tuple[Action, ...]) -> bool:
    """Whether a plan wins with its last action and not before."""
    episode = Episode(world)
    episode.reset()
    for action in plan:
        assert not episode.terminated
        episode.step(action)
    return episode.succeeded
