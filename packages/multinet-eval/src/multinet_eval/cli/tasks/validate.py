"""``multinet tasks validate``: structural checks and checks by the solver, for many files at once."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any

import typer

from gridworld.support.wording import visible_line
from multinet_eval.cli.echo import echo, echo_json
from multinet_eval.cli.errors import FAILED, exit_on_error
from multinet_eval.cli.options import DisablePlugin, load_plugins
from multinet_eval.cli.tasks.common import AsJson, MaxStates, Tiling, compile_on

__all__ = ["validate"]


def validate(
    paths: Annotated[list[str], typer.Argument(metavar="PATH...", help="Task files, folders of them, or suites.")],
    tiling: Tiling = "square",
    max_states: MaxStates = 200_000,
    as_json: AsJson = False,
    disable_plugin: DisablePlugin = None,
) -> None:
    """Check tasks: are they well-formed, can they be won within their budget, are their annotations true?

    A bad file does not stop the others. Exit code 1 when anything is wrong or could not be decided.
    """
    with exit_on_error():
        load_plugins(disable_plugin, strict=False)
        from gridworld.plugins import get_registry

        get_registry().tilings.get(tiling)
        results = []
        for name, path in _find_files(paths):
            results.append(_check(name, path, tiling, max_states))
            if not as_json:
                _say(results[-1])
        bad = sum(not result["ok"] for result in results)
        if as_json:
            echo_json(results)
        else:
            echo(f"{len(results) - bad} of {len(results)} tasks are good")
        if bad:
            raise typer.Exit(FAILED)


def _find_files(paths: Iterable[str]) -> list[tuple[str, Path]]:
    """(shown name, file) of every task file meant.

    Raises:
        ArgumentError: a path does not exist, or a folder has no task file.
    """
    from gridworld.errors import ArgumentError
    from gridworld.plugins import get_registry
    from gridworld.plugins.suites import benchmark_folder
    from gridworld.support.files import exists
    from gridworld.support.suggestions import nearest_hint

    benchmarks = get_registry().benchmarks
    found: list[tuple[str, Path]] = []
    for text in paths:
        path = benchmark_folder(benchmarks.get(text)) if not exists(text) and text in benchmarks else Path(text)
        if not exists(str(path)):
            hint = nearest_hint(text, benchmarks.names())
            raise ArgumentError(f"{text}: no such file or folder, and no suite of that name is installed{hint}")
        files = sorted(path.rglob("*.json")) if path.is_dir() else [path]
        if not files:
            raise ArgumentError(f"{text}: no task files (*.json) in it")
        found.extend((str(file.relative_to(path)) if path.is_dir() else text, file) for file in files)
    return found


def _check(name: str, path: Path, tiling: str, max_states: int) -> dict[str, Any]:
    """What is to be said about one file; nothing in it stops the check of the next one."""
    from gridworld.errors import PluginFault, TaskError
    from gridworld.plugins.faults import blaming
    from gridworld.solver import check_task
    from gridworld.task_spec import TaskSpecification

    try:
        task = TaskSpecification.from_json(path)
        with blaming(f"tiling '{tiling}'", f"when the task '{task.task_id}' was checked"):
            report = check_task(compile_on(tiling, task), max_states)
    except TaskError as error:
        findings = [{"severity": "error", "path": each.path, "message": each.message} for each in error.problems]
        return {"file": name, "ok": False, "findings": findings}
    except PluginFault as fault:
        return _unusable(name, str(fault))
    except OSError as error:
        return _unusable(name, f"cannot be read: {error.strerror}")
    return {"file": name, **report.to_dict()}


def _unusable(name: str, message: str) -> dict[str, Any]:
    finding = {"severity": "error", "path": "", "message": message}
    return {"file": name, "ok": False, "findings": [finding]}


def _say(result: dict[str, Any]) -> None:
    echo(f"{'good' if result['ok'] else 'BAD '}  {visible_line(result['file'])}{_facts(result)}")
    for finding in result["findings"]:
        place = f"{finding['path']}: " if finding["path"] else ""
        echo(f"      {finding['severity']}: {place}{finding['message']}")


def _facts(result: dict[str, Any]) -> str:
    if result.get("optimal_steps") is None:
        return ""
    facts = f": {result['optimal_steps']} of {result['max_steps']} actions, {result['states_seen']} states"
    dead_end = result["dead_end"]
    return facts + (f", dead end after {len(dead_end)}: {' '.join(dead_end)}" if dead_end else "")
