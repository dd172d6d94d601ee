"""Tasks and suites named on the command line, and the options of the task commands."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory, mkdtemp
from typing import TYPE_CHECKING, Annotated, Any

import attrs
import typer

from gridworld.errors import ArgumentError, GridworldError, UnknownNameError
from gridworld.plugins import get_registry, normal_name
from gridworld.solver.plans import Verdict, advice_after
from gridworld.support.files import exists, is_file, is_folder, json_files
from gridworld.support.wording import counted, nearest_hint
from multinet_eval.cli.echo import echo
from multinet_eval.cli.table import print_prose

if TYPE_CHECKING:
    from gridworld.solver import Solution
    from gridworld.suites import Suite
    from gridworld.task_spec import TaskSpecification

TaskName = Annotated[str, typer.Argument(metavar="TASK", help="Task file, or SUITE/TASK_ID of an installed suite.")]
Tiling = Annotated[str, typer.Option("--tiling", help="Tiling to lay the task out on.")]
TilingOrAll = Annotated[str, typer.Option("--tiling", help="Tiling, or all installed ones.")]
MaxStates = Annotated[int, typer.Option("--max-states", min=1, help="Maximum number of states of a search.")]
MaxTableStates = Annotated[
    int, typer.Option("--max-table-states", min=1, help="Maximum number of states for measures over all states.")
]


@attrs.frozen
class TaskFile:
    """A JSON file named by a path on the command line."""

    name: str
    """Name of the file in the output."""
    path: Path
    listed: bool
    """Whether a folder was given, so that the file need not be a task."""


def list_task_files(text: str, path: Path) -> list[TaskFile]:
    """List the JSON files of a path given as `text`: the file, or all in the folder and its subfolders.

    Raises:
        ArgumentError: the folder has no JSON file.
    """
    if not path.is_dir():
        return [TaskFile(text, path, listed=False)]
    places = [(file, file.relative_to(path)) for file in json_files(path)]
    if not places:
        raise ArgumentError(f"{text}: the folder has no task files (*.json)")
    return [TaskFile(str(inside), file, listed=True) for file, inside in places]


@contextmanager
def finding_task_files(paths: Iterable[str]) -> Iterator[list[list[TaskFile]]]:
    """Find the JSON files of each path; files of generated suites exist for the duration of the context.

    Raises:
        ArgumentError: a path does not exist, or a folder has no task file.
        UnknownNameError: a suite has no such task.
        SuiteError: a suite cannot be generated.
    """
    benchmarks = get_registry().benchmarks
    found: list[list[TaskFile]] = []
    with TemporaryDirectory() as scratch:
        for text in paths:
            suite, slash, task_id = text.rpartition("/")
            if slash and suite in benchmarks and not exists(text):
                found.append([_file_of_suite(text, _folder_of(suite, scratch), suite, task_id)])
            else:
                found.append(list_task_files(text, Path(text) if exists(text) else _folder_of(text, scratch)))
        yield found


def _folder_of(suite: str, scratch: str) -> Path:
    """Find the folder of an installed suite, or generate a suite in `scratch`; raises ArgumentError for other names."""
    from gridworld.suites import benchmark_place
    from gridworld.suites.generated import generate_suite
    from gridworld.suites.named import suite_recipes
    from multinet_eval.cli.tasks.generate import prepare_suite

    benchmarks = get_registry().benchmarks
    recipes = suite_recipes(suite)
    if recipes:
        prepare_suite(suite)
        folder = Path(mkdtemp(dir=scratch))
        for task in generate_suite(recipes):
            task.to_json(folder / f"{task.task_id}.json")
        return folder
    if suite not in benchmarks:
        raise _no_suite(suite)
    return benchmark_place(benchmarks.get(suite))


def _no_suite(name: str) -> ArgumentError:
    """Make the error for a name that is neither a suite nor a folder."""
    if exists(name):
        return ArgumentError(f"{name}: is a file, expected a folder of task files or the name of a suite")
    hint = nearest_hint(name, get_registry().benchmarks.names())
    return ArgumentError(f"{name}: no such file or folder, and no suite of that name is installed{hint}")


def _file_of_suite(text: str, folder: Path, suite: str, task_id: str) -> TaskFile:
    """Find the file of a suite's task given as `text`."""
    from gridworld.task.reading import load_json

    files = {data["task_id"]: file for file in json_files(folder) if "task_id" in (data := load_json(file))}
    if task_id not in files:
        raise UnknownNameError(f"task of {suite}", task_id, files, listed_as="there are")
    return TaskFile(text, files[task_id], listed=False)


