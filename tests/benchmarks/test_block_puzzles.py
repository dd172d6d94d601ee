"""The block puzzles of the benchmarks: as many as they say, different, and each of them won by its own pushes."""

from collections import deque
from typing import Any

import pytest

from gridworld.actions import Action
from gridworld.world import Episode, State, World, transition
from support.sources import load_benchmark
from support.worlds import begin, cell_named, compiled

MODULE = load_benchmark("block_puzzles")
QUICK = 3
WALKING = (Action.TURN_LEFT, Action.TURN_RIGHT, Action.MOVE_FORWARD)
HEADINGS = [(1, 0), (0, 1), (-1, 0), (0, -1)]


def way_to(world: World, start: State, cell: int, heading: int) -> list[Action]:
    """The actions that take the agent there without moving a block."""
    ways: dict[State, list[Action]] = {start._replace(steps=0): []}
    waiting = deque(ways)
    while waiting:
        state = waiting.popleft()
        if (state.cell, state.heading) == (cell, heading):
            return ways[state]
        for action in WALKING:
            following = transition(world, state, action)[0]._replace(steps=0)
            if following.places == start.places and following not in ways:
                ways[following] = [*ways[state], action]
                waiting.append(following)
    raise AssertionError(f"cell {cell} cannot be walked to")


def push(episode: Episode, name: str, step: tuple[int, int]) -> None:
    """Walk behind a block and push it."""
    world, block = episode.world, episode.world.by_id[name].index
    x, y = world.topology.lattice[episode.state.places[block]]
    behind = cell_named(world, (x - step[0], y - step[1]))
    for action in way_to(world, episode.state, behind, HEADINGS.index(step)):
        episode.step(action)
    episode.step(Action.MOVE_FORWARD)
    assert world.topology.lattice[episode.state.places[block]] == (x + step[0], y + step[1])


@pytest.mark.parametrize(
    "seed", [pytest.param(seed, marks=() if seed < QUICK else pytest.mark.thorough) for seed in range(MODULE.COUNT)]
)
def test_a_level_is_won_by_its_pushes(seed: int) -> None:
    level = MODULE.block_puzzle(seed)
    episode = begin(level.task)
    for each in level.pushes:
        if not episode.terminated:
            push(episode, level.task.goal.target_ids[each.block], each.step)
    assert episode.succeeded


def test_there_are_thirty_different_levels_of_four_blocks_with_targets_of_their_own() -> None:
    tasks = [level.task for level in MODULE.block_puzzles()]
    assert len(tasks) == 30
    assert len({str(shape(task.to_dict())) for task in tasks}) == 30
    for task in tasks:
        assert task.maze.dimensions == (10, 10)
        assert len({block.position for block in task.mechanisms.blocks}) == 4
        assert len(set(task.goal.target_positions)) == len(set(task.goal.target_ids)) == 4


def shape(data: dict[str, Any]) -> list[Any]:
    return [data["maze"], data["mechanisms"], data["goal"]]


def test_a_level_is_the_same_when_it_is_made_again() -> None:
    assert MODULE.block_puzzle(1) == MODULE.block_puzzle(1) != MODULE.block_puzzle(2)


@pytest.mark.parametrize("side", [7, 10, 12])
def test_the_room_of_three_blocks_is_won_by_pushing_each_to_its_target(side: int) -> None:
    episode = begin(MODULE.three_blocks_room(side))
    middle, last = side // 2, side - 2
    ways = {
        "red_block": [(1, 0)] * (last - 2) + [(0, 1)] * (last - 2),
        "green_block": [(-1, 0)] * (middle - 1),
        "blue_block": [(-1, 0)] * (last - 1 - middle) + [(0, 1)] * (last - 2),
    }
    for name in ("green_block", "blue_block", "red_block"):
        for step in ways[name]:
            push(episode, name, step)
    assert episode.succeeded
    assert not compiled(MODULE.three_blocks_room(side)).walls - {
        cell_named(episode.world, (x, y)) for x in range(side) for y in range(side) if {x, y} & {0, side - 1}
    }
