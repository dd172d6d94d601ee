"""What the task commands share: finding tasks, compiling them, and their common options."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

if TYPE_CHECKING:
    from gridworld.task_spec import TaskSpecification
    from gridworld.world import World

__all__ = [
    "AsJson",
    "MaxStates",
    "TaskName",
    "Tiling",
    "compile_on",
    "exists",
    "find_suite",
    "find_task",
    "is_folder",
    "with_progress",
]

Row = TypeVar("Row")

TaskName = Annotated[str, typer.Argument(metavar="TASK", help="A task file, or SUITE/TASK_ID of an installed suite.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Tiling = Annotated[str, typer.Option("--tiling", help="Lay the task out on this tiling.")]
MaxStates = Annotated[int, typer.Option("--max-states", min=1, help="Give up a search after this many states.")]


def exists(name: str) -> bool:
    """Whether a file or folder has this name; not so for what cannot be a name."""
    try:
        return Path(name).exists()
    except (OSError, ValueError):
        return False


def is_folder(name: str) -> bool:
    """Whether a folder has this name."""
    return exists(name) and Path(name).is_dir()


def find_task(name: str) -> TaskSpecification:
    """The task that a path or ``suite/task_id`` names.

    Raises:
        UnknownNameError: there is no such file, and no such task in an installed suite.
        TaskError: the file is not a valid task.
        ArgumentError: the file cannot be read.
    """
    from gridworld.errors import ArgumentError, InvalidTaskError, UnknownNameError
    from gridworld.plugins import get_registry
    from gridworld.support.suggestions import nearest_hint
    from gridworld.task.validation import find_problems
    from gridworld.task_spec import TaskSpecification
    from multinet_eval.suites import load_benchmark

    suite, slash, task_id = name.rpartition("/")
    benchmarks = get_registry().benchmarks
    if slash and suite in benchmarks and not exists(name):
        tasks = {task.task_id: task for task in load_benchmark(benchmarks.get(suite))}
        if task_id not in tasks:
            raise UnknownNameError(f"task of {suite}", task_id, tasks)
        return tasks[task_id]
    try:
        task = TaskSpecification.from_json(name)
    except OSError as error:
        suites = benchmarks.names()
        advice = f"and no installed suite has it{nearest_hint(suite, suites)}; suites: {', '.join(suites)}"
        raise ArgumentError(f"{name}: {error.strerror}; {advice}") from error
    problems = find_problems(task, get_registry())
    if problems:
        raise InvalidTaskError(problems, name)
    return task


def find_suite(name: str) -> list[TaskSpecification]:
    """The tasks of an installed suite, or of a folder.

    Raises:
        UnknownNameError: neither an installed suite nor a folder has this name.
        SuiteError: it is no usable suite.
    """
    from gridworld.plugins import get_registry
    from multinet_eval.suites import load_benchmark, load_folder

    benchmarks = get_registry().benchmarks
    if name not in benchmarks and is_folder(name):
        return load_folder(Path(name))
    return load_benchmark(benchmarks.get(name))


def compile_on(tiling: str, task: TaskSpecification) -> World:
    """A task compiled on an installed tiling.

    Raises:
        UnknownNameError: no such tiling is installed.
        InvalidTaskError: the task is invalid on it.
    """
    from gridworld.plugins.tilings import find_tiling, lay_out
    from gridworld.world import compile_world

    return compile_world(task, lay_out(find_tiling(tiling), task))


def with_progress(rows: Iterable[Row], total: int, description: str) -> Iterable[Row]:
    """The same rows, with a bar on standard error that follows them; there is none where that is no terminal."""
    from rich.progress import track

    from multinet_eval.cli.rich_console import make_console

    console = make_console()
    return track(rows, description, total, console=console, transient=True, disable=not console.is_terminal)
