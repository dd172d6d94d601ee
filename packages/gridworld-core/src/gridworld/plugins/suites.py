"""Finds tasks by name: those of a suite (an installed benchmark, or a folder of task files), or a single one."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping
from importlib.resources import files
from os import PathLike, fspath
from pathlib import Path
from typing import Any

import attrs

from gridworld.errors import (
    ArgumentError,
    InvalidTaskError,
    PluginFault,
    Problem,
    TaskError,
    TaskFileWarning,
    TaskFormatError,
    UnknownNameError,
    describe_value,
)
from gridworld.hookspecs import BenchmarkInfo
from gridworld.plugins import get_registry
from gridworld.support.files import exists, is_folder, json_files
from gridworld.support.suggestions import nearest_hint
from gridworld.support.wording import shorten
from gridworld.task.reading import ReadTask, is_task, load_json, read_task, read_task_file
from gridworld.task.validation import find_problems
from gridworld.task_spec import TaskSpecification

__all__ = [
    "Skipped",
    "Suite",
    "SuiteError",
    "TaskSource",
    "benchmark_folder",
    "find_suite",
    "find_task",
    "find_tasks",
    "load_benchmark",
    "load_folder",
    "of_tiers",
    "read_folder",
    "read_named_task",
    "read_suite",
]


TaskSource = TaskSpecification | Mapping[str, Any] | str | PathLike[str]
"""A task, the contents or path of a task file, ``SUITE/TASK_ID``, or a whole suite: an installed one, or a folder."""


class SuiteError(TaskError):
    """A folder that does not hold a usable suite of tasks."""

    headline = "does not hold a usable suite of tasks"


def load_benchmark(benchmark: BenchmarkInfo) -> list[TaskSpecification]:
    """The tasks of an installed benchmark, in the order of their file names.

    Raises:
        PluginFault: the package that should hold it cannot be imported.
        SuiteError: as `load_folder` does.
    """
    return load_folder(benchmark_folder(benchmark))


def benchmark_folder(benchmark: BenchmarkInfo) -> Path:
    """The folder of an installed benchmark.

    Raises:
        PluginFault: the package that should hold it cannot be imported, or is not installed as plain files.
    """
    try:
        folder = files(benchmark.package) / benchmark.folder
    except Exception as error:
        raise PluginFault(f"benchmark '{benchmark.name}': no package '{benchmark.package}': {error}") from error
    if not isinstance(folder, Path):
        raise PluginFault(f"benchmark '{benchmark.name}': '{benchmark.package}' is not installed as plain files")
    return folder


@attrs.frozen
class Skipped:
    """A file of a folder that is meant to be a task and cannot be played."""

    file: str
    problems: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """The entry of a results file."""
        return {"file": self.file, "problems": list(self.problems)}


@attrs.frozen
class Suite:
    """What a folder of task files holds."""

    tasks: tuple[TaskSpecification, ...]
    """In the order of their files' paths."""
    skipped: tuple[Skipped, ...] = ()
    """The files that hold no valid task, if they are to be skipped."""
    warnings: tuple[str, ...] = ()
    """``file: message``, one for each file in an older form."""


def load_folder(folder: Path) -> list[TaskSpecification]:
    """The tasks of a folder, as `read_folder` finds them; files in an older form are warned of.

    Raises:
        SuiteError: as `read_folder` does.
    """
    suite = read_folder(folder)
    _warn(f"{folder}: {message}" for message in suite.warnings)
    return list(suite.tasks)


def _warn(messages: Iterable[str]) -> None:
    for message in messages:
        warnings.warn(message, TaskFileWarning, stacklevel=3)


def read_folder(folder: Path, skip_invalid: bool = False) -> Suite:
    """The tasks of all JSON files in a folder and its subfolders, in the order of their paths.

    JSON files without a maze are no tasks, and are passed over.

    Args:
        folder: the folder.
        skip_invalid: whether files that hold no valid task are skipped and listed, instead of refused.

    Raises:
        SuiteError: the folder is missing, has no tasks, a file that is no valid task, or two tasks with one id;
            every problem is named with its file.
    """
    if not folder.is_dir():
        raise SuiteError([Problem("", "no such folder")], str(folder))
    good: dict[str, tuple[str, ReadTask]] = {}
    faulty: list[Skipped] = []
    for path in json_files(folder):
        name = str(path.relative_to(folder))
        read, problems = _load_file(path)
        if read is not None:
            first, _ = good.setdefault(read.task.task_id, (name, read))
            problems = [] if first == name else [f"task_id: '{read.task.task_id}' is already the id of {first}"]
        if problems:
            faulty.append(Skipped(name, tuple(problems)))
    if faulty and not (skip_invalid and good):
        raise SuiteError([Problem(each.file, text) for each in faulty for text in each.problems], str(folder))
    if not good:
        raise SuiteError([Problem("", "no task files (*.json with a maze) in it")], str(folder))
    return Suite(
        tasks=tuple(read.task for _, read in good.values()),
        skipped=tuple(faulty),
        warnings=tuple(f"{name}: {read.warning}" for name, read in good.values() if read.warning is not None),
    )


