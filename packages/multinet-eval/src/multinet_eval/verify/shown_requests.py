"""`requests_at`: what was sent for one step of a recorded run, with the pictures drawn again."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import ExitStack, closing
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

import attrs

from gridworld.errors import ArgumentError, GridworldError
from gridworld.model_interface import ModelInput
from gridworld.runner.record import Request
from multinet_eval.play.episode import EpisodeJob
from multinet_eval.play.played_tasks import shown_tasks
from multinet_eval.play.recorder import Recorder
from multinet_eval.play.worker import make_factory
from multinet_eval.record.confirmation import settings_to_replay
from multinet_eval.record.events import EpisodeRecord
from multinet_eval.record.lines import ASKED
from multinet_eval.record.plan import PlannedEpisode
from multinet_eval.record.run_directory import Attempt, RunDirectory, read_attempt
from multinet_eval.record.sent_requests import ReadRequest
from multinet_eval.verify.asked_prompts import all_pictures
from multinet_eval.verify.replayed_attempt import RecordedModel, sent_in_lines

if TYPE_CHECKING:
    import numpy as np


@attrs.frozen(eq=False)
class ShownRequest:
    """A recorded request for a step."""

    request: Request
    counts: bool
    """False for a server's fault, after which the request was repeated."""
    sent: tuple[ReadRequest, ...]
    """What was sent, in order; usually one."""


@attrs.frozen(eq=False)
class ShownStep:
    """The requests for one step, and the pictures in them."""

    requests: tuple[ShownRequest, ...]
    pictures: dict[str, np.ndarray]
    """Pixels by digest of the pictures that could be drawn again, shape (height, width, 3), uint8."""
    not_drawn: str = ""
    """Reason why pictures could not be drawn again; empty if they could."""


def requests_at(path: Path | str, episode: int, step: int) -> ShownStep:
    """Read what was sent for a step of the latest attempt at an episode, and draw its pictures again.

    A picture counts as drawn again only if its pixels have the recorded digest.

    Args:
        path: the folder of the run.
        episode: the number of the episode in the plan, from 0.
        step: the number of the step, from 1.

    Raises:
        RunError: the folder contains no readable run.
        ArgumentError: there is no such episode or step.
    """
    directory = RunDirectory(Path(path))
    planned = directory.manifest.episode(episode)
    attempts = directory.all_attempts().get(episode, [])
    read = [(attempt, record) for attempt in attempts if (record := read_attempt(attempt)) is not None]
    if not read:
        raise ArgumentError(f"episode {episode} has not begun")
    attempt, record = read[-1]
    requests = tuple(_requests(directory, attempt, step))
    if not requests:
        asked = len(record.asked)
        raise ArgumentError(f"episode {episode} has no request for step {step}: expected a step from 1 to {asked}")
    try:
        given = _input_at(directory, planned, record, step)
    except GridworldError as error:
        return ShownStep(requests, {}, str(error))
    return ShownStep(requests, {picture.digest: picture.pixels for picture in all_pictures(given)})


def _requests(directory: RunDirectory, attempt: Attempt, step: int) -> list[ShownRequest]:
    found = []
    for line, sent in sent_in_lines(attempt.lines(), directory.text):
        if line.kind in ASKED and line.step == step:
            found.append(ShownRequest(line.to_request(), line.kind == "request", sent))
    return found


def _input_at(directory: RunDirectory, planned: PlannedEpisode, record: EpisodeRecord, step: int) -> ModelInput:
    """Play the steps before a step again; raises GridworldError if that is not possible here."""
    with closing(inputs_of(directory, planned, record)) as inputs:
        for given in inputs:
            if given.step_number + 1 == step:
                return given
    raise ArgumentError(f"step {step} cannot be reached again")


def inputs_of(
    directory: RunDirectory, planned: PlannedEpisode, record: EpisodeRecord
) -> Generator[ModelInput, None, None]:
    """Play an attempt again with its recorded answers, and yield the input of each request that counts.

    Raises:
        GridworldError: the attempt cannot be played again here.
    """
    manifest, tasks = directory.manifest, directory.tasks()
    settings = settings_to_replay(manifest.settings, directory.is_own, directory.path)
    whole = settings.about([tasks[digest] for digest in manifest.suite_tasks])
    factory = make_factory(whole, RecordedModel(manifest.model_name), planned.tiling)
    with ExitStack() as stack:
        for backend in factory.backends:
            stack.callback(backend.close)
        swapped = shown_tasks(manifest, tasks).get(planned.task)
        job = EpisodeJob(planned, planned.bound(tasks[planned.task]), swapped=swapped)
        state = factory.open(job, lambda: Recorder(factory.backend, planned.number)).state
        answers = chain.from_iterable([*(step.requests for step in record.steps), record.pending])
        for answer in answers:
            if state is None or state.pending is None:
                return
            yield state.pending.input
            state.apply(answer)
