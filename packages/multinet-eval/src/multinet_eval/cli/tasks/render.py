"""``multinet tasks render``: a picture of a task's start, or its optimal run animated."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from gridworld.solver.solution import DEFAULT_MAX_STATES
from multinet_eval.cli.errors import exit_on_error
from multinet_eval.cli.options import (
    BACKEND,
    BackendArgument,
    BackendName,
    DisablePlugin,
    load_plugins,
)
from multinet_eval.cli.picture_files import ANIMATED, STILL, Milliseconds, check_picture_file
from multinet_eval.cli.tasks.common import MaxStates, TaskName, find_task, telling_of_no_plan

__all__ = ["render"]


def render(
    task: TaskName,
    output: Annotated[
        Path,
        typer.Option("--output", "-o", metavar="FILE", help="A .png (the start), .gif or .webp (the optimal run)."),
    ],
    backend: BackendName = None,
    backend_arg: BackendArgument = None,
    tiling: Annotated[
        str | None, typer.Option("--tiling", help="Draw the task on this tiling.", rich_help_panel=BACKEND)
    ] = None,
    milliseconds: Milliseconds = 250,
    max_states: MaxStates = DEFAULT_MAX_STATES,
    disable_plugin: DisablePlugin = None,
) -> None:
    """Draw a task: its start as a still image, or its optimal run as an animation."""
    from multinet_eval.settings.plugin_objects import make_backend, make_kernel_backend

    with exit_on_error():
        load_plugins(disable_plugin, strict=False)

        check_picture_file(output, (*STILL, *ANIMATED))
        arguments = backend_arg or []
        from multinet_eval.datasets.pictures import draw_run, draw_start, save_animation, save_still

        if output.suffix.lower() in ANIMATED:
            plannable = make_kernel_backend(backend, arguments, tiling)
            with telling_of_no_plan("--max-states"):
                save_animation(draw_run(plannable, find_task(task), max_states), output, milliseconds)
        else:
            save_still(draw_start(make_backend(backend, arguments, tiling), find_task(task)), output)