def _load_file(path: Path) -> tuple[ReadTask | None, list[str]]:
    """A valid task, or its problems, or neither for a file that is not a task."""
    try:
        data = load_json(path)
        if not is_task(data):
            return None, []
        read = read_task(data, get_registry(), str(path))
    except TaskFormatError as error:
        return None, [str(problem) for problem in error.problems]
    except OSError as error:
        return None, [f"cannot be read: {error.strerror}"]
    problems = [str(problem) for problem in find_problems(read.task, get_registry())]
    return (None, problems) if problems else (read, [])


def of_tiers(tasks: Iterable[TaskSpecification], tiers: Iterable[int]) -> list[TaskSpecification]:
    """Those tasks whose difficulty tier is one of `tiers`."""
    wanted = set(tiers)
    return [task for task in tasks if task.difficulty_tier in wanted]


def find_task(name: str) -> TaskSpecification:
    """The task that a path or ``suite/task_id`` names; a file in an older form is warned of.

    Raises:
        UnknownNameError, TaskError, ArgumentError: as `read_named_task` does.
    """
    read = read_named_task(name)
    _warn([] if read.warning is None else [f"{name}: {read.warning}"])
    return read.task


def read_named_task(name: str) -> ReadTask:
    """The task that a path or ``suite/task_id`` names, and the warnings about its file.

    Raises:
        UnknownNameError: there is no such file, and no such task in an installed suite.
        TaskError: the file is not a valid task.
        ArgumentError: the file cannot be read.
    """
    suite, slash, task_id = name.rpartition("/")
    benchmarks = get_registry().benchmarks
    if slash and suite in benchmarks and not exists(name):
        tasks = {task.task_id: task for task in load_benchmark(benchmarks.get(suite))}
        if task_id not in tasks:
            raise UnknownNameError(f"task of {suite}", task_id, tasks, listed_as="there are")
        return ReadTask(tasks[task_id])
    try:
        read = read_task_file(name, get_registry())
    except OSError as error:
        suites = benchmarks.names()
        advice = f"and no installed suite has it{nearest_hint(suite, suites)}; suites: {', '.join(suites)}"
        raise ArgumentError(f"{name}: {error.strerror}, {advice}") from error
    problems = find_problems(read.task, get_registry())
    if problems:
        raise InvalidTaskError(problems, name)
    return read


def find_suite(name: str) -> list[TaskSpecification]:
    """The tasks of an installed suite, or of a folder; files in an older form are warned of.

    Raises:
        UnknownNameError, SuiteError: as `read_suite` does.
    """
    suite = read_suite(name)
    _warn(f"{name}: {message}" for message in suite.warnings)
    return list(suite.tasks)


def read_suite(name: str, skip_invalid: bool = False) -> Suite:
    """What an installed suite, or a folder, holds.

    Args:
        name: the name of the suite, or the path of the folder.
        skip_invalid: as for `read_folder`.

    Raises:
        UnknownNameError: neither an installed suite nor a folder has this name.
        SuiteError: it is not a usable suite.
    """
    benchmarks = get_registry().benchmarks
    if name not in benchmarks and is_folder(name):
        return read_folder(Path(name), skip_invalid)
    return Suite(tuple(load_benchmark(benchmarks.get(name))))


def find_tasks(source: TaskSource | Iterable[TaskSource]) -> list[TaskSpecification]:
    """All tasks that a source, or each of several, names; in order.

    Raises:
        UnknownNameError: there is no such task in an installed suite.
        TaskError: a file or contents are not a valid task, or a folder is no usable suite.
        ArgumentError: a file cannot be read, or a source is of another type.
    """
    if isinstance(source, SINGLE):
        return _tasks_of(source)
    if not isinstance(source, Iterable):
        raise _no_source(source)
    return [task for each in source for task in _tasks_of(each)]


SINGLE = (TaskSpecification, Mapping, str, PathLike)


def _no_source(source: object) -> ArgumentError:
    expected = (
        "the path of a task file, SUITE/TASK_ID, a suite, a TaskSpecification, a task's contents, or several of them"
    )
    return ArgumentError(f"task: expected {expected}; got {shorten(describe_value(source))}")


def _tasks_of(source: TaskSource) -> list[TaskSpecification]:
    if not isinstance(source, SINGLE):
        raise _no_source(source)
    if isinstance(source, TaskSpecification):
        return [source]
    if isinstance(source, Mapping):
        return [TaskSpecification.from_dict(source)]
    name = fspath(source)
    named_suite = name in get_registry().benchmarks and not exists(name)
    return find_suite(name) if named_suite or is_folder(name) else [find_task(name)]
