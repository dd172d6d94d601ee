"""What the task commands share: compiling tasks, and their common options."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

if TYPE_CHECKING:
    from gridworld.task_spec import TaskSpecification
    from gridworld.world import World

__all__ = [
    "AsJson",
    "MaxStates",
    "TaskName",
    "Tiling",
    "compile_on",
    "with_progress",
]

Row = TypeVar("Row")

TaskName = Annotated[str, typer.Argument(metavar="TASK", help="A task file, or SUITE/TASK_ID of an installed suite.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Tiling = Annotated[str, typer.Option("--tiling", help="Lay the task out on this tiling.")]
MaxStates = Annotated[int, typer.Option("--max-states", min=1, help="Give up a search after this many states.")]


def compile_on(tiling: str, task: TaskSpecification) -> World:
    """A task compiled on an installed tiling.

    Raises:
        UnknownNameError: no such tiling is installed.
        InvalidTaskError: the task is invalid on it.
    """
    from gridworld.plugins.tilings import find_tiling, lay_out
    from gridworld.world import compile_world

    return compile_world(task, lay_out(find_tiling(tiling), task))


def with_progress(rows: Iterable[Row], total: int, description: str) -> Iterable[Row]:
    """The same rows, with a bar on standard error that follows them; there is none where that is no terminal."""
    from rich.progress import track

    from multinet_eval.cli.rich_console import make_console

    console = make_console()
    return track(rows, description, total, console=console, transient=True, disable=not console.is_terminal)
