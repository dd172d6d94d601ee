"""The example suite: three tasks that can be won within their budgets on every tiling."""

import pytest

from gridworld.plugins import get_registry
from gridworld.solver import Verdict, solve
from gridworld.suites import load_benchmark
from gridworld.task_spec import TaskSpecification
from support.plugins import on_every_tiling
from support.tilings import compiled_on

MAX_STATES = 120_000
TASKS = ("r1_locked_pantry", "r2_heavy_plate", "r3_foggy_portal")


def tasks() -> dict[str, TaskSpecification]:
    return {task.task_id: task for task in load_benchmark(get_registry().benchmarks.get("three_rooms"))}


def test_its_tasks_are_these() -> None:
    assert tuple(tasks()) == TASKS


@on_every_tiling
@pytest.mark.parametrize("name", TASKS)
def test_every_task_can_be_won_within_its_budget(tiling: str, name: str) -> None:
    world = compiled_on(tiling, tasks()[name])
    solution = solve(world, MAX_STATES)
    assert solution.verdict == Verdict.SOLVED
    assert solution.length is not None
    assert solution.length <= world.max_steps
