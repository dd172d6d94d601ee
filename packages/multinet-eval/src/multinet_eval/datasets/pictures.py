"""Pictures of tasks as files: a still of the start, or the optimal run animated."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from io import BytesIO
from pathlib import Path

from PIL import Image
from PIL.Image import Image as Picture

from gridworld.backends.base import AbstractGridBackend
from gridworld.backends.kernel import KernelBackend
from gridworld.runner.record import Decision
from gridworld.runner.rollout import Rollout
from gridworld.solver.plans import DEFAULT_MAX_STATES, winning_plan
from gridworld.support.checks import refuse_too_large
from gridworld.support.files import write_bytes
from gridworld.task_spec import TaskSpecification
from multinet_eval.support.output import writing_to

LONGEST = 655_350
"""The longest time in milliseconds for which a GIF can show one picture."""
MOST_BYTES = 1_000_000_000
"""The most memory that the pictures of an animation take before they are written, which takes twice as much."""


def draw_start(backend: AbstractGridBackend, task: TaskSpecification) -> Picture:
    """The start of a task; the backend is left there.

    Raises:
        InvalidTaskError: the task is invalid.
    """
    return draw(Rollout(backend, task))


def draw_run(
    backend: KernelBackend, task: TaskSpecification, max_states: int = DEFAULT_MAX_STATES
) -> Iterator[Picture]:
    """The pictures of a shortest run as they are drawn, the start first.

    Raises:
        InvalidTaskError: the task is invalid.
        NoPlanError: the solver finds no plan within the budget of steps.
    """
    rollout = Rollout(backend, task)
    yield draw(rollout)
    for action in winning_plan(backend.world, max_states):
        rollout.take(Decision.act(action))
        yield draw(rollout)


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


def save_animation(pictures: Iterable[Picture], path: Path, milliseconds: int) -> int:
    """Write pictures as an endless animation, ``.gif`` or ``.webp``, each shown for so many milliseconds.

    Of pictures that are alike one is kept, which is shown for as long, though never longer than `LONGEST`.

    Returns:
        How many pictures there were.

    Raises:
        ArgumentError: they take more memory than `MOST_BYTES`.
        GridworldError: the file cannot be written.
    """
    (first, *rest), durations = _without_repeats(pictures, milliseconds)
    stream = BytesIO()
    shown = [min(duration, LONGEST) for duration in durations]
    options = {"append_images": rest, "duration": shown if rest else shown[0], "loop": 0, "lossless": True}
    first.save(stream, format=_format(path), save_all=True, **options)
    _write(path, stream)
    return sum(durations) // milliseconds


def _without_repeats(pictures: Iterable[Picture], milliseconds: int) -> tuple[list[Picture], list[int]]:
    """The pictures that differ from the one before, and for how many milliseconds each is shown."""
    different: list[Picture] = []
    durations: list[int] = []
    for picture in pictures:
        if different and picture == different[-1]:
            durations[-1] += milliseconds
            continue
        different.append(picture)
        durations.append(milliseconds)
        what = f"{len(different):,} different pictures of {picture.width} x {picture.height} pixels"
        needed = len(different) * 3 * picture.width * picture.height
        refuse_too_large(what, needed, "ask for smaller ones, or see the episode in 'multinet report'", MOST_BYTES)
    return different, durations


def _format(path: Path) -> str:
    return path.suffix.lower().removeprefix(".")


def _write(path: Path, stream: BytesIO) -> None:
    with writing_to(path):
        write_bytes(path, stream.getvalue())
