"""``multinet runs export`` and ``render``: a recorded run as a table, an episode as an animation."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from multinet_eval.cli.commands import REQUIRED, argument, command, option
from multinet_eval.cli.echo import echo
from multinet_eval.cli.options import BackendArgument, RunPath
from multinet_eval.cli.output_files import ANIMATED, Milliseconds, check_picture_file, refuse_output


@command(plugins="loaded")
def export(
    directory: RunPath,
    form: Literal["csv", "parquet", "jsonl"] = option(
        REQUIRED, "Parquet needs pip install 'multinet-eval\\[export]'.", "--format"
    ),
    output: Path = option(REQUIRED, "The file to write.", "-o", metavar="FILE"),
    rows: Literal["episodes", "steps"] = option("episodes", "What has a row of its own."),
) -> None:
    """Write a recorded run as a table with one row for each episode of its plan, or for each step."""
    refuse_output(output)
    from multinet_eval.record.export import export_run
    from multinet_eval.record.run_directory import RunDirectory

    number = export_run(RunDirectory(directory), output, form, rows)
    echo(f"{number} {rows} in {output}", err=True)


@command(plugins="loaded")
def render_episode(
    directory: RunPath,
    episode: int = argument(
        REQUIRED, "Its number, as 'multinet runs show DIR --episodes' lists it.", metavar="EPISODE"
    ),
    output: Path = option(REQUIRED, "A .gif or .webp.", "-o", metavar="FILE"),
    milliseconds: Milliseconds = 250,
    backend_arg: BackendArgument = None,
) -> None:
    """Draw what the model did in a recorded episode; no model is asked.

    The recorded actions are taken once more, and what they do has to be what was recorded of them. Of simulators that
    are not built on the kernel, the pictures are those that the model was shown.
    """
    check_picture_file(output, ANIMATED)
    from multinet_eval.datasets.episode_pictures import draw_episode
    from multinet_eval.datasets.pictures import save_animation
    from multinet_eval.record.run_directory import RunDirectory

    save_animation(draw_episode(RunDirectory(directory), episode, backend_arg or ()), output, milliseconds)
