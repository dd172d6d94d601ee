"""The solver against a plain search that shares no code with it, on random tasks and on every tiling.

A failure names the seed and the tiling, and shows the task; ``compare(seed, [tiling], THOROUGH_STATES)`` compares it
again.
"""

import json
from collections.abc import Hashable, Iterator
from itertools import groupby

import pytest

from gridworld.actions import Action
from gridworld.task_spec import TaskSpecification
from gridworld.world import State
from gridworld.world.state import NOTHING
from support.plain_search import DEAD, WON, Explored, explore_plainly, explore_to_success
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
from support.worlds import FIELDS_OF, cell_named, compiled, corridor, door, hazard, teleporter

QUICK_TASKS, QUICK_STATES = 60, 1_500
"""Number of tasks compared on one tiling each, and limit on their states."""
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


@pytest.mark.parametrize("first", range(0, QUICK_TASKS, CHUNK))
def test_random_tasks_on_some_tiling(first: int) -> None:
    seeds = range(first, first + CHUNK)
    assert sum(compare(seed, [TILINGS[seed % len(TILINGS)]], QUICK_STATES) for seed in seeds) >= CHUNK / 3


@pytest.mark.parametrize("seed", FETCHING_AGAIN)
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


# --- The tasks that are compared -----------------------------------------------------------------------------------


def tasks_of(ingredients: Ingredients, count: int) -> list[TaskSpecification]:
    return [random_task(seed, ingredients) for seed in range(count)]


def test_random_tasks_have_all_mechanisms_and_goals() -> None:
    for ingredients in (BUILT_IN, WITH_EXAMPLES):
        tasks = tasks_of(ingredients, 40)
        assert {kind for task in tasks for kind, group in task.mechanisms.groups() if group} == set(
            ingredients.fields_of
        )
        assert {task.goal.type for task in tasks} == set(ingredients.goals)
        assert any(task.rules.hidden_mechanisms for task in tasks)
        assert {task.rules.key_consumption for task in tasks} == {True, False}
    assert set(WITH_EXAMPLES.fields_of) > set(FIELDS_OF)


def test_random_tasks_are_worth_searching() -> None:
    found = [explore_plainly(compiled(task), 2_000) for task in tasks_of(BUILT_IN, 30)]
    small = [plain for plain in found if plain is not None]
    assert sum(len(plain.states) >= 100 for plain in small) >= 15
    solvable = sum(plain.length is not None for plain in small)
    assert len(small) / 2 <= solvable < len(small)
    assert sum(0 < len(plain.lost) < len(plain.states) for plain in small) >= 3


def test_random_tasks_follow_from_the_seed() -> None:
    assert random_task(7, WITH_EXAMPLES) == random_task(7, WITH_EXAMPLES) != random_task(8, WITH_EXAMPLES)


# --- The plain search, on worlds that can be worked out by hand ----------------------------------------------------


def explored(task: TaskSpecification) -> Explored:
    plain = explore_plainly(compiled(task), 1_000)
    assert plain is not None
    return plain


def test_plain_search_finds_all_states_and_all_shortest_plans() -> None:
    plain = explored(corridor("@.G"))
    assert (len(plain.states), plain.length, plain.lost) == (2 * 4, 2, frozenset())
    assert plain.optimal[plain.start] == {Action.MOVE_FORWARD}
    behind = plain.outcomes[plain.outcomes[plain.start][Action.TURN_LEFT]][Action.TURN_LEFT]
    assert plain.distance[behind] == 4
    assert plain.optimal[behind] == {Action.TURN_LEFT, Action.TURN_RIGHT}


@pytest.mark.parametrize("seed", range(10))
def test_plain_search_up_to_success_has_all_shortest_plans(seed: int) -> None:
    world = compile_on(TILINGS[seed % len(TILINGS)], random_task(seed, BUILT_IN), BUILT_IN)
    whole, part = explore_plainly(world, QUICK_STATES), explore_to_success(world, QUICK_STATES)
    if whole is None or part is None:
        return
    assert part.length == whole.length
    assert shortest_plans_of(part) == shortest_plans_of(whole)
    assert len(part.states) <= len(whole.states)


def shortest_plans_of(plain: Explored) -> dict[Hashable, frozenset[Action]]:
    """The actions of all shortest plans from the start, by the state that they are taken in."""
    found: dict[Hashable, frozenset[Action]] = {}
    waiting = [plain.start]
    while waiting:
        name = waiting.pop()
        if name in plain.states and name not in found:
            found[name] = plain.optimal[name]
            waiting += [plain.outcomes[name][action] for action in plain.optimal[name]]
    return found


def test_plain_search_up_to_success_stops_there() -> None:
    world = compiled(corridor("@G......"))
    part, whole = explore_to_success(world, 100), explore_plainly(world, 100)
    assert part is not None
    assert whole is not None
    assert (part.length, len(part.states)) == (1, 3)
    assert len(whole.states) > 3


def test_plain_search_ends() -> None:
    plain = explored(corridor("h@G", h=hazard()))
    ends = {outcome for following in plain.outcomes.values() for outcome in following.values()} - set(plain.states)
    assert ends == {WON, DEAD}
    assert explored(corridor("@.#G")).lost == set(explored(corridor("@.#G")).states)
    task = corridor("a@G#b", ab=teleporter(bidirectional=False))
    beyond = cell_named(compiled(task), (5, 1))
    of_no_return = explored(task)
    assert of_no_return.length == 1
    assert of_no_return.lost == {name for name, state in of_no_return.states.items() if state.cell == beyond} != set()


def test_plain_search_tells_discoveries_apart() -> None:
    shown = corridor("@.dG", d=door(initial_state="closed"))
    hidden = corridor("@.dG", d=door(initial_state="closed"), rules={"hidden_mechanisms": ["d"]})
    assert len(explored(hidden).states) > len(explored(shown).states)
    assert explored(hidden).length == explored(shown).length == 4


def test_plain_search_under_a_timed_goal() -> None:
    survival = explored(corridor("@.#G", goal={"type": "survive_steps"}, max_steps=3))
    assert survival.length == 3
    assert {survival.distance[name] for name in survival.states} == {1, 2, 3}


def test_plain_search_limit() -> None:
    assert explore_plainly(compiled(corridor("@.G")), 8) is not None
    assert explore_plainly(compiled(corridor("@.G")), 7) is None
