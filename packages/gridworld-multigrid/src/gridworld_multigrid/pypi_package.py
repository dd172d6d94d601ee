"""Tasks as environments of the package ``multigrid`` from PyPI, which is imported on demand: it compiles with numba."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from gridworld.errors import ArgumentError
from gridworld.plugins.arguments import check_names
from gridworld.suites import TaskSource, find_tasks
from gridworld.support.wording import how_to_install

if TYPE_CHECKING:
    from gridworld_multigrid.pypi_env import TaskMultiGridEnv


@contextmanager
def needing_multigrid() -> Iterator[None]:
    """Import the package in the block; raises `ArgumentError` with the install command if it is missing."""
    try:
        yield
    except ImportError as error:
        advice = how_to_install("gridworld-multigrid", "multigrid")
        raise ArgumentError(f"the package multigrid is needed ({error}): {advice}") from error


def multigrid_env(task: TaskSource, **options: Any) -> TaskMultiGridEnv:
    """Make a real ``multigrid.base.MultiGridEnv`` of one task, with one agent and the kernel's rules.

    Args:
        task: a task, the path of a task file, or ``SUITE/TASK_ID``.
        options: arguments of `gridworld_multigrid.pypi_env.TaskMultiGridEnv`.

    Raises:
        ArgumentError: the package multigrid is not installed, the source has several tasks, or an option is unknown.
        InvalidTaskError: the task is invalid, or has something that the package does not know; each is named.
    """
    with needing_multigrid():
        from gridworld_multigrid.pypi_env import TaskMultiGridEnv
    check_names(TaskMultiGridEnv, options, "the environment")
    tasks = list(find_tasks(task))
    if len(tasks) != 1:
        raise ArgumentError(f"expected one task, got {len(tasks)}")
    return TaskMultiGridEnv(tasks[0], **options)
