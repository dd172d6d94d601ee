"""Looking up tasks by name: whole suites (installed, generated, or folders of task files) and single tasks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from os import PathLike, fspath
from pathlib import Path
from typing import Any

from gridworld.errors import ArgumentError, InvalidTaskError, UnknownNameError, describe_value
from gridworld.generation.recipe import SCHEME, Recipe, recipe_from_name, recipes_from_file
from gridworld.hookspecs import BenchmarkInfo
from gridworld.plugins import get_registry
from gridworld.suites.folders import Suite, benchmark_place, load_folder, read_folder, warn_of_files
from gridworld.support.files import exists, is_folder
from gridworld.support.wording import nearest_hint, shorten
from gridworld.task.reading import read_task_file
from gridworld.task.validation import find_problems
from gridworld.task_spec import TaskSpecification

RECIPES = ".toml"
"""Extension of recipe files."""


def suite_recipes(name: str) -> tuple[Recipe, ...]:
    """Return the recipes of a generated suite; empty for any other name.

    The name is ``generated:FAMILY?...``, the path of a TOML file, or an installed suite of recipes.

    Raises:
        ArgumentError: the recipes cannot be read, or are invalid.
        PluginFault: the package of an installed suite cannot be imported.
    """
    benchmarks = get_registry().benchmarks
    if name in benchmarks:
        return benchmark_recipes(benchmarks.get(name))
    if name.startswith(SCHEME):
        return (recipe_from_name(name),)
    return recipes_from_file(Path(name)) if name.endswith(RECIPES) else ()


def benchmark_recipes(benchmark: BenchmarkInfo, salt: str = "") -> tuple[Recipe, ...]:
    """Return the recipes of an installed suite, empty for a suite of files; raises as `suite_recipes` does."""
    return recipes_from_file(benchmark_place(benchmark), salt) if benchmark.folder.endswith(RECIPES) else ()


TaskSource = TaskSpecification | Mapping[str, Any] | str | PathLike[str]
"""A task, the contents or path of a task file, ``SUITE/TASK_ID``, or a whole suite (installed, or a folder)."""


def load_benchmark(benchmark: BenchmarkInfo) -> list[TaskSpecification]:
    """Return the tasks of an installed benchmark, in order of file names or recipes.

    Raises:
        PluginFault: the benchmark's package cannot be imported.
        SuiteError: as `load_folder` and `generate_suite` do.
    """
    recipes = benchmark_recipes(benchmark)
    return list(_generated(recipes)) if recipes else load_folder(benchmark_place(benchmark))


def read_named_task(
    name: str | PathLike[str], warn: Callable[[Iterable[str]], None] = warn_of_files
) -> TaskSpecification:
    """Read a task by path, or by a name ``SUITE/TASK_ID``.

    Args:
        name: the path or the name.
        warn: called with the warnings about a file in an older format.

    Raises:
        UnknownNameError: the installed suite has no such task.
        TaskError: the file is not a valid task.
        ArgumentError: the file cannot be read, or `name` denotes a whole suite.
    """
    name = fspath(name)
    suite, slash, task_id = name.rpartition("/")
    benchmarks = get_registry().benchmarks
    if slash and task_id and suite in benchmarks and not exists(name):
        tasks = {task.task_id: task for task in load_benchmark(benchmarks.get(suite))}
        if task_id not in tasks:
            raise UnknownNameError(f"task of {suite}", task_id, tasks, listed_as="there are")
        return tasks[task_id]
    named = name.rstrip("/")
    if named in benchmarks and not exists(name):
        raise ArgumentError(
            f"{named} is a suite; a task is {named}/TASK_ID, and 'multinet tasks list {named}' has them"
        )
    try:
        read = read_task_file(name, get_registry())
    except OSError as error:
        suites = benchmarks.names()
        advice = f"and no installed suite has it{nearest_hint(suite, suites)}; suites: {', '.join(suites)}"
        raise ArgumentError(f"{name}: {error.strerror}, {advice}") from error
    problems = find_problems(read.task, get_registry())
    if problems:
        raise InvalidTaskError(problems, name)
    warn([] if read.warning is None else [f"{name}: {read.warning}"])
    return read.task


def find_suite(name: str) -> list[TaskSpecification]:
    """Return the tasks of a suite, with warnings for files in an older format; raises as `read_suite` does."""
    suite = read_suite(name)
    warn_of_files(f"{name}: {message}" for message in suite.warnings)
    return list(suite.tasks)


def read_suite(name: str) -> Suite:
    """Read an installed suite, a folder, a generated suite, or one task as a suite of its own.

    Args:
        name: name of the suite, path of the folder, a name as for `suite_recipes`, or ``SUITE/TASK_ID``.

    Raises:
        UnknownNameError, ArgumentError: no suite has this name, or no folder this path.
        SuiteError: the suite is not usable.
    """
    benchmarks = get_registry().benchmarks
    if name not in benchmarks and is_folder(name):
        return read_folder(Path(name))
    return read_installed(name)


def read_installed(name: str) -> Suite:
    """Read an installed or generated suite, or one task of an installed suite, as `read_suite` does for these."""
    recipes, benchmarks = suite_recipes(name), get_registry().benchmarks
    if recipes:
        return Suite(_generated(recipes))
    if name not in benchmarks and name.rpartition("/")[0] in benchmarks:
        return Suite((read_named_task(name),))
    return Suite(tuple(load_benchmark(benchmarks.get(name))))


def find_tasks(source: TaskSource | Iterable[TaskSource]) -> list[TaskSpecification]:
    """Return all tasks of one or more sources, in order.

    Raises:
        UnknownNameError: an installed suite has no such task.
        TaskError: a task is invalid, or a folder is not a usable suite.
        ArgumentError: a file cannot be read, or a source has the wrong type.
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
    if not name:  # for Python the current folder
        raise _no_source(source)
    if is_folder(name) or (not exists(name) and name in get_registry().benchmarks) or suite_recipes(name):
        return find_suite(name)
    return [read_named_task(name)]


def _generated(recipes: tuple[Recipe, ...]) -> tuple[TaskSpecification, ...]:
    """Generate a suite; imports late, since suites of files do not need the solver."""
    from gridworld.suites.generated import generate_suite

    return generate_suite(recipes)
