"""The bundled worked examples show everything that the bundled suites have, in small mazes and by necessity."""

import pytest

from gridworld.plugins import load_registry
from gridworld.plugins.tilings import compile_on
from gridworld.solver import check_task
from gridworld.suites import find_suite
from gridworld.suites.choosing_examples import choose_examples
from gridworld.task_spec import TaskSpecification
from support.thoroughness import in_turn

TASKS = find_suite("worked_examples")
TILINGS = ("square", "hex", "triangle", "488", "3464")


@in_turn("task, tiling", TASKS, TILINGS, ids=lambda value: value if isinstance(value, str) else value.task_id)
def test_each_is_good_on_every_tiling(task: TaskSpecification, tiling: str) -> None:
    assert check_task(compile_on(tiling, task)).ok


def test_they_have_every_mechanism_and_goal_of_the_core() -> None:
    registry = load_registry()
    shown = {name for task in TASKS for name, specs in task.mechanisms.groups() if specs}
    assert {
        name
        for name in registry.mechanisms.names()
        if registry.mechanisms.provider(name).distribution == "gridworld-core"
    } == shown
    assert {
        name for name in registry.goals.names() if registry.goals.provider(name).distribution == "gridworld-core"
    } == {task.goal.type for task in TASKS}


@pytest.mark.parametrize("suite", ["validation_10", "tiers"])
def test_there_are_five_for_every_bundled_suite(suite: str) -> None:
    assert len(choose_examples(5, TASKS, find_suite(suite), "worked_examples")) == 5
