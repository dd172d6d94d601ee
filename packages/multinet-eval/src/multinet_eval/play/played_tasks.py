"""Tasks as a run plays them: step budgets, and tasks whose observations are shown instead."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from gridworld.errors import ArgumentError
from gridworld.generation.budgets import is_timed, steps_allowed, task_factor, with_ample_budget
from gridworld.generation.canonical import canonical_form
from gridworld.runner.rollout import kernel_of
from gridworld.task_spec import TaskSpecification
from multinet_eval.play.episode_factory import EpisodeFactory
from multinet_eval.record.manifest import Manifest
from multinet_eval.record.plan import Budgets, task_hash
from multinet_eval.settings.run_settings import BY_TASK, NO_FACTOR


def find_budgets(
    tasks: Iterable[TaskSpecification], runners: Mapping[str | None, EpisodeFactory], factor: str
) -> Budgets:
    """Find the step budgets of tasks as multiples of their shortest plans; without a plan, ``max_steps`` stays.

    Args:
        tasks: the tasks.
        runners: the factory for each tiling.
        factor: `RunSettings.budget_factor`.

    Raises:
        ArgumentError: a factor is given, but a backend has no solver.
        InvalidTaskError: a task states an invalid factor.
    """
    found: dict[tuple[str, str | None], int] = {}
    for task in tasks:
        if factor == NO_FACTOR or is_timed(task):
            continue
        times = task_factor(task) if factor == BY_TASK else float(factor)
        for tiling, runner in runners.items() if times is not None else ():
            optimum = _optimum(task, runner)
            if optimum is not None and times is not None:
                found[task_hash(task), tiling] = steps_allowed(optimum, times)
    return found


def _optimum(task: TaskSpecification, runner: EpisodeFactory) -> int | None:
    backend = runner.backend
    if kernel_of(backend) is None:
        raise ArgumentError(
            f"a budget factor needs the optimum, which is unknown since '{backend.name}' is not built on the kernel: "
            f"give --budget-factor {NO_FACTOR}"
        )
    from gridworld.generation.certificate import certified_optimum  # slow to import

    certified = None if backend.tiling is None else certified_optimum(task, backend.tiling)
    return runner.optimal_steps(with_ample_budget(task)) if certified is None else certified


def swapped_tasks(tasks: Sequence[TaskSpecification]) -> dict[str, TaskSpecification]:
    """Map the hash of each task to the task whose observations are shown instead.

    This is the next task, cyclically, with different walls, since a twin in the same maze would show the way; if all
    walls are the same, it is the next task. It is never a rotated, mirrored, renamed or recoloured form of the task
    itself.

    Args:
        tasks: the tasks of a suite, in order.

    Raises:
        ArgumentError: a task has no suitable other task.
    """
    forms = [canonical_form(task) for task in tasks]
    return {task_hash(task): _other_task(tasks, forms, number) for number, task in enumerate(tasks)}


def _other_task(tasks: Sequence[TaskSpecification], forms: Sequence[str], number: int) -> TaskSpecification:
    own = tasks[number].maze
    order = [each % len(tasks) for each in range(number + 1, number + len(tasks))]
    others = [tasks[each] for each in order if forms[each] != forms[number]]
    if not others:
        raise ArgumentError(
            f"'{tasks[number].task_id}': swapped observations must come from a different task, and the suite has none"
        )
    return min(
        others, key=lambda task: (task.maze.dimensions, task.maze.wall_cells()) == (own.dimensions, own.wall_cells())
    )


def shown_tasks(manifest: Manifest, tasks: Mapping[str, TaskSpecification]) -> dict[str, TaskSpecification]:
    """Map the hash of each task of a run to the task shown instead; empty if observations are not swapped.

    Args:
        manifest: the manifest of the run.
        tasks: all tasks by their hashes.
    """
    swaps = manifest.settings.presentation.swaps_observations
    return swapped_tasks([tasks[digest] for digest in manifest.suite_tasks]) if swaps else {}
