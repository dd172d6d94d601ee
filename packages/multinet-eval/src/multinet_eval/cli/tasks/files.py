"""``multinet tasks schema`` and ``upgrade``: the format of task files, and older files rewritten in it."""

from __future__ import annotations

import json
from enum import StrEnum
from pathlib import Path
from typing import Any

import typer

from gridworld.errors import ArgumentError, TaskError
from gridworld.plugins import get_registry
from gridworld.support.files import exists, is_folder, write_bytes, write_text
from gridworld.support.wording import counted
from multinet_eval.cli.commands import command
from multinet_eval.cli.echo import echo, echo_json
from multinet_eval.cli.errors import FAILED
from multinet_eval.cli.options import AsJson
from multinet_eval.cli.output_files import refuse_file_as_folder, refuse_output
from multinet_eval.cli.tasks.finding import TaskFile, list_task_files
from multinet_eval.support.output import json_text, writing_to


@command()
def schema(
    output: Path | None = typer.Option(
        None, "--output", "-o", metavar="FILE", help="File to write instead of printing."
    ),
) -> None:
    """Print the JSON Schema (draft 2020-12) of task files, for editors and validators.

    It covers every installed mechanism and goal type, including those of plugins.
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
    output: Path | None = typer.Option(
        None,
        "--output",
        "-o",
        metavar="FOLDER|FILE",
        help="Folder for the results, or .json file of one; default: in place.",
    ),
    as_json: AsJson = False,
) -> None:
    """Rewrite older task files in the current format, in place unless --output is given, and list the changes.

    Fields without a place in it are kept under metadata.legacy. A file that cannot be rewritten or has no valid task
    stays as it is and does not stop the others. Exit code 1 if there is any.
    """
    results = []
    for file, target in _find_files(paths, output):
        result = _upgrade_file(file, target)
        if result is not None:
            results.append(result)
            if not as_json:
                _print_upgrade(result)
    bad = sum(bool(result["problems"]) for result in results)
    changed = sum(bool(result["changes"]) for result in results)
    unchanged = len(results) - changed - bad
    if as_json:
        echo(json.dumps(results, indent=2))
    else:
        in_place = any(result["written"] == Written.IN_PLACE for result in results)
        advice = "; rewritten in place: to keep the older files, use -o" if in_place else ""
        echo(f"{changed} of {counted(len(results), 'task')} upgraded, {unchanged} unchanged{advice}")
    if bad:
        raise typer.Exit(FAILED)


def _find_files(paths: list[str], output: Path | None) -> list[tuple[TaskFile, Path]]:
    """Find all JSON files of the paths, with their targets.

    Raises:
        ArgumentError: a path does not exist, a folder has no JSON file, `output` is unsuitable or not writable,
            or two files have the same target.
    """
    # one file may be written under a name instead of into a folder
    named = output is not None and output.suffix == ".json" and not output.is_dir()
    named = named and len(paths) == 1 and not is_folder(paths[0])
    if named:
        refuse_output(output)
    elif output is not None:
        refuse_file_as_folder(output)
    targets: dict[Path, TaskFile] = {}
    for text in paths:
        if not exists(text):
            raise ArgumentError(f"{text}: no such file or folder")
        for file in list_task_files(text, Path(text)):
            target = file.path if output is None else output if named else output / file.inside
            first = targets.setdefault(target, file)
            if first.path.resolve() != file.path.resolve():
                raise ArgumentError(f"--output: {first.path} and {file.path} would both be written to {target}")
    return [(file, target) for target, file in targets.items()]


class Written(StrEnum):
    """Effect of an upgrade on the target file."""

    NOTHING = "nothing"
    """The target file is unchanged."""
    NEW = "new"
    IN_PLACE = "in place"
    """The older file was replaced."""
    OVER = "over another"
    """Another file was replaced."""


def _upgrade_file(file: TaskFile, target: Path) -> dict[str, Any] | None:
    """Upgrade one file; None for a JSON file of a folder that is not a task.

    Raises:
        GridworldError: `target` cannot be written.
    """
    from gridworld.task.reading import is_task, load_json
    from gridworld.task.upgrading import upgrade_task
    from gridworld.task.writing import contents_to_text

    outcome = {"file": file.name, "target": str(target), "written": Written.NOTHING.value}
    try:
        data = load_json(file.path)
        if file.listed and not is_task(data):
            return None
        upgraded = upgrade_task(data, get_registry(), str(file.path))
        content = contents_to_text(upgraded.contents).encode() if upgraded.changes else file.path.read_bytes()
    except TaskError as error:
        return {**outcome, "changes": [], "problems": [str(problem) for problem in error.problems]}
    except OSError as error:
        return {**outcome, "changes": [], "problems": [f"cannot be read: {error.strerror}"]}
    in_place = target.resolve() == file.path.resolve()
    if upgraded.changes or not in_place:
        outcome["written"] = (Written.IN_PLACE if in_place else Written.OVER if target.exists() else Written.NEW).value
        _write(target, content)
    return {**outcome, "changes": [str(change) for change in upgraded.changes], "problems": []}


def _write(target: Path, content: bytes) -> None:
    with writing_to(target):
        target.parent.mkdir(parents=True, exist_ok=True)
        write_bytes(target, content)


def _print_upgrade(result: dict[str, Any]) -> None:
    verdict = "BAD" if result["problems"] else "upgraded" if result["changes"] else "unchanged"
    place = {
        Written.NOTHING: "",
        Written.NEW: f", written to {result['target']}",
        Written.IN_PLACE: ", in place",
        Written.OVER: f", written over {result['target']}",
    }[Written(result["written"])]
    echo(f"{verdict:9s}  {result['file']}{place}")
    for line in result["problems"] or result["changes"]:
        echo(f"           {line}")
