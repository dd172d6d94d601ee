"""``multinet runs render``: what a model did in a recorded episode, as an animation."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from multinet_eval.cli.errors import exit_on_error
from multinet_eval.cli.options import BackendArgument, DisablePlugin, load_plugins
from multinet_eval.cli.picture_files import ANIMATED, Milliseconds, check_picture_file
from multinet_eval.cli.recording import RunPath

__all__ = ["render_episode"]


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
