"""Pictures of tasks as files: a still of the start, or the optimal run animated."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from io import BytesIO
from pathlib import Path

from PIL import Image, UnidentifiedImageError
from PIL.Image import Image as Picture

import gridworld
from gridworld.backends.base import AbstractGridBackend
from gridworld.backends.kernel import KernelBackend
from gridworld.errors import ArgumentError
from gridworld.runner.record import Decision, DecisionKind
from gridworld.runner.rollout import Rollout, kernel_of, request_pictures
from gridworld.solver.plans import DEFAULT_MAX_STATES, winning_plan
from gridworld.support.checks import refuse_too_large
from gridworld.support.files import write_bytes
from gridworld.task_spec import TaskSpecification
from multinet_eval.play.episode import replayed_steps
from multinet_eval.play.episode_factory import resized
from multinet_eval.record.events import EpisodeRecord
from multinet_eval.record.fingerprint import override_arguments
from multinet_eval.record.plan import PlannedEpisode
from multinet_eval.record.record_folders import RunError
from multinet_eval.record.run_directory import RunDirectory
from multinet_eval.settings.plugin_objects import make_backend
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


MILLISECONDS = 250
"""How long an animation shows each picture."""


def write_animation(drawn: TaskSpecification | Path, file: Path, tiling: str, episode: int) -> None:
    """Write the shortest plan of a task on a tiling, or an episode of the run in a folder, as ``.gif`` or ``.webp``.

    Raises:
        ArgumentError: what shows the tiling is not built on the kernel; and as `draw_episode` and `save_animation` do.
        NoPlanError: the task has no plan within its budget of steps.
        RunError, DivergedError, GridworldError: as `draw_episode` and `save_animation` do.
    """
    if isinstance(drawn, Path):
        save_animation(draw_episode(RunDirectory(drawn), episode), file, MILLISECONDS)
        return
    backend = gridworld.make(drawn, tiling)
    kernel = kernel_of(backend)
    if kernel is None:
        raise ArgumentError(f"{backend.name} is not built on the kernel, so that no plan can be found on it")
    save_animation(draw_run(kernel, drawn), file, MILLISECONDS)


def draw_episode(directory: RunDirectory, number: int, backend_arguments: Iterable[str] = ()) -> Iterator[Picture]:
    """The pictures of the latest attempt at an episode, as they are drawn.

    On a backend that is built on the kernel, the recorded actions are taken once more and checked against what was
    recorded of them: the start comes first, then a picture after each step, a lost one too. From any other simulator
    there are the pictures that the model was shown, one before each step.

    Args:
        directory: the run.
        number: the number of the episode in the plan.
        backend_arguments: ``key=value``, instead of those that the run was played with, such as ``tile_size=16``.

    Raises:
        ArgumentError: there is no such episode in the plan.
        RunError: the episode has not begun, or it cannot be read.
        DivergedError: played again, it is another episode than was recorded.
        GridworldError: the backend cannot be made, or fails.
    """
    planned = directory.manifest.episode(number)
    lines = directory.latest(directory.attempts(number))
    if lines is None:
        raise RunError(f"{directory.path}: episode {number} ('{planned.task_id}') has not begun")
    if directory.manifest.backend_on(planned.tiling).on_kernel:
        return _drawn_pictures(directory, planned, lines, backend_arguments)
    return _kept_pictures(directory, number, lines)


def _drawn_pictures(
    directory: RunDirectory, planned: PlannedEpisode, lines: EpisodeRecord, arguments: Iterable[str]
) -> Iterator[Picture]:
    settings = directory.manifest.settings
    given = override_arguments(settings.backend_arguments, arguments, "-B")
    backend = make_backend(settings.backend, list(given), planned.tiling)
    request_pictures(backend, settings.presentation.pictures, resized)
    rollout = Rollout(backend, planned.bound(directory.task(planned.task)), planned.seed)
    steps = replayed_steps(rollout, lines)
    yield draw(rollout)
    for step in steps:
        if step.kind is not DecisionKind.STOP:
            yield draw(rollout)


def _kept_pictures(directory: RunDirectory, number: int, lines: EpisodeRecord) -> Iterator[Picture]:
    if not lines.frames:
        raise RunError(
            f"{directory.path}: no pictures are kept of episode {number}, and they cannot be drawn again, since its "
            f"backend, '{lines.header.backend}', is not built on the kernel"
        )
    for _, digest in sorted(lines.frames.items()):
        try:
            yield Image.open(BytesIO(directory.frame(digest))).convert("RGB")
        except (UnidentifiedImageError, OSError) as error:
            raise RunError(f"{directory.path}: the picture {digest}.png is damaged: {error}") from error
