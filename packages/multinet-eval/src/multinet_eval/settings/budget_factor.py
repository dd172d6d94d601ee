"""Step budgets as multiples of the shortest plan."""

from __future__ import annotations

from collections.abc import Mapping

from gridworld.errors import ArgumentError
from gridworld.generation.budgets import is_timed, task_factor
from gridworld.task_spec import TaskSpecification

BY_TASK = "by task"
"""Budget factor that stands for each task's own, if any."""
NO_FACTOR = "none"
"""Budget factor that stands for each task's ``max_steps``."""
Budgets = Mapping[tuple[str, str | None], int]
"""Hash of a task and tiling to its step budget there, where this is not its ``max_steps``."""


def check_factor(text: str) -> str:
    """Return a budget factor; raises ArgumentError unless it is a number of at least 1, `BY_TASK` or `NO_FACTOR`."""
    if text not in (BY_TASK, NO_FACTOR):
        _number(text)
    return text


def find_factor(task: TaskSpecification, factor: str) -> float | None:
    """Step budget of a task as a multiple of its optimum; None for its ``max_steps``.

    Args:
        task: the task.
        factor: as `check_factor` accepts it.

    Raises:
        InvalidTaskError: the task states an invalid factor.
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
