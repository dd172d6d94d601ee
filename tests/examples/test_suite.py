"""The example suite: three tasks that can be won within their budgets on every tiling."""

import pytest

from gridworld.plugins import get_registry
from gridworld.solver import Verdict, solve
from gridworld.suites import load_benchmark
from gridworld.task_spec import TaskSpecification
from support.plugins import TILINGS
from support.tilings import compiled_on

MAX_STATES = 120_000
TASKS = ("r1_locked_pantry", "r2_heavy_plate", "r3_foggy_portal")


def tasks() -> dict[str, TaskSpecification]:
    return {task.task_id: task for task in load_benchmark(get_registry().benchmarks.get("three_rooms"))}


@pytest.mark.parametrize(
    "tiling", [pytest.param(tiling, marks=() if tiling == "square" else pytest.mark.more) for tiling in TILINGS]
)
@pytest.mark.parametrize("name", TASKS)
def test_every_task_can_be_won_within_its_budget(tiling: str, name: str) -> None:
    world = compiled_on(tiling, tasks()[name])
    solution = solve(world, MAX_STATES)
    assert solution.verdict == Verdict.SOLVED
    assert solution.length is not None
    assert solution.length <= world.max_steps
