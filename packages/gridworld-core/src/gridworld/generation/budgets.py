"""Budgets of steps that follow from the optimum."""

from __future__ import annotations

import math
from fractions import Fraction

import attrs

from gridworld.errors import InvalidTaskError, Problem
from gridworld.plugins import get_registry
from gridworld.task.validation import MAX_STEPS
from gridworld.task_spec import TaskSpecification

__all__ = ["BUDGET_FACTOR", "is_timed", "steps_allowed", "task_factor", "with_ample_budget"]

BUDGET_FACTOR = "budget_factor"
"""The key in a task's metadata that says how many times its optimum it allows on each tiling, at least 1."""


def steps_allowed(optimum: int, factor: float) -> int:
    """⌈factor · optimum⌉, at most what a task may allow.

    The factor counts as it is written: 1.1 times 10 is 11, which it is not in binary fractions.
    """
    return min(math.ceil(Fraction(str(factor)) * optimum), MAX_STEPS)


def is_timed(task: TaskSpecification) -> bool:
    """Whether a task's budget is part of its goal, as that of ``survive_steps`` is, so that it cannot be chosen."""
    goal = get_registry().goals.get(task.goal.type)
    return goal.timed or goal.only_at_last_step


def with_ample_budget(task: TaskSpecification) -> TaskSpecification:
    """The task with so many steps that its optimum can be found; as it is where the budget is part of the goal."""
    return task if is_timed(task) else attrs.evolve(task, max_steps=MAX_STEPS)


def task_factor(task: TaskSpecification) -> float | None:
    """How many times its optimum a task allows, by its metadata; None if it does not say so.

    Raises:
        InvalidTaskError: what it says is not a number of at least 1.
    """
    factor = task.metadata.get(BUDGET_FACTOR)
    if factor is None:
        return None
    if not isinstance(factor, int | float) or not 1 <= factor < math.inf:
        problem = Problem(f"metadata.{BUDGET_FACTOR}", f"expected a number of at least 1, got {factor!r}")
        raise InvalidTaskError([problem], task.task_id)
    return float(factor)
