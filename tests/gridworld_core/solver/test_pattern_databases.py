"""Heuristics and searches of push puzzles, compared with a plain search that shares no code with the solver."""

import random
from collections.abc import Sequence

import numpy as np
import pytest

from gridworld.solver import SearchLimits, Verdict, search, solve, tabulate
from gridworld.solver.expansion import Expansion
from gridworld.solver.exploration import HOPELESS
from gridworld.solver.pattern_databases import PairDistanceHeuristic, SingleDistanceHeuristic, pairs_help
from gridworld.solver.spaces import StateSpace
from gridworld.task_spec import TaskSpecification
from gridworld.world import World, compile_world
from support.plain_search import Explored, explore_plainly
from support.random_tasks import find_differences
from support.tilings import TILINGS, make_topology
from support.worlds import block, compiled, draw, steps_of

MAX_STATES = 8_000
WORTH_SOLVING, ALSO_WORTH_SOLVING = (2, 18, 29, 51, 67), (28, 43, 49, 68)
"""Seeds of puzzles of 100 to 2,000 states, most of which can be won."""
WORTH_EXPLORING = (1, 2, 3, 6, 7, 8, 11, 12, 13, 14, 16, 17, 18)
"""The seeds below 20 of puzzles that have no more states than a plain search gets through."""
BLOCKS = 3
WIDTH = 6

Cell = tuple[int, int]


@pytest.fixture
def _pairs_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search, "STATES_BEFORE_PAIRS", 1)


def random_puzzle(seed: int) -> TaskSpecification:
    """Three blocks on a floor of 9 or 10 cells, to be pushed where random actions push them on the square tiling."""
    rng = random.Random(seed)
    while True:
        floor = random_floor(rng, rng.choice((9, 10)))
        agent, *blocks = rng.sample(floor, 1 + BLOCKS)
        spare = next(cell for cell in floor if cell not in (agent, *blocks))
        draft = puzzle(seed, floor, agent, blocks, [spare, *blocks[1:]])
        *_, (_, _, last) = steps_of(compiled(draft), seed, 400)
        targets = [draft_cell(cell) for cell in last.places]
        if sum(block != target for block, target in zip(blocks, targets, strict=True)) > 1:
            return puzzle(seed, floor, agent, blocks, targets)


def draft_cell(cell: int) -> Cell:
    """The lattice cell of a cell of the square tiling."""
    return cell % WIDTH, cell // WIDTH


def puzzle(seed: int, floor: list[Cell], agent: Cell, blocks: list[Cell], targets: list[Cell]) -> TaskSpecification:
    names = [f"block_{number}" for number in range(BLOCKS)]
    return TaskSpecification.from_dict(
        {
            "task_id": f"puzzle_{seed}",
            "seed": 0,
            "difficulty_tier": 4,
            "max_steps": 1_000,
            "maze": {
                "dimensions": [WIDTH, 5],
                "floor": floor,
                "start": agent,
                "goal": next(cell for cell in floor if cell not in (agent, *blocks)),
            },
            "mechanisms": {
                "blocks": [
                    {"id": name, "position": cell, "color": "red"} for name, cell in zip(names, blocks, strict=True)
                ]
            },
            "goal": {"type": "push_block_to", "target_ids": names, "target_positions": targets},
        }
    )


def random_floor(rng: random.Random, size: int) -> list[Cell]:
    """So many cells of 4 x 3, to each of which a way leads from the others."""
    floor = {(rng.randint(1, 4), rng.randint(1, 3))}
    while len(floor) < size:
        x, y = rng.choice(sorted(floor))
        step_x, step_y = rng.choice(((1, 0), (0, 1), (-1, 0), (0, -1)))
        if 1 <= x + step_x <= 4 and 1 <= y + step_y <= 3:
            floor.add((x + step_x, y + step_y))
    return sorted(floor)


def puzzles(seeds: Sequence[int]) -> list[World]:
    """The puzzles of some seeds, each on one of the tilings."""
    tilings = [TILINGS[seed % len(TILINGS)] for seed in seeds]
    tasks = [random_puzzle(seed) for seed in seeds]
    return [
        compile_world(task, make_topology(tiling, task.maze.dimensions))
        for tiling, task in zip(tilings, tasks, strict=True)
    ]


@pytest.fixture(scope="module")
def explored() -> list[tuple[World, Explored]]:
    """Puzzles that a plain search gets through, and what it finds."""
    found = [(world, explore_plainly(world, MAX_STATES)) for world in puzzles(WORTH_EXPLORING)]
    return [(world, plain) for world, plain in found if plain is not None]


