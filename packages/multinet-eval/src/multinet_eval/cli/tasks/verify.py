"""``multinet tasks verify``: proves the certificates of tasks anew."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from gridworld.support.wording import counted
from multinet_eval.cli.echo import echo, echo_json
from multinet_eval.cli.errors import FAILED, exit_on_error
from multinet_eval.cli.options import DisablePlugin, load_plugins
from multinet_eval.cli.tasks.common import AsJson, TaskFile, Workers, find_task_files, with_progress_between

__all__ = ["verify_tasks"]


def verify_tasks(
    paths: Annotated[list[str], typer.Argument(metavar="PATH...", help="Task files, folders of them, or suites.")],
    workers: Workers = None,
    as_json: AsJson = False,
    disable_plugin: DisablePlugin = None,
) -> None:
    """Prove certificates anew: play the plans, search for shorter ones, and draw the tasks again from their seeds.

    Exit code 1 when anything is not as it says.
    """
    with exit_on_error():
        load_plugins(disable_plugin, strict=False)
        from multinet_eval.cli.tasks.spreading import spread

        files = [file for folder in find_task_files(paths) for file in folder]
        results = []
        with spread(_verify, files, workers) as verified:
            known = (result for result in verified if result is not None)
            for result in with_progress_between(known, len(files), "verifying"):
                results.append(result)
                if not as_json:
                    _say(result)
        bad = sum(not result["ok"] for result in results)
        if as_json:
            echo_json(results)
        else:
            echo(f"{len(results) - bad} of {counted(len(results), 'task')} verified")
        if bad:
            raise typer.Exit(FAILED)


def _verify(file: TaskFile) -> dict[str, Any] | None:
    """What is to be said about a file; None for one in a folder that is not meant to be a task."""
    from gridworld.errors import TaskError
    from gridworld.generation.verifying import verify
    from gridworld.plugins import get_registry
    from gridworld.task.reading import is_task, load_json, read_task

    try:
        data = load_json(file.path)
        if file.listed and not is_task(data):
            return None
        found = verify(read_task(data, get_registry(), str(file.path)).task)
    except TaskError as error:
        return {"file": file.name, "ok": False, "problems": [str(problem) for problem in error.problems], "notes": []}
    except OSError as error:
        return {"file": file.name, "ok": False, "problems": [f"cannot be read: {error.strerror}"], "notes": []}
    return {
        "file": file.name,
        "ok": found.ok,
        "problems": [str(problem) for problem in found.problems],
        "notes": list(found.notes),
    }


def _say(result: dict[str, Any]) -> None:
    echo(f"{'ok' if result['ok'] else 'BAD':4s} {result['file']}")
    for line in (*result["problems"], *result["notes"]):
        echo(f"     {line}")
