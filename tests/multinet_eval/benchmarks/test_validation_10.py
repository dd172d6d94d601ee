"""The ten tasks of validation_10 test what they say they do."""

from collections.abc import Callable
from functools import cache
from typing import Any

import attrs
import pytest

from gridworld.actions import Action
from gridworld.plugins import get_registry
from gridworld.solver import Solution, solve
from gridworld.suites import load_benchmark
from gridworld.task_spec import TaskSpecification
from gridworld.world import Entity, State, Status, World, transition
from support.worlds import compiled

Forbidden = Callable[[State], bool]

pytestmark = pytest.mark.more

TASKS = load_benchmark(get_registry().benchmarks.get("validation_10"))
CHAINS = [(task, [step.element for step in task.dependency_chain.sequence]) for task in TASKS if task.dependency_chain]
LINKS = [pytest.param(task, each, id=f"{task.task_id}-{each}") for task, chain in CHAINS for each in chain]


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


@pytest.mark.parametrize(("task", "element"), LINKS)
def test_each_link_of_the_chain_is_necessary(task: TaskSpecification, element: str) -> None:
    world = compiled(task)
    assert shortest_length(world, using(world, element)) is None


@pytest.mark.parametrize("task", [task for task in TASKS if task.distractors], ids=lambda task: str(task.task_id))
def test_leaving_the_distractors_alone_costs_nothing(task: TaskSpecification) -> None:
    world = compiled(task)
    distracting = [distractor.element_id for distractor in task.distractors if distractor.element_id in world.by_id]
    assert distracting
    assert shortest_length(world, using(world, *distracting)) == solution_of(task).length
