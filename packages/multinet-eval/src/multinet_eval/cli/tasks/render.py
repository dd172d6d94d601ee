"""``multinet tasks render``: a picture of a task's start, or its optimal run animated."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from multinet_eval.cli.errors import exit_on_error
from multinet_eval.cli.options import (
    BACKEND,
    BackendArgument,
    BackendName,
    DisablePlugin,
    load_plugins,
    make_backend,
)
from multinet_eval.cli.tasks.common import MaxStates, TaskName, find_task

if TYPE_CHECKING:
    from gridworld.backends.base import AbstractGridBackend
    from gridworld.task_spec import TaskSpecification

__all__ = ["render"]

STILL, ANIMATED = (".png",), (".gif", ".webp")


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
    milliseconds: Annotated[
        int, typer.Option("--milliseconds", min=20, max=60_000, help="How long each frame is shown.")
    ] = 250,
    max_states: MaxStates = 1_000_000,
    disable_plugin: DisablePlugin = None,
) -> None:
    """Draw a task: its start as a still picture, or its optimal run as an animation."""
    with exit_on_error():
        load_plugins(disable_plugin, strict=False)
        _check_output(output)
        made = make_backend(backend, backend_arg or [], tiling)
        specification = find_task(task)
        made.configure(specification)
        made.reset(seed=specification.seed)
        frames = [made.render()]
        if output.suffix.lower() in ANIMATED:
            frames += _play(made, specification, max_states)
        _save(frames, output, milliseconds)


def _check_output(output: Path) -> None:
    from gridworld.errors import ArgumentError

    if output.suffix.lower() not in (*STILL, *ANIMATED):
        raise ArgumentError(f"--output: expected a name ending in .png, .gif or .webp, got {output.name}")
    if not output.parent.is_dir():
        raise ArgumentError(f"--output: the folder {output.parent} does not exist")


def _play(backend: AbstractGridBackend, task: TaskSpecification, max_states: int) -> list[Any]:
    from gridworld.solver.plans import winning_plan

    frames = []
    for action in winning_plan(backend.world, max_states):
        backend.step(action)
        frames.append(backend.render())
    return frames


def _save(frames: list[Any], output: Path, milliseconds: int) -> None:
    from io import BytesIO

    from PIL import Image

    from gridworld.errors import GridworldError
    from gridworld.files import write_bytes

    first, *rest = (Image.fromarray(frame) for frame in frames)
    stream = BytesIO()
    kind = output.suffix.lower().removeprefix(".")
    if kind == "png":
        first.save(stream, format="png")
    else:
        first.save(stream, format=kind, save_all=True, append_images=rest, duration=milliseconds, loop=0, lossless=True)
    try:
        write_bytes(output, stream.getvalue())
    except OSError as error:
        raise GridworldError(f"cannot write {output}: {error.strerror}") from error
