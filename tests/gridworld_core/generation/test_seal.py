"""A seal tells whether tasks are those that were promised."""

import attrs
import pytest

from gridworld.generation.canonical import is_seal, seal
from gridworld.task_spec import TaskSpecification
from support.random_tasks import random_task


@pytest.fixture
def tasks() -> list[TaskSpecification]:
    return [attrs.evolve(random_task(seed), task_id=str(seed)) for seed in range(3)]


def test_the_order_of_tasks_and_of_what_they_say_does_not_count(tasks: list[TaskSpecification]) -> None:
    backwards = [TaskSpecification.from_dict(dict(reversed(task.to_dict().items()))) for task in reversed(tasks)]
    assert seal(backwards) == seal(tasks)


def test_all_that_they_say_does(tasks: list[TaskSpecification]) -> None:
    changed = [
        [attrs.evolve(tasks[0], max_steps=tasks[0].max_steps + 1), *tasks[1:]],
        [attrs.evolve(tasks[0], metadata={"certificate": 1}), *tasks[1:]],
        tasks[1:],
        [*tasks, tasks[0]],
    ]
    seals = {seal(each) for each in (tasks, *changed)}
    assert len(seals) == 5
    assert all(is_seal(each) for each in seals)


@pytest.mark.parametrize("text", ["", "abc", "g" * 64, "0" * 63])
def test_other_texts_are_no_seals(text: str) -> None:
    assert not is_seal(text)
