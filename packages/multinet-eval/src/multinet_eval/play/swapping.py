"""Which task of a suite is shown in place of another one, where observations are swapped."""

from __future__ import annotations

from collections.abc import Sequence

from gridworld.errors import ArgumentError
from gridworld.generation.canonical import canonical_form
from gridworld.task_spec import TaskSpecification
from multinet_eval.record.plan import task_hash


def swapped_tasks(tasks: Sequence[TaskSpecification]) -> dict[str, TaskSpecification]:
    """The hash of each task to the one that is shown in its place.

    That is the next task with other walls, round and round, since a twin in the same maze would show the way; where all
    walls are the same, the next task. It never is the same task turned or mirrored, with other names or other colours.

    Args:
        tasks: the tasks of a suite, in order.

    Raises:
        ArgumentError: a task has no other one.
    """
    forms = [canonical_form(task) for task in tasks]
    return {task_hash(task): _other_task(tasks, forms, number) for number, task in enumerate(tasks)}


def _other_task(tasks: Sequence[TaskSpecification], forms: Sequence[str], number: int) -> TaskSpecification:
    own = tasks[number].maze
    order = [each % len(tasks) for each in range(number + 1, number + len(tasks))]
    others = [tasks[each] for each in order if forms[each] != forms[number]]
    if not others:
        raise ArgumentError(
            f"'{tasks[number].task_id}': swapped observations are those of another task, and the suite has no other one"
        )
    return min(
        others, key=lambda task: (task.maze.dimensions, task.maze.wall_cells()) == (own.dimensions, own.wall_cells())
    )
