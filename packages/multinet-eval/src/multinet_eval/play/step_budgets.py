"""How many steps an episode has, where that is a multiple of the optimum on the tiling that is played."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from gridworld.errors import ArgumentError
from gridworld.generation.budgets import steps_allowed, with_ample_budget
from gridworld.runner.rollout import kernel_of
from gridworld.task_spec import TaskSpecification
from multinet_eval.play.episode_factory import EpisodeFactory
from multinet_eval.record.plan import task_hash
from multinet_eval.settings.budget_factor import NO_FACTOR, Budgets, find_factor


def find_budgets(
    tasks: Iterable[TaskSpecification], runners: Mapping[str | None, EpisodeFactory], factor: str
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


def _optimum(task: TaskSpecification, runner: EpisodeFactory) -> int | None:
    backend = runner.backend
    if kernel_of(backend) is None:
        raise ArgumentError(
            f"a budget factor needs the optimum, and '{backend.name}' is not built on the kernel, so that it is not "
            f"known: give --budget-factor {NO_FACTOR}"
        )
    from gridworld.generation.certificate import certified_optimum  # which imports all that proves

    certified = None if backend.tiling is None else certified_optimum(task, backend.tiling)
    return runner.optimal_steps(with_ample_budget(task)) if certified is None else certified
