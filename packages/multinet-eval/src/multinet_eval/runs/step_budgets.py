"""How many steps an episode has, where that is a multiple of the optimum on the tiling that is played."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from gridworld.errors import ArgumentError
from gridworld.generation.budgets import is_timed, steps_allowed, task_factor, with_ample_budget
from gridworld.runner.rollout import kernel_of
from gridworld.task_spec import TaskSpecification
from multinet_eval.episode_runner import EpisodeRunner
from multinet_eval.task_hashes import task_hash

__all__ = ["BY_TASK", "NO_FACTOR", "Budgets", "check_factor", "find_budgets", "find_factor"]

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


def find_budgets(
    tasks: Iterable[TaskSpecification], runners: Mapping[str | None, EpisodeRunner], factor: str
) -> Budgets:
    """The steps that tasks have on some tilings.

    A task whose optimum is not found keeps its ``max_steps``.

    Args:
        tasks: the tasks.
        runners: tiling to what plays on it.
        factor: as `check_factor` accepts it.

    Raises:
        ArgumentError: there is a factor, and no optimum can be known on a backend.
        InvalidTaskError: what a task says of its budget is not right.
    """
    found: dict[tuple[str, str | None], int] = {}
    for task in tasks:
        times = find_factor(task, factor)
        for tiling, runner in runners.items() if times is not None else ():
            optimum = _optimum(task, runner)
            if optimum is not None and times is not None:
                found[task_hash(task), tiling] = steps_allowed(optimum, times)
    return found


def _optimum(task: TaskSpecification, runner: EpisodeRunner) -> int | None:
    backend = runner.backend
    if kernel_of(backend) is None:
        raise ArgumentError(
            f"a budget factor needs the optimum, and '{backend.name}' is not built on the kernel, so that it is not "
            f"known: give --budget-factor {NO_FACTOR}"
        )
    from gridworld.generation.certificate import certified_optimum  # which imports all that proves

    certified = None if backend.tiling is None else certified_optimum(task, backend.tiling)
    return runner.optimal_steps(with_ample_budget(task)) if certified is None else certified


def _number(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = 0.0
    if not 1 <= number < float("inf"):
        raise ArgumentError(f"budget factor: expected a number of at least 1, or {NO_FACTOR}, got '{text}'")
    return number
