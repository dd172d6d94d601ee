"""``multinet runs export`` and ``render``: a recorded run as a table, an episode as an animation."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from multinet_eval.cli.echo import echo
from multinet_eval.cli.errors import exit_on_error
from multinet_eval.cli.options import BackendArgument, DisablePlugin, load_plugins
from multinet_eval.cli.output_files import ANIMATED, Milliseconds, check_picture_file, refuse_output
from multinet_eval.cli.recording import RunPath


class FormatChoice(StrEnum):
    """The choices of ``--format``."""

    CSV = "csv"
    PARQUET = "parquet"
    JSONL = "jsonl"


class RowsChoice(StrEnum):
    """The choices of ``--rows``."""

    EPISODES = "episodes"
    STEPS = "steps"


def export(
    directory: RunPath,
    form: Annotated[
        FormatChoice, typer.Option("--format", help="Parquet needs pip install 'multinet-eval\\[export]'.")
    ],
    output: Annotated[Path, typer.Option("--output", "-o", metavar="FILE", help="The file to write.")],
    rows: Annotated[RowsChoice, typer.Option("--rows", help="What has a row of its own.")] = RowsChoice.EPISODES,
) -> None:
    """Write a recorded run as a table with one row for each episode of its plan, or for each step."""
    with exit_on_error():
        refuse_output(output)
        from multinet_eval.record.export import export_run
        from multinet_eval.record.run_directory import RunDirectory

        number = export_run(RunDirectory(directory), output, form.value, rows.value)
        echo(f"{number} {rows.value} in {output}", err=True)


def render_episode(
    directory: RunPath,
    episode: Annotated[
        int, typer.Argument(metavar="EPISODE", help="Its number, as 'multinet runs show DIR --episodes' lists it.")
    ],
    output: Annotated[Path, typer.Option("--output", "-o", metavar="FILE", help="A .gif or .webp.")],
    milliseconds: Milliseconds = 250,
    backend_arg: BackendArgument = None,
    disable_plugin: DisablePlugin = None,
) -> None:
    """Draw what the model did in a recorded episode; no model is asked.

    The recorded actions are taken once more, and what they do has to be what was recorded of them. Of simulators that
    are not built on the kernel, the pictures are those that the model was shown.
    """
    with exit_on_error():
        check_picture_file(output, ANIMATED)
        load_plugins(disable_plugin, strict=False)
        from multinet_eval.datasets.episode_pictures import draw_episode
        from multinet_eval.datasets.pictures import save_animation
        from multinet_eval.record.run_directory import RunDirectory

        save_animation(draw_episode(RunDirectory(directory), episode, backend_arg or ()), output, milliseconds)