def expect_no_overestimate(world: World, plain: Explored, guide: type[SingleDistanceHeuristic]) -> int:
    """Of how many states it is compared how many steps are expected, and how many a success takes."""
    expansion = Expansion(StateSpace(world))
    expected_of = guide(world, expansion, world.start, SearchLimits())
    names = list(plain.states)
    expected = expected_of(np.array([expansion.index(plain.states[name], 0) for name in names]))
    for name, steps in zip(names, expected.tolist(), strict=True):
        distance = plain.distance[name]
        assert 1 <= steps <= (HOPELESS if distance is None else distance), f"{name}: {steps} instead of {distance}"
    return len(names)


@pytest.mark.parametrize("guide", [SingleDistanceHeuristic, PairDistanceHeuristic])
def test_heuristics_are_admissible(
    guide: type[SingleDistanceHeuristic], explored: list[tuple[World, Explored]]
) -> None:
    assert sum(expect_no_overestimate(world, plain, guide) for world, plain in explored) > 3_000


@pytest.mark.usefixtures("_pairs_at_once")
@pytest.mark.parametrize(
    "seeds", [WORTH_SOLVING, pytest.param(ALSO_WORTH_SOLVING, marks=pytest.mark.thorough)], ids=["some", "more"]
)
def test_pairs_agree_with_plain_search(seeds: Sequence[int]) -> None:
    worlds = puzzles(seeds)
    assert [find_differences(world, MAX_STATES) for world in worlds] == [[]] * len(worlds)
    assert sum(solve(world).plan is not None for world in worlds) >= len(worlds) * 2 / 3


@pytest.mark.thorough
@pytest.mark.usefixtures("_pairs_at_once")
@pytest.mark.parametrize("first", range(100, 500, 20))
def test_pairs_agree_with_plain_search_on_many_puzzles(first: int) -> None:
    for world in puzzles(range(first, first + 20)):
        assert not find_differences(world, 2 * MAX_STATES), world.task.to_dict()
        plain = explore_plainly(world, MAX_STATES)
        if plain is not None:
            expect_no_overestimate(world, plain, PairDistanceHeuristic)


TWO_IN_A_CORRIDOR = """
#########
#@.a.b..#
#####.###
#####.###
#####c..#
#.G######
#########
"""


def test_pairs_know_joint_dead_ends() -> None:
    """Neither of two blocks in a corridor can get past the other."""
    goal = {"type": "push_block_to", "target_ids": ["a", "b", "c"], "target_positions": [[7, 1], [6, 1], [5, 4]]}
    world = compiled(draw(TWO_IN_A_CORRIDOR, a=block(), b=block(), c=block(), goal=goal))
    expansion = Expansion(StateSpace(world))
    start = np.array([expansion.index(world.start, 0)])
    assert SingleDistanceHeuristic(world, expansion, world.start, SearchLimits())(start) < HOPELESS
    assert PairDistanceHeuristic(world, expansion, world.start, SearchLimits())(start) == HOPELESS


ROOM = """
#######
#@a.b.#
#..c..#
#....G#
#######
"""
IN_THE_ROOM = {"type": "push_block_to", "target_ids": ["a", "b", "c"], "target_positions": [[3, 1], [5, 1], [3, 3]]}


@pytest.mark.usefixtures("_pairs_at_once")
def test_limit_of_a_search_with_pairs() -> None:
    world = compiled(draw(ROOM, a=block(), b=block(), c=block(), goal=IN_THE_ROOM))
    length = solve(world).length
    assert length == tabulate(world).distance[0]
    for max_states in (2, 10, 100_000):
        solution = solve(world, max_states=max_states)
        assert solution.states_seen <= max_states
        assert solution.length == (length if solution.verdict is Verdict.SOLVED else None)


def test_pairs_are_made_only_if_small(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    world = compiled(draw(ROOM, a=block(), b=block(), c=block(), goal=IN_THE_ROOM))
    assert pairs_help(world, SearchLimits())
    assert not pairs_help(world, SearchLimits(states=1_000))
    goal = {**IN_THE_ROOM, "target_ids": ["a", "b"], "target_positions": [[3, 1], [5, 1]]}
    assert not pairs_help(compiled(draw(ROOM, a=block(), b=block(), c=block(), goal=goal)), SearchLimits())
    places = world.topology.cell_count - len(world.walls)
    monkeypatch.setattr("gridworld.solver.pattern_databases.MOST_OF_PAIRS", 3 * 4 * places**3 - 1)
    assert not pairs_help(world, SearchLimits())
