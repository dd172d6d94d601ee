"""The ten tasks of validation_10 test what they say they do."""

from collections.abc import Callable
from functools import cache
from itertools import pairwise
from typing import Any

import attrs
import pytest

from gridworld.actions import Action
from gridworld.plugins import get_registry
from gridworld.solver import Solution, Verdict, solve
from gridworld.suites import load_benchmark
from gridworld.task_spec import TaskSpecification
from gridworld.world import Entity, State, Status, World, transition
from gridworld_minigrid import MiniGridBackend
from support.runs import task_ids
from support.worlds import compiled

Forbidden = Callable[[State], bool]

TASKS = load_benchmark(get_registry().benchmarks.get("validation_10"))
CHAINS = [(task, [step.element for step in task.dependency_chain.sequence]) for task in TASKS if task.dependency_chain]
LINKS = [pytest.param(task, each, id=f"{task.task_id}-{each}") for task, chain in CHAINS for each in chain]
ORDERED = [pytest.param(task, *pair, id=str(task.task_id)) for task, chain in CHAINS for pair in pairwise(chain)]

every_task = pytest.mark.parametrize("task", TASKS, ids=task_ids(TASKS))


def shortest_length(world: World, forbidden: Forbidden = lambda state: False) -> int | None:
    """The fewest actions that win without passing through a forbidden state, by a search of the test's own."""
    arena = attrs.evolve(world, max_steps=10**9)
    seen, layer, length = {arena.start.key}, [arena.start], 0
    while layer:
        length += 1
        reached: dict[Any, State] = {}
        for state in layer:
            for action in Action:
                following, _ = transition(arena, state, action)
                if following.status == Status.SUCCEEDED and not forbidden(following):
                    return length
                if following.key not in seen and not forbidden(following):
                    reached[following.key] = following
        seen.update(reached)
        layer = list(reached.values())
    return None


@cache
def solution_of(task: TaskSpecification) -> Solution:
    return solve(compiled(task))


def using(world: World, *ids: str) -> Forbidden:
    """Whether any of these mechanisms is no longer as it was at the start: a key picked up, a switch switched."""
    entities: list[Entity] = [world.by_id[each] for each in ids]
    return lambda state: any(state.values[each.index] != world.start.values[each.index] for each in entities)


def test_there_are_ten_tasks_in_the_order_of_their_names() -> None:
    ids = task_ids(TASKS)
    assert len(set(ids)) == 10
    assert [each[:3] for each in ids] == [f"v{number:02d}" for number in range(1, 11)]


def test_no_two_tasks_have_the_same_maze_or_seed() -> None:
    assert len({task.maze for task in TASKS}) == len({task.seed for task in TASKS}) == 10


@every_task
def test_a_task_is_valid_and_says_what_it_is_about(task: TaskSpecification) -> None:
    assert task.validate() == (True, [])
    assert task.description


@every_task
def test_the_budget_is_two_to_four_times_the_shortest_plan(task: TaskSpecification) -> None:
    solution = solution_of(task)
    assert solution.verdict is Verdict.SOLVED
    assert solution.length is not None
    assert 2 * solution.length <= task.max_steps <= 4 * solution.length


@every_task
def test_the_shortest_plan_wins_on_the_minigrid_backend_with_its_last_action(task: TaskSpecification) -> None:
    plan = solution_of(task).plan
    assert plan is not None
    backend = MiniGridBackend(render_mode=None)
    backend.configure(task)
    backend.reset(seed=task.seed)

    outcomes = [backend.step(action) for action in plan]

    assert [terminated for _, _, terminated, _, _, _ in outcomes] == [False] * (len(plan) - 1) + [True]
    state = backend.get_state()
    assert (state.goal_reached, state.step_count, state.truncated) == (True, len(plan), False)
    assert state.reward == pytest.approx(1 - 0.9 * len(plan) / task.max_steps)


@pytest.mark.parametrize(("task", "element"), LINKS)
def test_each_link_of_the_chain_is_necessary(task: TaskSpecification, element: str) -> None:
    world = compiled(task)
    assert shortest_length(world, using(world, element)) is None


@pytest.mark.parametrize(("task", "first", "second"), ORDERED)
def test_a_link_of_the_chain_cannot_be_used_before_the_one_before_it(
    task: TaskSpecification, first: str, second: str
) -> None:
    world = compiled(task)
    seeking_second = attrs.evolve(world, reached=using(world, second))
    assert shortest_length(seeking_second) is not None
    assert shortest_length(seeking_second, using(world, first)) is None


@every_task
def test_the_chain_is_as_deep_as_it_says_and_ends_at_the_goal(task: TaskSpecification) -> None:
    chain = task.dependency_chain
    if chain is None:
        assert len(task.mechanisms) == 0
        return
    assert chain.depth == len(chain.sequence)
    assert [step.step for step in chain.sequence] == list(range(1, chain.depth + 1))
    assert chain.notation.split(" -> ") == [
        *(name for step in chain.sequence for name in (step.element, step.unlocks)),
        "goal",
    ]


@every_task
def test_every_mechanism_is_either_in_the_chain_or_a_distractor(task: TaskSpecification) -> None:
    sequence = task.dependency_chain.sequence if task.dependency_chain else ()
    chained = {name for step in sequence for name in (step.element, step.unlocks)}
    distracting = {distractor.element_id for distractor in task.distractors if distractor.type != "distractor_chain"}
    assert chained | distracting == set(task.mechanisms.ids())
    assert not chained & distracting


@pytest.mark.parametrize("task", [task for task in TASKS if task.distractors], ids=lambda task: str(task.task_id))
def test_leaving_the_distractors_alone_costs_nothing(task: TaskSpecification) -> None:
    world = compiled(task)
    distracting = [distractor.element_id for distractor in task.distractors if distractor.element_id in world.by_id]
    assert distracting
    assert shortest_length(world, using(world, *distracting)) == solution_of(task).length
