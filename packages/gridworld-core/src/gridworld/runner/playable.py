"""Whether a backend can play tasks, found out before any of them is played."""

from __future__ import annotations

from collections.abc import Iterable

from gridworld.backends.base import AbstractGridBackend
from gridworld.errors import InvalidTaskError, PluginFault, Problem
from gridworld.plugins.faults import backend_name, blaming
from gridworld.task_spec import TaskSpecification

__all__ = ["UnplayableTasksError", "check_playable"]


class UnplayableTasksError(InvalidTaskError):
    """Some tasks that a backend cannot play; each problem begins with the task's id, `source` is the backend."""

    headline = "cannot play all of these tasks"


def check_playable(backend: AbstractGridBackend, tasks: Iterable[TaskSpecification]) -> None:
    """Make sure that a backend can play tasks; the last one is configured then.

    A backend that fails in another way than by refusing a task is not reported: the episode of that task will do so.

    Raises:
        UnplayableTasksError: it refuses some of them; all are named, with every problem.
    """
    owner = backend_name(backend.name)
    problems = [problem for task in tasks for problem in _problems_of(backend, owner, task)]
    if problems:
        raise UnplayableTasksError(problems, owner)


def _problems_of(backend: AbstractGridBackend, owner: str, task: TaskSpecification) -> list[Problem]:
    try:
        with blaming(owner, "before the first step"):
            backend.configure(task)
    except InvalidTaskError as error:
        return [Problem(task.task_id, str(each)) for each in error.problems or ("refused without a reason",)]
    except PluginFault:
        return []
    return []
