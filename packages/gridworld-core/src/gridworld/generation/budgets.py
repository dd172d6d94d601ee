"""Step budgets as multiples of the optimum."""

from __future__ import annotations

import math
from fractions import Fraction

import attrs

from gridworld.errors import InvalidTaskError, Problem
from gridworld.plugins import get_registry
from gridworld.task.validation import MAX_STEPS
from gridworld.task_spec import TaskSpecification

BUDGET_FACTOR = "budget_factor"
"""Metadata key of a task: step budget as a multiple (at least 1) of the shortest plan on the tiling."""


def steps_allowed(optimum: int, factor: float) -> int:
    """Return ⌈factor · optimum⌉, at most `MAX_STEPS`; the factor is treated as an exact decimal, so 1.1 · 10 is 11."""
    return min(math.ceil(Fraction(str(factor)) * optimum), MAX_STEPS)


def is_timed(task: TaskSpecification) -> bool:
    """Whether the step budget is part of the goal, as with ``survive_steps``."""
    goal = get_registry().goals.get(task.goal.type)
    return goal.timed or goal.only_at_last_step


def with_ample_budget(task: TaskSpecification) -> TaskSpecification:
    """Return a copy of the task with the largest step budget, unless the budget is part of the goal."""
    return task if is_timed(task) else attrs.evolve(task, max_steps=MAX_STEPS)


def task_factor(task: TaskSpecification) -> float | None:
    """Return the budget factor in a task's metadata, or None; raises InvalidTaskError unless it is a number >= 1."""
    factor = task.metadata.get(BUDGET_FACTOR)
    if factor is None:
        return None
    if not isinstance(factor, int | float) or not 1 <= factor < math.inf:
        problem = Problem(f"metadata.{BUDGET_FACTOR}", f"expected a number of at least 1, got {factor!r}")
        raise InvalidTaskError([problem], task.task_id)
    return float(factor)
