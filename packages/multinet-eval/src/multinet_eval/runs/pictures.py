"""Pictures of tasks as files: a still of the start, or the optimal run animated."""

from __future__ import annotations

from collections.abc import Sequence
from io import BytesIO
from pathlib import Path

from PIL import Image
from PIL.Image import Image as Picture

from gridworld.backends.base import AbstractGridBackend
from gridworld.backends.kernel import KernelBackend
from gridworld.runner.record import Decision
from gridworld.runner.rollout import Rollout
from gridworld.solver.plans import winning_plan
from gridworld.solver.solution import DEFAULT_MAX_STATES
from gridworld.support.files import write_bytes
from gridworld.task_spec import TaskSpecification
from multinet_eval.writing import writing_to

__all__ = ["draw", "draw_run", "draw_start", "save_animation", "save_still"]


def draw_start(backend: AbstractGridBackend, task: TaskSpecification) -> Picture:
    """The start of a task; the backend is left there.

    Raises:
        InvalidTaskError: the task is invalid.
    """
    return draw(Rollout(backend, task))


def draw_run(backend: KernelBackend, task: TaskSpecification, max_states: int = DEFAULT_MAX_STATES) -> list[Picture]:
    """The pictures of a shortest run, the start first.

    Raises:
        InvalidTaskError: the task is invalid.
        NoPlanError: the solver finds no plan within the budget of steps.
    """
    rollout = Rollout(backend, task)
    frames = [draw(rollout)]
    for action in winning_plan(backend.world, max_states):
        rollout.take(Decision.act(action))
        frames.append(draw(rollout))
    return frames


def draw(rollout: Rollout) -> Picture:
    """The present state of an episode."""
    return Image.fromarray(rollout.backend.render())


def save_still(picture: Picture, path: Path) -> None:
    """Write a picture; the ending of the name says in which format.

    Raises:
        GridworldError: the file cannot be written.
    """
    stream = BytesIO()
    picture.save(stream, format=_format(path))
    _write(path, stream)


def save_animation(frames: Sequence[Picture], path: Path, milliseconds: int) -> None:
    """Write pictures as an endless animation, ``.gif`` or ``.webp``, each shown for so many milliseconds.

    Raises:
        GridworldError: the file cannot be written.
    """
    first, *rest = frames
    stream = BytesIO()
    options = {"append_images": rest, "duration": milliseconds, "loop": 0, "lossless": True}
    first.save(stream, format=_format(path), save_all=True, **options)
    _write(path, stream)


def _format(path: Path) -> str:
    return path.suffix.lower().removeprefix(".")


def _write(path: Path, stream: BytesIO) -> None:
    with writing_to(path):
        write_bytes(path, stream.getvalue())
