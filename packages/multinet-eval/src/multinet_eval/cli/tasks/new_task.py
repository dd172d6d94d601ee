"""``multinet tasks new``: a task file from a drawing."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gridworld.solver.solution import DEFAULT_MAX_STATES
from multinet_eval.cli.echo import echo
from multinet_eval.cli.errors import FAILED, exit_on_error
from multinet_eval.cli.options import DisablePlugin, load_plugins
from multinet_eval.cli.tasks.check_text import tell_check
from multinet_eval.cli.tasks.common import MaxStates, MaxTableStates, Tiling
from multinet_eval.support.output import writing_to

if TYPE_CHECKING:
    from gridworld.task_spec import TaskSpecification

__all__ = ["new_task"]

STANDARD_INPUT = "-"


def new_task(
    drawing: Annotated[
        str | None,
        typer.Argument(
            metavar="[DRAWING]", help="A text file, or - for standard input, which is also read if it is no terminal."
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FILE", help="Write the task there instead of printing it."),
    ] = None,
    tiling: Tiling = "square",
    max_states: MaxStates = DEFAULT_MAX_STATES,
    max_table_states: MaxTableStates = 100_000,
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Replace a file that holds anything else, too.")
    ] = False,
    disable_plugin: DisablePlugin = None,
) -> None:
    """Make a task of a drawing, a map of characters with a legend, and check it; without one, print an example.

    It says what the solver finds: how many actions a shortest plan takes, and what is wrong. The task is written in any
    case; exit code 1 when it cannot be won, or that could not be decided.
    """
    with exit_on_error():
        load_plugins(disable_plugin, strict=False)
        text = _read(drawing)
        if not text.strip():
            from gridworld.ascii.example import EXAMPLE

            echo(EXAMPLE.rstrip())
            return
        from gridworld.ascii import read_drawing
        from gridworld.plugins import get_registry
        from gridworld.plugins.tilings import compile_on
        from gridworld.solver import check_task

        from_file = drawing not in (None, STANDARD_INPUT)
        name = Path(drawing or "").stem if from_file else "drawing" if output is None else output.stem
        task = read_drawing(text, get_registry(), name, drawing or "" if from_file else "standard input")
        world = compile_on(tiling, task)
        if output is not None and not overwrite:
            _refuse_another_task(output, task)
        _write(task, output)
        report = check_task(world, max_states, max_table_states).to_dict()
        tell_check({"file": str(output or task.task_id), **report}, err=output is None)
        if not report["ok"]:
            raise typer.Exit(FAILED)


def _read(drawing: str | None) -> str:
    """The text of a drawing; empty if there is none.

    Raises:
        ArgumentError: it cannot be read.
    """
    from gridworld.errors import ArgumentError
    from gridworld.generation.text_sources import read_text

    if drawing not in (None, STANDARD_INPUT):
        if Path(drawing).is_dir():
            raise ArgumentError(f"{drawing}: is a folder; 'multinet tasks import ascii' reads all drawings in it")
        text = read_text(drawing)
        if not text.strip():
            raise ArgumentError(f"{drawing}: is empty; 'multinet tasks new' without a drawing prints one to begin with")
        return text
    if drawing is None and sys.stdin.isatty():
        return ""
    try:
        return sys.stdin.buffer.read().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ArgumentError(f"standard input: byte {error.start}: not UTF-8 text") from error


def _refuse_another_task(output: Path, task: TaskSpecification) -> None:
    """Refuse to replace what is not an earlier version of the same task.

    Raises:
        ArgumentError: there is such a file.
    """
    from gridworld.errors import ArgumentError, TaskError
    from gridworld.plugins import get_registry
    from gridworld.task.reading import read_task_file

    if not output.exists():
        return
    try:
        former = read_task_file(output, get_registry()).task.task_id
    except (OSError, TaskError):
        former = None
    if former != task.task_id:
        raise ArgumentError(
            f"{output} exists, and does not hold the task '{task.task_id}': replace it with --overwrite"
        )


def _write(task: TaskSpecification, output: Path | None) -> None:
    from gridworld.task.writing import task_to_json, task_to_text

    if output is None:
        echo(task_to_text(task).rstrip())
    else:
        with writing_to(output):
            task_to_json(task, output)
