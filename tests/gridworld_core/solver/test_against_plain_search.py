"""The solver against a plain search that shares no code with it, on random tasks and on every tiling.

A failure names the seed and the tiling, and shows the task; ``compare(seed, [tiling], THOROUGH_STATES)`` compares it
again.
"""

import json
from collections.abc import Iterator
from itertools import groupby

import pytest

from gridworld.world import State
from gridworld.world.state import NOTHING
from support.plain_search import WON, Explored, explore_plainly
from support.random_tasks import (
    AT_EVEN_STEPS,
    BUILT_IN,
    WITH_EXAMPLES,
    Ingredients,
    compile_on,
    find_differences,
    random_task,
)
from support.tilings import TILINGS

QUICK_TASKS, QUICK_STATES = 60, 1_500
"""Number of tasks compared on one tiling each, and limit on their states; a third of them by default."""
FETCHING_AGAIN = (110, 476, 534)
"""Seeds of tasks in which a key has to be put down for another: a search that forgets where it lies goes wrong."""
THOROUGH_TASKS, THOROUGH_STATES = 2_000, 30_000
"""Those of a thorough run, on all tilings."""
CHUNK = 10
"""Number of tasks of one test, so that tests can be spread over processes."""


def ingredients_of(seed: int) -> Ingredients:
    """Mechanisms of the task of a seed; every second task has those of the examples, too."""
    if seed % 12 == 10:
        return AT_EVEN_STEPS
    return WITH_EXAMPLES if seed % 2 else BUILT_IN


# --- The comparison ------------------------------------------------------------------------------------------------


def compare(seed: int, tilings: list[str], max_states: int) -> int:
    """On how many tilings the task of a seed has been compared; there it has no differences."""
    ingredients = ingredients_of(seed)
    task = random_task(seed, ingredients)
    compared = 0
    for tiling in tilings:
        differences = find_differences(compile_on(tiling, task, ingredients), max_states)
        assert not differences, f"seed {seed}, {tiling}: {differences[:3]}\n{json.dumps(task.to_dict())}"
        compared += differences is not None
    return compared


@pytest.mark.parametrize(
    "first",
    [
        pytest.param(first, marks=() if first < QUICK_TASKS / 3 else pytest.mark.more)
        for first in range(0, QUICK_TASKS, CHUNK)
    ],
)
def test_random_tasks_on_some_tiling(first: int) -> None:
    seeds = range(first, first + CHUNK)
    assert sum(compare(seed, [TILINGS[seed % len(TILINGS)]], QUICK_STATES) for seed in seeds) >= CHUNK / 3


@pytest.mark.parametrize(
    "seed", [pytest.param(seed, marks=pytest.mark.more if seed == 476 else ()) for seed in FETCHING_AGAIN]
)
def test_keys_that_are_needed_again(seed: int) -> None:
    plain = explore_plainly(compile_on("square", random_task(seed)), 2_000)
    assert plain is not None
    held = [state.carried for state in shortest_way(plain) if state.carried != NOTHING]
    spells = [thing for thing, _ in groupby(held)]
    assert len(spells) > len(set(spells)), "no key is fetched again: another seed is needed"
    assert compare(seed, ["square"], 2_000) == 1


def shortest_way(plain: Explored) -> Iterator[State]:
    """The states on one of the shortest ways to success, the start first."""
    name = plain.start
    while name != WON:
        yield plain.states[name]
        name = plain.outcomes[name][min(plain.optimal[name])]


@pytest.mark.thorough
@pytest.mark.parametrize("first", range(0, THOROUGH_TASKS, CHUNK))
def test_random_tasks_on_every_tiling(first: int) -> None:
    seeds = range(first, first + CHUNK)
    assert sum(compare(seed, list(TILINGS), THOROUGH_STATES) for seed in seeds) >= CHUNK * len(TILINGS) / 2
