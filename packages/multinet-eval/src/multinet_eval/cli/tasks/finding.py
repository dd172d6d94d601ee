"""What the task commands share: compiling tasks, and their common options."""

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
from gridworld.solver.plans import Verdict, advice_after
from gridworld.support.files import exists, is_folder, json_files
from gridworld.support.suggestions import nearest_hint
from gridworld.support.wording import counted
from multinet_eval.cli.echo import echo
from multinet_eval.cli.table import print_prose

if TYPE_CHECKING:
    from gridworld.solver import Solution
    from gridworld.suites import Suite
    from gridworld.task_spec import TaskSpecification

TaskName = Annotated[str, typer.Argument(metavar="TASK", help="A task file, or SUITE/TASK_ID of an installed suite.")]
Tiling = Annotated[str, typer.Option("--tiling", help="Lay the task out on this tiling.")]
TilingOrAll = Annotated[str, typer.Option("--tiling", help="A tiling, or all that are installed.")]
SkipInvalid = Annotated[
    bool, typer.Option("--skip-invalid", help="Skip files that hold no valid task, instead of refusing the folder.")
]
MaxStates = Annotated[int, typer.Option("--max-states", min=1, help="Give up a search after this many states.")]
MaxTableStates = Annotated[
    int, typer.Option("--max-table-states", min=1, help="Look at all states of tasks that have no more than this many.")
]
Workers = Annotated[
    int | None,
    typer.Option(
        "--workers",
        min=1,
        show_default=False,
        help="How many processes share the work; by default as many as there are cores.",
    ),
]


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
    if not path.is_dir():
        return [TaskFile(text, path, Path(path.name), listed=False)]
    places = [(file, file.relative_to(path)) for file in json_files(path)]
    if not places:
        raise ArgumentError(f"{text}: no task files (*.json) in it")
    return [TaskFile(str(inside), file, inside, listed=True) for file, inside in places]


@contextmanager
def finding_task_files(paths: Iterable[str]) -> Iterator[list[list[TaskFile]]]:
    """The JSON files of each path; generated suites have them as long as the context.

    Raises:
        ArgumentError: a path does not exist, or a folder has no task file.
        UnknownNameError: a suite has no such task.
        SuiteError: a suite cannot be generated.
    """
    from gridworld.plugins import get_registry

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
    """The folder that an installed suite is in; one in `scratch` for a suite that is generated.

    Raises:
        ArgumentError: there is no such suite.
    """
    from gridworld.plugins import get_registry
    from gridworld.suites import benchmark_place
    from gridworld.suites.generated import generate_suite
    from gridworld.suites.recipes import suite_recipes
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
    """What is wrong with a name that is neither that of a suite nor the path of a folder."""
    from gridworld.plugins import get_registry

    if exists(name):
        return ArgumentError(f"{name}: is a file, expected a folder of task files or the name of a suite")
    hint = nearest_hint(name, get_registry().benchmarks.names())
    return ArgumentError(f"{name}: no such file or folder, and no suite of that name is installed{hint}")


def _file_of_suite(text: str, folder: Path, suite: str, task_id: str) -> TaskFile:
    """The file of a task of a suite, which was given as `text`."""
    from gridworld.task.reading import load_json

    files = {data["task_id"]: file for file in json_files(folder) if "task_id" in (data := load_json(file))}
    if task_id not in files:
        raise UnknownNameError(f"task of {suite}", task_id, files, listed_as="there are")
    return TaskFile(text, files[task_id], Path(files[task_id].name), listed=False)


def find_task(name: str) -> TaskSpecification:
    """The task that a path or ``suite/task_id`` names; what is odd about its file is told on standard error.

    Raises:
        UnknownNameError, TaskError, ArgumentError: as `gridworld.suites.read_named_task` does.
    """
    from gridworld.suites import read_named_task

    return read_named_task(name, _warn)


def _warn(messages: Iterable[str]) -> None:
    for message in messages:
        echo(f"warning: {message}", err=True)


def suite_named_by(name: str) -> str | None:
    """The installed suite by which ``suite/task_id`` names a task; None for the path of a file."""
    from gridworld.plugins import get_registry

    suite, slash, _ = name.rpartition("/")
    return suite if slash and suite in get_registry().benchmarks and not exists(name) else None


def find_suite(name: str, skip_invalid: bool = False) -> list[TaskSpecification]:
    """The tasks of an installed suite, or of a folder; what is odd about its files is told on standard error.

    Raises:
        ArgumentError: there is no such suite.
        UnknownNameError, SuiteError: as `gridworld.suites.read_suite` does.
    """
    from gridworld.plugins import get_registry
    from gridworld.suites import read_suite
    from gridworld.suites.recipes import suite_recipes
    from multinet_eval.cli.tasks.generate import prepare_suite

    if name not in get_registry().benchmarks and not is_folder(name) and not suite_recipes(name):
        raise _no_suite(name)
    prepare_suite(name)
    suite = read_suite(name, skip_invalid)
    tell_what_is_odd(suite)
    return list(suite.tasks)


def suite_name(named: str) -> str:
    """Name under which an installed suite, a folder or a single task is played and recorded."""
    from gridworld.plugins import get_registry, normal_name

    return normal_name("benchmark", named) if named in get_registry().benchmarks else Path(named).name


def find_suite_or_task(name: str) -> list[TaskSpecification]:
    """The tasks of an installed suite or a folder, or one task, by its file or as ``suite/task_id``.

    Raises as `find_suite` and `find_task` do.
    """
    is_task = suite_named_by(name) is not None or Path(name).is_file()
    return [find_task(name)] if is_task else find_suite(name)


def gave_up(solution: Solution, max_states: int) -> str:
    """That a search of so many states at most has found neither a plan nor that there is none, and what would help."""
    advice = solution.advice(max_states, "--max-states")
    return f"{solution.verdict.value} after {counted(solution.states_seen, 'state')}{advice}"


def print_given_up(found: Iterable[Mapping[str, Any]], max_states: int) -> None:
    """Print below a table how many searches gave up, after how many states, and what would help; nothing if none did.

    Args:
        found: the ``verdict`` of each search, and the number of its ``states_seen``.
        max_states: how many each was allowed to meet.
    """
    stopped = Counter(each["states_seen"] for each in found if each["verdict"] == Verdict.GAVE_UP.value)
    for states_seen, times in sorted(stopped.items()):
        searches = "1 search" if times == 1 else f"{times} searches"
        advice = advice_after(states_seen, max_states, "--max-states")
        print_prose(f"{searches} gave up, after {counted(states_seen, 'state')}{advice}")


@contextmanager
def telling_of_no_plan(limit: str | None) -> Iterator[None]:
    """Say of a task without a plan what would help.

    Args:
        limit: the option that limits the search for one; None where the command has none.

    Raises:
        GridworldError: the solver has no plan for a task.
    """
    from gridworld.solver.plans import NoPlanError

    try:
        yield
    except NoPlanError as error:
        raise GridworldError(error.told(limit)) from error


def tell_what_is_odd(suite: Suite) -> None:
    """Say on standard error which files of a folder are in an older form, and which were skipped and why."""
    _warn(suite.warnings)
    for skipped in suite.skipped:
        echo(f"skipped {skipped.file}: {'; '.join(skipped.problems)}", err=True)
    if suite.skipped:
        echo(f"skipped {len(suite.skipped)} of {len(suite.skipped) + len(suite.tasks)} task files", err=True)
