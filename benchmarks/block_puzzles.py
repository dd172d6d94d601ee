"""Block puzzles of the project's own: tasks on which solvers are measured. They are the same whenever they are made.

    >>> tasks = [puzzle.task for puzzle in block_puzzles()]

Each level is made backwards: the blocks stand on their targets, and an agent that can pull, which ours cannot, wanders
about and pulls them away. Played forwards, its pulls are pushes, so each level can be won.
"""

import random
from collections.abc import Iterator, Sequence, Set
from typing import Any

import attrs

from gridworld.task_spec import TaskSpecification

__all__ = ["COUNT", "BlockPuzzle", "Push", "block_puzzle", "block_puzzles", "three_blocks_room"]

COUNT = 30
"""How many levels there are."""
SIDE = 10
"""Columns and rows of a level, border included."""
BLOCKS = 4
COLORS = ("red", "green", "blue", "purple")
WALL_SHARE = (0.15, 0.3)
"""The least and the greatest share of inner cells that are wall."""
PULLS = 150
"""How many times the agent that makes a level pulls."""
SAME_BLOCK = 0.8
"""How likely it goes on with the block that it has pulled last."""
LEAST_DISTANCE = 10
"""How far the blocks of a level lie from their targets at least, in columns and rows, all together."""
NEVER = 100_000
"""More steps than any plan takes."""

Cell = tuple[int, int]
STEPS: tuple[Cell, ...] = ((1, 0), (0, 1), (-1, 0), (0, -1))


@attrs.frozen
class Push:
    """A block that is pushed by one cell."""

    block: int
    """Its index among the blocks of the level."""
    step: Cell
    """The direction: the column and the row by which it moves on."""


@attrs.frozen
class BlockPuzzle:
    """A level."""

    task: TaskSpecification
    pushes: tuple[Push, ...]
    """One way to win, by far not the shortest; the ways between the pushes are left out."""


@attrs.define
class _Position:
    """The agent and the blocks of a level in the making."""

    agent: Cell
    blocks: list[Cell]
    """By their index."""


def block_puzzles() -> Iterator[BlockPuzzle]:
    """All levels: 10 x 10 cells, 4 blocks, each with a target of its own; solvable on the square tiling."""
    return (block_puzzle(seed) for seed in range(COUNT))


def block_puzzle(seed: int) -> BlockPuzzle:
    """The level of a seed."""
    rng = random.Random(seed)
    while True:
        floor = _room(rng)
        agent, *targets = rng.sample(sorted(floor), 1 + BLOCKS)
        position = _Position(agent, list(targets))
        pulls = _pull_about(floor, position, rng)
        if _is_worth_playing(position, targets):
            return BlockPuzzle(_task(f"block_puzzle_{seed:02}", floor, position, targets), tuple(reversed(pulls)))


def _room(rng: random.Random) -> frozenset[Cell]:
    """The floor of a room with inner walls, all of which can be walked to."""
    inside = [(x, y) for y in range(1, SIDE - 1) for x in range(1, SIDE - 1)]
    while True:
        walls = rng.sample(inside, round(len(inside) * rng.uniform(*WALL_SHARE)))
        floor = frozenset(inside) - frozenset(walls)
        if len(_within_reach(rng.choice(sorted(floor)), floor)) == len(floor):
            return floor


def _within_reach(start: Cell, free: Set[Cell]) -> frozenset[Cell]:
    """The free cells to which an agent can walk."""
    reached, frontier = {start}, [start]
    while frontier:
        cell = frontier.pop()
        beside = {_moved(cell, step) for step in STEPS} & free - reached
        reached |= beside
        frontier.extend(sorted(beside))
    return frozenset(reached)


def _moved(cell: Cell, step: Cell, times: int = 1) -> Cell:
    return cell[0] + times * step[0], cell[1] + times * step[1]


def _pull_about(floor: frozenset[Cell], position: _Position, rng: random.Random) -> list[Push]:
    """Pull blocks at random, and then let the agent walk somewhere; returns the pushes that undo the pulls."""
    pulls: list[Push] = []
    for _ in range(PULLS):
        possible = [*_possible_pulls(floor, position)]
        if not possible:
            break
        again = [push for push in possible if pulls and push.block == pulls[-1].block]
        push = rng.choice(again if again and rng.random() < SAME_BLOCK else possible)
        before = position.blocks[push.block]
        position.blocks[push.block], position.agent = _moved(before, push.step, -1), _moved(before, push.step, -2)
        pulls.append(push)
    position.agent = rng.choice(sorted(_within_reach(position.agent, floor - {*position.blocks})))
    return pulls


def _possible_pulls(floor: frozenset[Cell], position: _Position) -> Iterator[Push]:
    """The pulls to whose side of a block the agent can walk, each as the push that undoes it."""
    free = floor - {*position.blocks}
    reached = _within_reach(position.agent, free)
    for number, block in enumerate(position.blocks):
        for step in STEPS:
            if _moved(block, step, -1) in reached and _moved(block, step, -2) in free:
                yield Push(number, step)


def _is_worth_playing(position: _Position, targets: Sequence[Cell]) -> bool:
    distances = [abs(x - to_x) + abs(y - to_y) for (x, y), (to_x, to_y) in zip(position.blocks, targets, strict=True)]
    return all(distances) and sum(distances) >= LEAST_DISTANCE


def _task(name: str, floor: frozenset[Cell], position: _Position, targets: Sequence[Cell]) -> TaskSpecification:
    taken = {position.agent, *position.blocks}
    return TaskSpecification.from_dict(
        {
            "task_id": name,
            "seed": 0,
            "difficulty_tier": 4,
            "max_steps": NEVER,
            "maze": {
                "dimensions": [SIDE, SIDE],
                "floor": sorted(floor),
                "start": position.agent,
                "goal": min(floor - taken),  # plain floor, where the goal is about blocks
            },
            **_blocks_and_goal(position.blocks, targets),
        }
    )


def _blocks_and_goal(blocks: Sequence[Cell], targets: Sequence[Cell]) -> dict[str, Any]:
    names = [f"{color}_block" for color in COLORS[: len(blocks)]]
    return {
        "mechanisms": {
            "blocks": [
                {"id": name, "position": block, "color": color}
                for name, block, color in zip(names, blocks, COLORS, strict=False)
            ]
        },
        "goal": {"type": "push_block_to", "target_ids": names, "target_positions": targets},
    }


def three_blocks_room(side: int = SIDE) -> TaskSpecification:
    """Three blocks in a room without inner walls, each to be pushed past the others.

    Args:
        side: columns and rows, border included; at least 7.
    """
    middle, last = side // 2, side - 2
    blocks = [(2, 2), (middle, middle), (last - 1, 2)]
    targets = [(last, last), (1, middle), (middle, last)]
    return TaskSpecification.from_dict(
        {
            "task_id": f"three_blocks_{side}",
            "seed": 0,
            "difficulty_tier": 3,
            "max_steps": NEVER,
            "maze": {"dimensions": [side, side], "start": [1, 1], "goal": [last, 1]},
            **_blocks_and_goal(blocks, targets),
        }
    )
