"""Pictures of what a model did in a recorded episode, and animations of tasks and of runs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from io import BytesIO
from pathlib import Path

from PIL import Image, UnidentifiedImageError
from PIL.Image import Image as Picture

import gridworld
from gridworld.errors import ArgumentError
from gridworld.runner.record import DecisionKind
from gridworld.runner.rollout import Rollout, kernel_of, request_pictures
from gridworld.task_spec import TaskSpecification
from multinet_eval.datasets.pictures import draw, draw_run, save_animation
from multinet_eval.play.episode import replayed_steps
from multinet_eval.play.episode_factory import resized
from multinet_eval.record.events import EpisodeRecord
from multinet_eval.record.fingerprint import override_arguments
from multinet_eval.record.plan import PlannedEpisode
from multinet_eval.record.record_folders import RunError
from multinet_eval.record.run_directory import RunDirectory
from multinet_eval.settings.plugin_objects import make_backend

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
