"""``multinet tasks validate``: structural checks and checks by the solver, for many files at once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from itertools import islice
from typing import Annotated, Any

import typer

from gridworld.solver.solution import DEFAULT_MAX_STATES
from gridworld.support.wording import counted
from multinet_eval.cli.echo import echo, echo_json
from multinet_eval.cli.errors import FAILED, exit_on_error
from multinet_eval.cli.options import AsJson, DisablePlugin, load_plugins
from multinet_eval.cli.row_bars import with_progress_between
from multinet_eval.cli.tasks.check_text import is_wrong, tell_check
from multinet_eval.cli.tasks.common import (
    MaxStates,
    MaxTableStates,
    TaskFile,
    Tiling,
    Workers,
    finding_task_files,
)

__all__ = ["validate"]


def validate(
    paths: Annotated[
        list[str], typer.Argument(metavar="PATH...", help="Task files, folders of them, suites, or SUITE/TASK_ID.")
    ],
    tiling: Tiling = "square",
    max_states: MaxStates = DEFAULT_MAX_STATES,
    max_table_states: MaxTableStates = 100_000,
    workers: Workers = None,
    strict: Annotated[bool, typer.Option("--strict", help="Refuse files that are read with a warning.")] = False,
    as_json: AsJson = False,
    disable_plugin: DisablePlugin = None,
) -> None:
    """Check tasks: are they well-formed, can they be won within their budget, are their annotations true?

    A bad file does not stop the others. Exit code 1 when anything is wrong (BAD) or could not be decided (open).
    """
    with exit_on_error():
        load_plugins(disable_plugin, strict=False)
        from gridworld.errors import ArgumentError
        from gridworld.plugins import get_registry
        from multinet_eval.cli.tasks.spreading import spread

        get_registry().tilings.get(tiling)
        leniency = "error" if strict else "warning"
        check = partial(
            _check, tiling=tiling, max_states=max_states, max_table_states=max_table_states, leniency=leniency
        )
        results = []
        with finding_task_files(paths) as folders:
            files = [file for folder in folders for file in folder]
            with spread(check, files, workers) as checked:
                for result in with_progress_between(_with_unique_ids(folders, checked), len(files), "checking"):
                    results.append(result)
                    if not as_json:
                        tell_check(result)
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
    """What is to be said about every file of every folder; no two tasks of one folder may have the same id."""
    for files in folders:
        first_of: dict[str, str] = {}
        for result in islice(checked, len(files)):
            if result is not None:
                yield _unless_taken(result, first_of)


def _unless_taken(result: dict[str, Any], first_of: dict[str, str]) -> dict[str, Any]:
    """The same result, bad if an earlier file of the folder has the task's id; `first_of` maps ids to files."""
    task_id = result.get("task_id")
    first = result["file"] if task_id is None else first_of.setdefault(task_id, result["file"])
    if first == result["file"]:
        return result
    finding = {"severity": "error", "path": "task_id", "message": f"'{task_id}' is already the id of {first}"}
    return {**result, "ok": False, "findings": [finding, *result["findings"]]}


def _check(file: TaskFile, tiling: str, max_states: int, max_table_states: int, leniency: str) -> dict[str, Any] | None:
    """What is to be said about one file; nothing in it stops the check of the next one.

    A JSON file in a folder that is not meant to be a task is passed over: None. `leniency` is the severity of what is
    read with a warning.
    """
    from gridworld.errors import PluginFault, TaskError
    from gridworld.plugins import get_registry
    from gridworld.plugins.faults import blaming_in
    from gridworld.plugins.tilings import compile_on
    from gridworld.solver import check_task
    from gridworld.task.reading import is_task, load_json, read_task

    try:
        data = load_json(file.path)
        if file.listed and not is_task(data):
            return None
        read = read_task(data, get_registry(), str(file.path))
        owner = get_registry().tilings.describe(tiling)
        with blaming_in(read.task, owner, f"when the task '{read.task.task_id}' was checked"):
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
