"""Step budgets as multiples of the shortest plan."""

from __future__ import annotations

from collections.abc import Mapping

from gridworld.errors import ArgumentError
from gridworld.generation.budgets import is_timed, task_factor
from gridworld.task_spec import TaskSpecification

BY_TASK = "by task"
"""The budget factor that stands for each task's own, if it has one."""
NO_FACTOR = "none"
"""The budget factor that stands for the ``max_steps`` of all tasks as they are."""
Budgets = Mapping[tuple[str, str | None], int]
"""The hash of a task and a tiling to the steps that it has there, where these are not its ``max_steps``."""


def check_factor(text: str) -> str:
    """A budget factor as it is given; raises ArgumentError unless it is a number of at least 1 or one of the words."""
    if text not in (BY_TASK, NO_FACTOR):
        _number(text)
    return text


def find_factor(task: TaskSpecification, factor: str) -> float | None:
    """How many times its optimum a task is to have; None for its ``max_steps`` as they are.

    Args:
        task: the task.
        factor: as `check_factor` accepts it.

    Raises:
        InvalidTaskError: what the task says of it is not right.
    """
    if factor == NO_FACTOR or is_timed(task):
        return None
    return task_factor(task) if factor == BY_TASK else _number(factor)


def _number(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = 0.0
    if not 1 <= number < float("inf"):
        raise ArgumentError(f"budget factor: expected a number of at least 1, or {NO_FACTOR}, got '{text}'")
    return number
