"""``multinet tasks validate``, ``verify`` and ``seal``: check tasks, certificates and seals."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any

import typer

from gridworld.errors import ArgumentError, PluginFault, Problem, TaskError
from gridworld.plugins import get_registry
from gridworld.plugins.tilings import compile_on
from gridworld.solver.plans import DEFAULT_MAX_STATES
from gridworld.support.wording import counted, first_lines, visible_line
from multinet_eval.cli.commands import command
from multinet_eval.cli.echo import echo, echo_json
from multinet_eval.cli.errors import FAILED
from multinet_eval.cli.options import AsJson, Workers
from multinet_eval.cli.progress_bars import with_progress_between
from multinet_eval.cli.tasks.finding import (
    MaxStates,
    MaxTableStates,
    TaskFile,
    Tiling,
    find_suite,
    finding_task_files,
)

if TYPE_CHECKING:
    from gridworld.task_spec import TaskSpecification


def _print_check(result: Mapping[str, Any]) -> None:
    """Print a line for a task, and one for each finding.

    Args:
        result: `gridworld.solver.TaskReport.to_dict` with the ``file`` of the task; only ``file``, ``ok`` and
            ``findings`` for a file without a task.
    """
    verdict = "good" if result["ok"] else "BAD " if is_wrong(result) else "open"
    echo(f"{verdict}  {visible_line(result['file'])}{_facts(result)}")
    problems = (f"{each['severity']}: {Problem(each['path'], each['message'])}" for each in result["findings"])
    for line in first_lines(problems):
        echo(f"      {line}")


def is_wrong(result: Mapping[str, Any]) -> bool:
    """Whether a task has an error, rather than an undecided property."""
    return any(finding["severity"] == "error" for finding in result["findings"])


def _facts(result: Mapping[str, Any]) -> str:
    if result.get("optimal_steps") is None:
        return ""
    facts = f": {result['optimal_steps']} of {result['max_steps']} actions, {result['states_seen']} states"
    dead_end = result["dead_end"]
    return facts + (f", dead end after {len(dead_end)}: {' '.join(dead_end)}" if dead_end else "")


@command()
def validate(
    paths: list[str] = typer.Argument(
        ..., metavar="PATH", help="Task files, folders of them, suites, or SUITE/TASK_ID."
    ),
    tiling: Tiling = "square",
    max_states: MaxStates = DEFAULT_MAX_STATES,
    max_table_states: MaxTableStates = 100_000,
    workers: Workers = None,
    strict: bool = typer.Option(False, "--strict", help="Treat warnings about files as errors."),
    as_json: AsJson = False,
) -> None:
    """Check that tasks are well-formed and solvable.

    A plan must fit the step budget, and annotations must be true. A bad file does not stop the others. Exit code 1
    if any task is wrong (BAD) or undecided (open).
    """
    from multinet_eval.support.parallel import parallel_map

    get_registry().tilings.get(tiling)
    leniency = "error" if strict else "warning"
    check = partial(_check, tiling=tiling, max_states=max_states, max_table_states=max_table_states, leniency=leniency)
    results = []
    with finding_task_files(paths) as folders:
        files = [file for folder in folders for file in folder]
        with parallel_map(check, files, workers) as checked:
            for result in with_progress_between(_with_unique_ids(folders, checked), len(files), "checking"):
                results.append(result)
                if not as_json:
                    _print_check(result)
    if not results:
        raise ArgumentError(f"no tasks (JSON files with a maze) in {', '.join(paths)}")
    bad = sum(not result["ok"] for result in results)
    undecided = sum(not result["ok"] and not is_wrong(result) for result in results)
    if as_json:
        echo_json(results)
    else:
        verb = "is" if len(results) == 1 else "are"
        rest = f", {undecided} undecided" if undecided else ""
        echo(f"{len(results) - bad} of {counted(len(results), 'task')} {verb} good{rest}")
    if bad:
        raise typer.Exit(FAILED)


def _with_unique_ids(
    folders: Iterable[list[TaskFile]], checked: Iterator[dict[str, Any] | None]
) -> Iterator[dict[str, Any]]:
    """Yield the result of every file; ids must be unique within a folder."""
    for files in folders:
        first_of: dict[str, str] = {}
        for result in islice(checked, len(files)):
            if result is not None:
                yield _unless_taken(result, first_of)


def _unless_taken(result: dict[str, Any], first_of: dict[str, str]) -> dict[str, Any]:
    """Mark a result as bad if an earlier file of the folder has the task's id; `first_of` maps each id to its file."""
    task_id = result.get("task_id")
    first = result["file"] if task_id is None else first_of.setdefault(task_id, result["file"])
    if first == result["file"]:
        return result
    finding = {"severity": "error", "path": "task_id", "message": f"'{task_id}' is already the id of {first}"}
    return {**result, "ok": False, "findings": [finding, *result["findings"]]}


