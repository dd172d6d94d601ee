"""Picture files of tasks and episodes: stills, and animations of plans and recorded episodes."""

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
from multinet_eval.record.confirmation import Given, settings_to_draw
from multinet_eval.record.events import EpisodeRecord
from multinet_eval.record.plan import PlannedEpisode
from multinet_eval.record.record_folders import RunError
from multinet_eval.record.run_directory import RunDirectory
from multinet_eval.settings.plugin_objects import make_backend
from multinet_eval.support.output import writing_to

LONGEST = 655_350
"""Maximum display time of a picture in a GIF, in milliseconds."""
MOST_BYTES = 1_000_000_000
"""Maximum memory of an animation's pictures in bytes; writing takes twice as much."""


def draw_start(backend: AbstractGridBackend, task: TaskSpecification) -> Picture:
    """Draw the start of a task; leaves the backend at the start.

    Raises:
        InvalidTaskError: the task is invalid.
    """
    return draw(Rollout(backend, task))


def draw_run(
    backend: KernelBackend, task: TaskSpecification, max_states: int = DEFAULT_MAX_STATES
) -> Iterator[Picture]:
    """Draw each moment of a shortest plan, lazily, beginning with the start.

    Raises:
        InvalidTaskError: the task is invalid.
        NoPlanError: the solver finds no plan within the step budget.
    """
    rollout = Rollout(backend, task)
    yield draw(rollout)
    for action in winning_plan(backend.world, max_states):
        rollout.take(Decision.act(action))
        yield draw(rollout)


def draw(rollout: Rollout) -> Picture:
    """Draw the current state of an episode."""
    return Image.fromarray(rollout.backend.render())


def save_still(picture: Picture, path: Path) -> None:
    """Write a picture in the format given by the file's suffix.

    Raises:
        GridworldError: the file cannot be written.
    """
    stream = BytesIO()
    picture.save(stream, format=_format(path))
    _write(path, stream)


def save_animation(pictures: Iterable[Picture], path: Path, milliseconds: int) -> int:
    """Write pictures as an endless animation, ``.gif`` or ``.webp``, each shown for some milliseconds.

    Equal consecutive pictures are stored once and shown longer, for at most `LONGEST`.

    Returns:
        The number of pictures.

    Raises:
        ArgumentError: the pictures need more memory than `MOST_BYTES`.
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
    """Return the distinct consecutive pictures and their durations in milliseconds."""
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
"""Display time of each picture of an animation, in milliseconds."""


def write_animation(drawn: TaskSpecification | Path, file: Path, tiling: str, episode: int) -> None:
    """Write the shortest plan of a task on a tiling, or an episode of a run, as ``.gif`` or ``.webp``.

    Raises:
        ArgumentError: the backend of the tiling is not built on the kernel; also like `draw_episode` and
            `save_animation`.
        NoPlanError: the task has no plan within its step budget.
        RunError, DivergedError, GridworldError: like `draw_episode` and `save_animation`.
    """
    if isinstance(drawn, Path):
        save_animation(draw_episode(RunDirectory(drawn), episode), file, MILLISECONDS)
        return
    backend = gridworld.make(drawn, tiling)
    kernel = kernel_of(backend)
    if kernel is None:
        raise ArgumentError(f"{backend.name} is not built on the kernel, so no plan can be found on it")
    save_animation(draw_run(kernel, drawn), file, MILLISECONDS)


def draw_episode(directory: RunDirectory, number: int, backend_arguments: Iterable[str] = ()) -> Iterator[Picture]:
    """Draw the latest attempt at an episode picture by picture, lazily.

    On a backend built on the kernel, the recorded actions are replayed and checked against the record: the start comes
    first, then a picture after each step, including lost ones. For other simulators, the recorded pictures that the
    model was shown are returned, one before each step.

    Args:
        directory: the run.
        number: number of the episode in the plan.
        backend_arguments: ``key=value`` that replace recorded arguments, such as ``tile_size=16``.

    Raises:
        ArgumentError: the plan has no such episode.
        RunError: the episode has not started or cannot be read.
        DivergedError: replaying gives another episode than recorded.
        GridworldError: the backend cannot be created, or fails.
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
    given = Given(backend_arguments=arguments)
    settings = settings_to_draw(directory.manifest.settings, directory.is_own, directory.path, given)
    backend = make_backend(settings.backend, list(settings.backend_arguments), planned.tiling)
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
