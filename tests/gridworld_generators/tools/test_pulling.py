"""Pulled blocks can be pushed back by the rules of the world, on every tiling."""

from collections import deque

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gridworld.actions import Action
from gridworld.mechanisms.blocks import BlockSpec
from gridworld.task_spec import GoalSpec, MazeLayout, MechanismSet, Position, TaskSpecification
from gridworld.world import State, World, compile_world
from gridworld.world.rules import transition
from gridworld.world.state import Status
from gridworld_generators.tools.dice import Dice
from gridworld_generators.tools.pulling import Pulled, Push, make_yard, pull_apart
from gridworld_generators.tools.rooms import carve_hall
from support.thoroughness import bounded
from support.tilings import TILINGS, make_topology

SIZE = 7
WALKING = (Action.TURN_LEFT, Action.TURN_RIGHT, Action.MOVE_FORWARD)


def walk_to(world: World, state: State, push: Push) -> State:
    """The state in which an agent that has touched no block is where a push is made from."""
    waiting, seen = deque([state]), {(state.cell, state.heading)}
    while waiting:
        here = waiting.popleft()
        if (here.cell, here.heading) == (push.stand, push.heading):
            return here
        for action in WALKING:
            there, _ = transition(world, here, action)
            if there.places == state.places and (there.cell, there.heading) not in seen:
                seen.add((there.cell, there.heading))
                waiting.append(there)
    raise AssertionError(f"no way to {push}")


def push_all(world: World, pulled: Pulled) -> State:
    """The state after all pushes, walking between them."""
    state = world.start
    for push in pulled.pushes:
        before = walk_to(world, state, push)
        state, _ = transition(world, before, Action.MOVE_FORWARD)
        moved = [
            number for number, pair in enumerate(zip(before.places, state.places, strict=True)) if len({*pair}) > 1
        ]
        assert moved == [world.by_id[f"block_{push.block}"].index]
    return state


def a_task(
    floor: frozenset[Position], start: Position, blocks: list[Position], goals: list[Position]
) -> TaskSpecification:
    names = [f"block_{number}" for number in range(len(blocks))]
    walls = [Position(x, y) for x in range(1, SIZE - 1) for y in range(1, SIZE - 1) if Position(x, y) not in floor]
    goal = next(cell for cell in sorted(floor) if cell != start and cell not in blocks)
    return TaskSpecification(
        task_id="pulled",
        seed=0,
        difficulty_tier=4,
        maze=MazeLayout((SIZE, SIZE), start, goal, walls),
        goal=GoalSpec("push_block_to", target_ids=names, target_positions=goals),
        max_steps=10_000,
        mechanisms=MechanismSet(blocks=[BlockSpec(name, cell) for name, cell in zip(names, blocks, strict=True)]),
    )


@pytest.mark.parametrize("tiling", TILINGS)
@bounded(8)
@given(seed=st.integers(0, 2**32), count=st.integers(1, 3))
def test_pushes_found_by_pulling_win_the_task(tiling: str, seed: int, count: int) -> None:
    dice = Dice(seed)
    topology = make_topology(tiling, (SIZE, SIZE))
    floor = carve_hall(1, 1, SIZE - 2, SIZE - 2, 20, dice)
    yard = make_yard(topology, (cell for cell in topology.patches if cell not in floor))
    anchors = {topology.anchor(cell): cell for cell in sorted(floor)}
    goals = dice.sample(sorted(floor), count)
    targets = tuple(map(topology.anchor, goals))
    for pulled in (each for layer in pull_apart(yard, targets, 3, 4, dice) for each in layer[:3]):
        starts = [cell for anchor, cell in anchors.items() if pulled.may_start_on(anchor)]
        # Only what lies on anchors can be said in a task.
        if not starts or pulled.blocks == targets or not all(cell in anchors for cell in pulled.blocks):
            continue
        task = a_task(floor, dice.choice(starts), [anchors[cell] for cell in pulled.blocks], goals)
        assert push_all(compile_world(task, topology), pulled).status == Status.SUCCEEDED


@given(seed=st.integers(0, 2**32))
def test_layers_differ_by_one_line_without_duplicates(seed: int) -> None:
    dice = Dice(seed)
    topology = make_topology("square", (SIZE, SIZE))
    floor = carve_hall(1, 1, SIZE - 2, SIZE - 2, 20, dice)
    yard = make_yard(topology, (cell for cell in topology.patches if cell not in floor))
    layers = pull_apart(yard, list(map(topology.anchor, dice.sample(sorted(floor), 2))), 4, 4, dice)
    assert all(pulled.lines == lines for lines, layer in enumerate(layers, 1) for pulled in layer)
    places = [(pulled.blocks, pulled.room) for layer in layers for pulled in layer]
    assert len(places) == len({*places})
