"""``multinet runs remove``: remove recorded runs with all that is in their folders."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from multinet_eval.cli.echo import echo
from multinet_eval.cli.errors import exit_on_error
from multinet_eval.cli.options import Yes, confirm_removal
from multinet_eval.cli.recording import TakeOver

if TYPE_CHECKING:
    from multinet_eval.record.summary import RunSummary

__all__ = ["remove"]


def remove(
    directories: Annotated[list[Path], typer.Argument(metavar="DIR...", help="The folders of recorded runs.")],
    yes: Yes = False,
    take_over: TakeOver = False,
) -> None:
    """Remove recorded runs, damaged ones too, with all that is in their folders.

    Nothing is removed if one of the folders is not a run, or is that of a run being played.
    """
    with exit_on_error():
        from multinet_eval.record.lock import check_removable, remove_run
        from multinet_eval.record.summary import summarize_run

        for directory in directories:
            check_removable(directory, take_over)
        if not yes:
            confirm_removal(_described(summarize_run(directory)) for directory in directories)
        for directory in directories:
            remove_run(directory, take_over)
            echo(f"removed {directory}")


def _described(run: RunSummary) -> str:
    from gridworld.support.wording import visible_line

    if run.problem is not None:
        return f"{run.path}: {run.problem}"
    return visible_line(f"{run.path}: {run.model} on {run.suite}, {run.finished} of {run.planned} episodes finished")
