"""Options that several commands share, as types of their parameters, and what they do."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from multinet_eval.cli.echo import echo
from multinet_eval.cli.errors import FAILED
from multinet_eval.settings.defaults import DEFAULT_BACKEND, TILING_BACKEND

if TYPE_CHECKING:
    from gridworld.model_interface import ModelInterface

SCORE, BACKEND = "Task and model", "Backend"
"""Panels in ``--help``."""


ModelArgument = Annotated[
    list[str] | None,
    typer.Option(
        "--model-arg",
        "-M",
        metavar="KEY=VALUE",
        help="An argument of the model. Repeatable.",
        rich_help_panel=SCORE,
    ),
]
ProtocolText = Annotated[
    str,
    typer.Option(
        "--protocol",
        metavar="NAME[:VALUE]",
        help="How the model is asked: step (an action a reply), chunk:K (up to K), subgoal or plan (all at once).",
        rich_help_panel=SCORE,
    ),
]
Mission = Annotated[
    Literal["goal", "description", "both"],
    typer.Option(
        "--mission", help="The goal in a sentence, the task's own description, or both.", rich_help_panel=SCORE
    ),
]
BackendName = Annotated[
    str | None,
    typer.Option(
        "--backend",
        help=f"The backend: {DEFAULT_BACKEND} by default, {TILING_BACKEND} with --tiling.",
        show_default=False,
        rich_help_panel=BACKEND,
    ),
]
BackendArgument = Annotated[
    list[str] | None,
    typer.Option(
        "--backend-arg",
        "-B",
        metavar="KEY=VALUE",
        help="An argument of the backend. Repeatable.",
        rich_help_panel=BACKEND,
    ),
]
Tilings = Annotated[
    str | None,
    typer.Option("--tiling", help="The tiling, such as hex; all for every installed one.", rich_help_panel=BACKEND),
]
PlayedTiling = Annotated[
    str | None, typer.Option("--tiling", help="Play on this tiling, such as hex.", rich_help_panel=BACKEND)
]

PageName = Annotated[
    str | None,
    typer.Option("--page", metavar="NAME", help="The writer of the page; by default the first that is installed."),
]
RunFolders = Annotated[list[Path], typer.Argument(metavar="RUN...", help="Folders of recorded runs.")]
VariedBy = Annotated[
    list[str] | None,
    typer.Option(
        "--by",
        metavar="NAME",
        help="What is varied beside the model: a part of the fingerprint, such as presentation or tilings; 'multinet "
        "compare' also takes variant. Repeatable.",
    ),
]
ScoreName = Annotated[
    str,
    typer.Option(
        "--score", metavar="NAME", help="success, spl, or a metric whose values are from 0 to 1, such as composite."
    ),
]
Weights = Annotated[
    Path | None,
    typer.Option(
        "--weights",
        metavar="FILE",
        help="Weights of metrics such as composite, a TOML file with a table for each; by default those shipped.",
    ),
]
MaxMetricStates = Annotated[
    int,
    typer.Option(
        "--max-table-states", min=1, help="Know the distances to success in tasks of no more states than this."
    ),
]
RunPath = Annotated[Path, typer.Argument(metavar="DIR", help="The folder of a recorded run.")]
RetryFaults = Annotated[
    bool, typer.Option("--retry-faults", help="Play again what ended by an error that is not the model's.")
]
TakeOver = Annotated[
    bool, typer.Option("--take-over", help="Take the run from the process that holds it, which you know to have ended.")
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Yes = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")]


def confirm_removal(things: Iterable[str]) -> None:
    """Ask whether things are to be removed; they are listed, and the program ends unless the answer is yes."""
    for thing in things:
        echo(thing, err=True)
    if not typer.confirm("Remove all of this for good?", err=True):
        echo("nothing was removed", err=True)
        raise typer.Exit(FAILED)


@contextmanager
def in_use(model: ModelInterface) -> Iterator[None]:
    """Close a model in the end.

    Raises:
        PluginFault: it cannot be closed.
    """
    from gridworld.plugins.faults import blaming

    try:
        yield
    finally:
        with blaming(f"model '{model.model_name}'", "when it was closed"):
            model.close()
