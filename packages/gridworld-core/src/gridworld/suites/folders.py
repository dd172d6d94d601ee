"""Suites in folders of task files."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping
from importlib.resources import files
from pathlib import Path

import attrs

from gridworld.errors import (
    PluginFault,
    Problem,
    TaskError,
    TaskFileWarning,
    TaskFormatError,
)
from gridworld.hookspecs import BenchmarkInfo
from gridworld.plugins import get_registry
from gridworld.support.faults import RAISED
from gridworld.support.files import json_files
from gridworld.task.reading import ReadTask, is_task, load_json, read_task
from gridworld.task.validation import find_problems
from gridworld.task_spec import TaskSpecification

MOST_FAULTY = 20
"""Number of invalid files after which reading a folder stops."""


class SuiteError(TaskError):
    """A folder is not a usable suite of tasks."""

    headline = "is not a usable suite of tasks"


def benchmark_place(benchmark: BenchmarkInfo) -> Path:
    """Return the folder of an installed benchmark, or the file of its recipes.

    Raises:
        PluginFault: the benchmark's package cannot be imported, or is not installed as plain files.
    """
    try:
        folder = files(benchmark.package) / benchmark.folder
    except RAISED as error:  # by importing the plugin's package
        raise PluginFault(f"no package '{benchmark.package}': {error}", benchmark.owner, "package") from error
    if not isinstance(folder, Path):
        raise PluginFault(f"'{benchmark.package}' is not installed as plain files", benchmark.owner, "package")
    return folder


@attrs.frozen
class Suite:
    """The tasks read from a folder, with warnings."""

    tasks: tuple[TaskSpecification, ...]
    """Valid tasks, in order of paths."""
    warnings: tuple[str, ...] = ()
    """``file: message`` for each file in an older format."""


def load_folder(folder: Path) -> list[TaskSpecification]:
    """Read the tasks of a folder, with warnings for files in an older format; raises as `read_folder` does."""
    suite = read_folder(folder)
    warn_of_files(f"{folder}: {message}" for message in suite.warnings)
    return list(suite.tasks)


def warn_of_files(messages: Iterable[str]) -> None:
    """Issue a `TaskFileWarning` for each message."""
    for message in messages:
        warnings.warn(message, TaskFileWarning, stacklevel=3)


def read_folder(folder: Path) -> Suite:
    """Return the tasks of all JSON files in a folder and its subfolders, in order of paths.

    JSON files without a maze are ignored, and so are subfolders with a file ``.notasks``, such as recorded runs.

    Raises:
        SuiteError: the folder is missing, has no tasks, an invalid task file, or two tasks with the same id; with the
            problems of the first `MOST_FAULTY` invalid files.
    """
    if not folder.is_dir():
        problem = "a file, expected a folder" if folder.exists() else "no such folder"
        raise SuiteError([Problem("", problem)], str(folder))
    good: dict[str, tuple[str, ReadTask]] = {}
    faulty: dict[str, list[str]] = {}
    for path in json_files(folder):
        name = str(path.relative_to(folder))
        read, problems = _load_file(path)
        if read is not None:
            first, _ = good.setdefault(read.task.task_id, (name, read))
            problems = [] if first == name else [f"task_id: '{read.task.task_id}' is already the id of {first}"]
        if problems:
            faulty[name] = problems
            if len(faulty) == MOST_FAULTY:
                raise _refusal(folder, faulty, Problem("", f"stopped reading after {MOST_FAULTY} invalid files"))
    if faulty:
        raise _refusal(folder, faulty)
    if not good:
        raise SuiteError([Problem("", "no task files (*.json with a maze) in it")], str(folder))
    return Suite(
        tasks=tuple(read.task for _, read in good.values()),
        warnings=tuple(f"{name}: {read.warning}" for name, read in good.values() if read.warning is not None),
    )


def _refusal(folder: Path, faulty: Mapping[str, list[str]], *others: Problem) -> SuiteError:
    problems = [Problem(file, text) for file, texts in faulty.items() for text in texts]
    return SuiteError([*others, *problems], str(folder))


def _load_file(path: Path) -> tuple[ReadTask | None, list[str]]:
    """Read a valid task from a file, or its problems; neither if the file is not a task."""
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
    """Return the tasks whose difficulty tier is one of `tiers`."""
    wanted = set(tiers)
    return [task for task in tasks if task.difficulty_tier in wanted]
