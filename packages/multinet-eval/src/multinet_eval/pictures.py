"""Pictures of tasks as files: a still of the start, or the optimal run animated."""

from __future__ import annotations

from collections.abc import Sequence
from io import BytesIO
from pathlib import Path

import numpy as np
from PIL import Image

from gridworld.backends.base import AbstractGridBackend
from gridworld.errors import GridworldError
from gridworld.files import write_bytes
from gridworld.solver.plans import winning_plan
from gridworld.solver.search import DEFAULT_MAX_STATES
from gridworld.task_spec import TaskSpecification

__all__ = ["draw_run", "draw_start", "save_animation", "save_still"]


def draw_start(backend: AbstractGridBackend, task: TaskSpecification) -> np.ndarray:
    """The start of a task: an RGB picture of shape (height, width, 3), uint8; the backend is left there.

    Raises:
        InvalidTaskError: the task cannot be.
    """
    backend.configure(task)
    backend.reset(seed=task.seed)
    picture: np.ndarray = backend.render()
    return picture


def draw_run(
    backend: AbstractGridBackend, task: TaskSpecification, max_states: int = DEFAULT_MAX_STATES
) -> list[np.ndarray]:
    """The pictures of a shortest run, the start first.

    Raises:
        InvalidTaskError: the task cannot be.
        NoPlanError: the solver finds no plan within the budget of steps.
    """
    frames = [draw_start(backend, task)]
    for action in winning_plan(backend.world, max_states):
        backend.step(action)
        frames.append(backend.render())
    return frames


def save_still(picture: np.ndarray, path: Path) -> None:
    """Write a picture; the ending of the name says in which format.

    Raises:
        GridworldError: the file cannot be written.
    """
    stream = BytesIO()
    Image.fromarray(picture).save(stream, format=_format(path))
    _write(path, stream)


def save_animation(frames: Sequence[np.ndarray], path: Path, milliseconds: int) -> None:
    """Write pictures as an endless animation, ``.gif`` or ``.webp``, each shown for so many milliseconds.

    Raises:
        GridworldError: the file cannot be written.
    """
    first, *rest = (Image.fromarray(frame) for frame in frames)
    stream = BytesIO()
    options = {"append_images": rest, "duration": milliseconds, "loop": 0, "lossless": True}
    first.save(stream, format=_format(path), save_all=True, **options)
    _write(path, stream)


def _format(path: Path) -> str:
    return path.suffix.lower().removeprefix(".")


def _write(path: Path, stream: BytesIO) -> None:
    try:
        write_bytes(path, stream.getvalue())
    except OSError as error:
        raise GridworldError(f"cannot write {path}: {error.strerror}") from error