def find_task(name: str) -> TaskSpecification:
    """Read the task named by a path or ``suite/task_id``; warnings go to standard error.

    Raises:
        UnknownNameError, TaskError, ArgumentError: as `gridworld.suites.read_named_task` does.
    """
    from gridworld.suites import read_named_task

    return read_named_task(name, _warn)


def _warn(messages: Iterable[str]) -> None:
    for message in messages:
        echo(f"warning: {message}", err=True)


def suite_named_by(name: str) -> str | None:
    """Find the installed suite named in ``suite/task_id``; None for the path of a file."""
    suite, slash, _ = name.rpartition("/")
    return suite if slash and suite in get_registry().benchmarks and not exists(name) else None


def find_suite(name: str) -> list[TaskSpecification]:
    """Read the tasks of an installed suite or a folder; warnings go to standard error.

    Raises:
        ArgumentError: no such suite or folder exists.
        UnknownNameError, SuiteError: as `gridworld.suites.read_suite` does.
    """
    from gridworld.suites import read_suite
    from gridworld.suites.named import suite_recipes
    from multinet_eval.cli.tasks.generate import prepare_suite

    if name not in get_registry().benchmarks and not is_folder(name) and not suite_recipes(name):
        raise _no_suite(name)
    prepare_suite(name)
    suite = read_suite(name)
    print_suite_warnings(suite)
    return list(suite.tasks)


def suite_name(named: str) -> str:
    """Return the name by which records refer to an installed suite, a folder or a single task."""
    return normal_name("benchmark", named) if named in get_registry().benchmarks else Path(named).name


def find_suite_or_task(name: str) -> list[TaskSpecification]:
    """Read the tasks of a suite or folder, or one task; raises as `find_suite` and `find_task` do."""
    is_task = suite_named_by(name) is not None or is_file(name)
    return [find_task(name)] if is_task else find_suite(name)


def gave_up(solution: Solution, max_states: int) -> str:
    """Return the message, with advice, about a search that gave up."""
    advice = solution.advice(max_states, "--max-states")
    return f"{solution.verdict.value} after {counted(solution.states_seen, 'state')}{advice}"


def print_given_up(found: Iterable[Mapping[str, Any]], max_states: int) -> None:
    """Print how many searches gave up and after how many states, with advice; nothing if none did.

    Args:
        found: ``verdict`` and ``states_seen`` of each search.
        max_states: limit of states.
    """
    stopped = Counter(each["states_seen"] for each in found if each["verdict"] == Verdict.GAVE_UP.value)
    for states_seen, times in sorted(stopped.items()):
        searches = "1 search" if times == 1 else f"{times} searches"
        advice = advice_after(states_seen, max_states, "--max-states")
        print_prose(f"{searches} gave up, after {counted(states_seen, 'state')}{advice}")


@contextmanager
def advising_without_plan(limit: str | None) -> Iterator[None]:
    """Add advice to the error for a task without a plan.

    Args:
        limit: option that limits the search for a plan; None if the command has none.

    Raises:
        GridworldError: the solver has no plan for a task.
    """
    from gridworld.solver.plans import NoPlanError

    try:
        yield
    except NoPlanError as error:
        raise GridworldError(error.told(limit)) from error


def print_suite_warnings(suite: Suite) -> None:
    """Print to standard error which files of a folder are outdated."""
    _warn(suite.warnings)
