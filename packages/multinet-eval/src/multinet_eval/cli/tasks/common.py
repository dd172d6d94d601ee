"""What the task commands share: finding tasks, compiling them, and their common options."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar

import attrs
import typer

if TYPE_CHECKING:
    from gridworld.task_spec import TaskSpecification
    from gridworld.world import World
    from multinet_eval.suites import Suite

__all__ = [
    "AsJson",
    "MaxStates",
    "SkipInvalid",
    "TaskFile",
    "TaskName",
    "Tiling",
    "compile_on",
    "exists",
    "find_suite",
    "find_task",
    "is_folder",
    "list_task_files",
    "tell_what_is_odd",
    "with_progress",
]

Row = TypeVar("Row")

TaskName = Annotated[str, typer.Argument(metavar="TASK", help="A task file, or SUITE/TASK_ID of an installed suite.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Tiling = Annotated[str, typer.Option("--tiling", help="Lay the task out on this tiling.")]
SkipInvalid = Annotated[
    bool, typer.Option("--skip-invalid", help="Skip files that hold no valid task, instead of refusing the folder.")
]
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


@attrs.frozen
class TaskFile:
    """A JSON file that a path on the command line stands for."""

    name: str
    """What it is called in the output."""
    path: Path
    inside: Path
    """Its place in the folder that was given; its name alone where the file itself was."""
    listed: bool
    """Whether a folder was given: such a file need not be a task."""


def list_task_files(text: str, path: Path) -> list[TaskFile]:
    """The JSON files of a path that was given as `text`: the file, or all in the folder and its subfolders.

    Raises:
        ArgumentError: the folder has none.
    """
    from gridworld.errors import ArgumentError

    if not path.is_dir():
        return [TaskFile(text, path, Path(path.name), listed=False)]
    places = [(file, file.relative_to(path)) for file in sorted(path.rglob("*.json"))]
    if not places:
        raise ArgumentError(f"{text}: no task files (*.json) in it")
    return [TaskFile(str(inside), file, inside, listed=True) for file, inside in places]


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
    from gridworld.task.reading import read_task_file
    from gridworld.task.validation import find_problems
    from multinet_eval.suites import load_benchmark

    suite, slash, task_id = name.rpartition("/")
    benchmarks = get_registry().benchmarks
    if slash and suite in benchmarks and not exists(name):
        tasks = {task.task_id: task for task in load_benchmark(benchmarks.get(suite))}
        if task_id not in tasks:
            raise UnknownNameError(f"task of {suite}", task_id, tasks)
        return tasks[task_id]
    try:
        read = read_task_file(name, get_registry())
    except OSError as error:
        suites = benchmarks.names()
        advice = f"and no installed suite has it{nearest_hint(suite, suites)}; suites: {', '.join(suites)}"
        raise ArgumentError(f"{name}: {error.strerror}; {advice}") from error
    problems = find_problems(read.task, get_registry())
    if problems:
        raise InvalidTaskError(problems, name)
    if read.warning is not None:
        typer.echo(f"warning: {name}: {read.warning}", err=True)
    return read.task


def find_suite(name: str, skip_invalid: bool = False) -> list[TaskSpecification]:
    """The tasks of an installed suite, or of a folder; what is odd about its files is told on standard error.

    Raises:
        UnknownNameError: neither an installed suite nor a folder has this name.
        SuiteError: it is no usable suite.
    """
    from gridworld.plugins import get_registry
    from multinet_eval.suites import load_benchmark, read_folder

    benchmarks = get_registry().benchmarks
    if name not in benchmarks and is_folder(name):
        suite = read_folder(Path(name), skip_invalid)
        tell_what_is_odd(suite)
        return list(suite.tasks)
    return load_benchmark(benchmarks.get(name))


def tell_what_is_odd(suite: Suite) -> None:
    """Say on standard error which files of a folder are in an older form, and which were skipped and why."""
    for message in suite.warnings:
        typer.echo(f"warning: {message}", err=True)
    for skipped in suite.skipped:
        typer.echo(f"skipped {skipped.file}: {'; '.join(skipped.problems)}", err=True)
    if suite.skipped:
        typer.echo(f"skipped {len(suite.skipped)} of {len(suite.skipped) + len(suite.tasks)} task files", err=True)


def compile_on(tiling: str, task: TaskSpecification) -> World:
    """A task compiled on an installed tiling.

    Raises:
        UnknownNameError: no such tiling is installed.
        InvalidTaskError: the task cannot be.
    """
    from gridworld.plugins.tilings import find_tiling, lay_out
    from gridworld.world import compile_world

    return compile_world(task, lay_out(find_tiling(tiling), task))


def with_progress(rows: Iterable[Row], total: int, description: str) -> Iterable[Row]:
    """The same rows, with a bar on standard error that follows them; there is none where that is no terminal."""
    from rich.console import Console
    from rich.progress import track

    console = Console(stderr=True)
    return track(rows, description, total, console=console, transient=True, disable=not console.is_terminal)