def _check(file: TaskFile, tiling: str, max_states: int, max_table_states: int, leniency: str) -> dict[str, Any] | None:
    """Check one file, whatever its faults; None for a JSON file of a folder that is not a task.

    `leniency` is the severity of warnings.
    """
    from gridworld.solver import check_task
    from gridworld.task.reading import is_task, load_json, read_task

    try:
        data = load_json(file.path)
        if file.listed and not is_task(data):
            return None
        read = read_task(data, get_registry(), str(file.path))
        report = check_task(compile_on(tiling, read.task), max_states, max_table_states).to_dict()
    except TaskError as error:
        findings = [{"severity": "error", "path": each.path, "message": each.message} for each in error.problems]
        return {"file": file.name, "ok": False, "findings": findings}
    except PluginFault as fault:
        return _unusable(file.name, str(fault))
    except OSError as error:
        return _unusable(file.name, f"cannot be read: {error.strerror}")
    odd = [{"severity": leniency, "path": each.path, "message": each.message} for each in read.warnings]
    ok = report["ok"] and (leniency != "error" or not odd)
    return {"file": file.name, **report, "ok": ok, "findings": [*report["findings"], *odd]}


def _unusable(name: str, message: str) -> dict[str, Any]:
    finding = {"severity": "error", "path": "", "message": message}
    return {"file": name, "ok": False, "findings": [finding]}


@command()
def verify_tasks(
    paths: list[str] = typer.Argument(..., metavar="PATH", help="Task files, folders of them, or suites."),
    workers: Workers = None,
    as_json: AsJson = False,
) -> None:
    """Verify the certificates of generated tasks.

    Plans are replayed, shorter ones are searched, and tasks are generated again from their seeds. Tasks generated
    as a set are verified together: none may be missing, and what is equal or different in all of them. Exit code 1
    if anything is not as certified.
    """
    from multinet_eval.support.parallel import parallel_map

    results = []
    with finding_task_files(paths) as folders:
        files = [file for folder in folders for file in folder]
        with parallel_map(_verify, _sets(files), workers) as verified:
            rows = (row for of_set in verified for row in of_set)
            for result in with_progress_between(rows, len(files), "verifying"):
                results.append(result)
                if not as_json:
                    _print_verified(result)
    bad = sum(not result["ok"] for result in results)
    if as_json:
        echo_json(results)
    else:
        echo(f"{len(results) - bad} of {counted(len(results), 'task')} verified")
    if bad:
        raise typer.Exit(FAILED)


def _sets(files: Sequence[TaskFile]) -> list[list[TaskFile]]:
    """Group the files of each folder by the sets their tasks were generated in."""
    from gridworld.generation.verifying import set_of

    found: dict[object, list[TaskFile]] = {}
    for file in files:
        try:
            task = _read(file)
            belonging = None if task is None else set_of(task)
        except (TaskError, OSError):  # reported in its own row
            belonging = None
        found.setdefault((file.path.parent, belonging or file.path.name), []).append(file)
    return list(found.values())


def _read(file: TaskFile) -> TaskSpecification | None:
    """Read the task of a file; None for a JSON file of a folder that is not a task."""
    from gridworld.task.reading import is_task, load_json, read_task

    data = load_json(file.path)
    return None if file.listed and not is_task(data) else read_task(data, get_registry(), str(file.path)).task


def _verify(files: Sequence[TaskFile]) -> list[dict[str, Any]]:
    """Verify the files of one set, or a single file."""
    from gridworld.generation.verifying import verify_together

    try:
        read = [(file.name, task) for file in files if (task := _read(file)) is not None]
        found = verify_together([task for _, task in read])
    except TaskError as error:
        return [_row(file.name, map(str, error.problems)) for file in files]
    except OSError as error:
        return [_row(file.name, [f"cannot be read: {error.strerror}"]) for file in files]
    whole = zip(read, found, strict=True)
    return [_row(name, map(str, result.problems), result.notes) for (name, _), result in whole]


def _row(file: str, problems: Iterable[str], notes: Iterable[str] = ()) -> dict[str, Any]:
    listed = list(problems)
    return {"file": file, "ok": not listed, "problems": listed, "notes": list(notes)}


def _print_verified(result: dict[str, Any]) -> None:
    echo(f"{'ok' if result['ok'] else 'BAD':4s} {result['file']}")
    for line in (*first_lines(result["problems"]), *first_lines(result["notes"])):
        echo(f"     {line}")


@command()
def seal_tasks(
    suite: str = typer.Argument(..., metavar="DIR", help="Folder of task files, or an installed suite."),
    check: str | None = typer.Option(None, metavar="SHA256", help="Seal that the tasks must have."),
) -> None:
    """Print or check a SHA-256 of the tasks' contents.

    Publish it before the tasks are used. It does not depend on names, order or formatting of files. Exit code 1 if
    the tasks do not match --check.
    """
    from gridworld.generation.canonical import is_seal, seal

    if check is not None and not is_seal(check):
        raise ArgumentError(f"--check: expected 64 hexadecimal digits, got '{check}'")
    tasks = find_suite(suite)
    found = seal(tasks)
    if check is None:
        echo(found)
    elif found != check.lower():
        echo(f"{suite}: not the sealed tasks: {counted(len(tasks), 'task')} with the seal {found}")
        raise typer.Exit(FAILED)
    else:
        echo(f"{suite}: {counted(len(tasks), 'task')} as sealed")
