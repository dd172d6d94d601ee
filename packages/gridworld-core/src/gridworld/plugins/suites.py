"""Finds tasks by name: those of a suite (an installed benchmark, or a folder of task files), or a single one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from importlib.resources import files
from os import PathLike, fspath
from pathlib import Path
from typing import Any

from gridworld.errors import (
    ArgumentError,
    InvalidTaskError,
    PluginFault,
    Problem,
    TaskError,
    TaskFormatError,
    UnknownNameError,
)
from gridworld.plugins import get_registry
from gridworld.plugins.descriptors import BenchmarkInfo
from gridworld.support.files import exists, is_folder
from gridworld.support.suggestions import nearest_hint
from gridworld.task.validation import find_problems
from gridworld.task_spec import TaskSpecification

__all__ = [
    "SuiteError",
    "TaskSource",
    "benchmark_folder",
    "find_suite",
    "find_task",
    "find_tasks",
    "load_benchmark",
    "load_folder",
    "of_tiers",
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


def load_folder(folder: Path) -> list[TaskSpecification]:
    """The tasks of all JSON files in a folder and its subfolders, in the order of their paths.

    Raises:
        SuiteError: the folder is missing, empty, has a file that is no valid task, or two tasks with one id;
            every problem is named with its file.
    """
    if not folder.is_dir():
        raise SuiteError([Problem("", "no such folder")], str(folder))
    paths = sorted(folder.rglob("*.json"))
    if not paths:
        raise SuiteError([Problem("", "no task files (*.json) in it")], str(folder))
    problems: list[Problem] = []
    tasks: dict[str, tuple[Path, TaskSpecification]] = {}
    for path in paths:
        name = str(path.relative_to(folder))
        task, found = _load_file(path)
        problems.extend(Problem(name, str(problem)) for problem in found)
        if task is None:
            continue
        if task.task_id in tasks:
            first = tasks[task.task_id][0].relative_to(folder)
            problems.append(Problem(name, f"task_id: '{task.task_id}' is already the id of {first}"))
        tasks.setdefault(task.task_id, (path, task))
    if problems:
        raise SuiteError(problems, str(folder))
    return [task for _, task in tasks.values()]


def _load_file(path: Path) -> tuple[TaskSpecification | None, Iterable[Problem]]:
    try:
        task = TaskSpecification.from_json(path)
    except TaskFormatError as error:
        return None, error.problems
    except OSError as error:
        return None, [Problem("", f"cannot be read: {error.strerror}")]
    return task, find_problems(task, get_registry())


def of_tiers(tasks: Iterable[TaskSpecification], tiers: Iterable[int]) -> list[TaskSpecification]:
    """Those tasks whose difficulty tier is one of `tiers`."""
    wanted = set(tiers)
    return [task for task in tasks if task.difficulty_tier in wanted]


def find_task(name: str) -> TaskSpecification:
    """The task that a path or ``suite/task_id`` names.

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
    benchmarks = get_registry().benchmarks
    if name not in benchmarks and is_folder(name):
        return load_folder(Path(name))
    return load_benchmark(benchmarks.get(name))


def find_tasks(source: TaskSource | Iterable[TaskSource]) -> list[TaskSpecification]:
    """All tasks that a source, or each of several, names; in order.

    Raises:
        UnknownNameError: there is no such task in an installed suite.
        TaskError: a file or contents are not a valid task, or a folder is no usable suite.
        ArgumentError: a file cannot be read.
    """
    sources = [source] if isinstance(source, TaskSpecification | Mapping | str | PathLike) else source
    return [task for each in sources for task in _tasks_of(each)]


def _tasks_of(source: TaskSource) -> list[TaskSpecification]:
    if isinstance(source, TaskSpecification):
        return [source]
    if isinstance(source, Mapping):
        return [TaskSpecification.from_dict(source)]
    name = fspath(source)
    named_suite = name in get_registry().benchmarks and not exists(name)
    return find_suite(name) if named_suite or is_folder(name) else [find_task(name)]
