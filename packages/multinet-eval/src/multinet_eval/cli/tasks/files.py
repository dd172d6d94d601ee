"""``multinet tasks schema`` and ``upgrade``: the format of task files, and older files rewritten in it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import typer

from gridworld.errors import ArgumentError, TaskError
from gridworld.plugins import get_registry
from gridworld.support.files import exists, write_bytes, write_text
from gridworld.support.wording import counted, first_lines
from multinet_eval.cli.commands import command
from multinet_eval.cli.echo import echo, echo_json
from multinet_eval.cli.errors import FAILED
from multinet_eval.cli.options import AsJson
from multinet_eval.cli.tasks.finding import TaskFile, list_task_files
from multinet_eval.support.output import json_text, writing_to


@command()
def schema(
    output: Path | None = typer.Option(
        None, "--output", "-o", metavar="FILE", help="File to write instead of printing."
    ),
) -> None:
    """Print the JSON Schema of task files.

    It follows draft 2020-12 and covers every installed mechanism and goal type, including those of plugins.
    """
    from gridworld.task.schema import task_schema

    found = task_schema(get_registry())
    if output is None:
        echo_json(found)
    else:
        with writing_to(output):
            write_text(output, json_text(found) + "\n")


@command()
def upgrade(
    paths: list[str] = typer.Argument(..., metavar="PATH", help="Task files, or folders of them."),
    as_json: AsJson = False,
) -> None:
    """Rewrite older task files in the current format, in place.

    Changes are listed. Fields without a place in it are kept under metadata.legacy. A file that cannot be rewritten
    or has no valid task stays as it is and does not stop the others. Exit code 1 if there is any.
    """
    for text in paths:
        if not exists(text):
            raise ArgumentError(f"{text}: no such file or folder")
    results = []
    for file in (file for text in paths for file in list_task_files(text, Path(text))):
        result = _upgrade_file(file)
        if result is not None:
            results.append(result)
            if not as_json:
                _print_upgrade(result)
    bad = sum(bool(result["problems"]) for result in results)
    changed = sum(bool(result["changes"]) for result in results)
    if as_json:
        echo_json(results)
    else:
        unchanged = len(results) - changed - bad
        echo(f"{changed} of {counted(len(results), 'task')} upgraded, {unchanged} unchanged")
    if bad:
        raise typer.Exit(FAILED)


def _upgrade_file(file: TaskFile) -> dict[str, Any] | None:
    """Upgrade one file; None for a JSON file of a folder that is not a task.

    Raises:
        GridworldError: the file cannot be written.
    """
    from gridworld.task.reading import is_task, load_json
    from gridworld.task.upgrading import upgrade_task
    from gridworld.task.writing import contents_to_text

    try:
        data = load_json(file.path)
        if file.listed and not is_task(data):
            return None
        upgraded = upgrade_task(data, get_registry(), str(file.path))
    except TaskError as error:
        return {"file": file.name, "changes": [], "problems": [str(problem) for problem in error.problems]}
    except OSError as error:
        return {"file": file.name, "changes": [], "problems": [f"cannot be read: {error.strerror}"]}
    if upgraded.changes:
        with writing_to(file.path):
            write_bytes(file.path, contents_to_text(upgraded.contents).encode())
    return {"file": file.name, "changes": [str(change) for change in upgraded.changes], "problems": []}


def _print_upgrade(result: dict[str, Any]) -> None:
    verdict = "BAD" if result["problems"] else "upgraded" if result["changes"] else "unchanged"
    echo(f"{verdict:9s}  {result['file']}")
    for line in first_lines(result["problems"] or result["changes"]):
        echo(f"           {line}")
