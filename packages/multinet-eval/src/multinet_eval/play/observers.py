"""`RunObserver`: receives all events of a run without influencing it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import Any, Literal

import attrs

from gridworld.model_interface import Adjustment, AnswerOutcome
from gridworld.plugins import get_registry
from gridworld.plugins.registry import owner_of
from gridworld.runner.record import EpisodeHeader, Request, Step
from gridworld.support.faults import RAISED, fault_of
from multinet_eval.play.episode import EpisodeJob
from multinet_eval.play.limits import Stopped, StopReason
from multinet_eval.play.worker import Job
from multinet_eval.record.events import (
    EpisodeBegun,
    EpisodeResumed,
    Event,
    ModelAdjusted,
    RecordedPose,
    RequestMade,
    Spent,
    StepTaken,
)
from multinet_eval.record.manifest import Manifest
from multinet_eval.record.plan import PlannedEpisode
from multinet_eval.record.results import RunResults
from multinet_eval.record.task_result import TaskResult
from multinet_eval.settings.plugin_objects import class_name, make_object

ObserverMethod = Literal[
    "run_started",
    "episode_started",
    "request_made",
    "paused",
    "worker_lost",
    "stop_delayed",
    "model_adjusted",
    "step_taken",
    "episode_finished",
    "run_finished",
]


@attrs.frozen
class RunStart:
    """The start or resumption of a run."""

    name: str
    """Name of the run's folder, or of the suite if nothing is recorded."""
    suite: str
    model: str
    fingerprint: dict[str, Any]
    episodes: int
    """Number of episodes in the plan."""
    finished: tuple[TaskResult, ...]
    """Results of the episodes finished in earlier sessions."""
    spent: Spent = attrs.Factory(Spent)
    """Requests and tokens of earlier sessions."""


@attrs.frozen
class Pause:
    """A wait before a request is repeated."""

    step: int
    """Number of the step to decide."""
    seconds: float
    reason: str
    """Message of the latest fault."""
    retry: int | None = None
    """Number of the next retry, from 1; None if the request is not counted."""
    retries: int | None = None
    """Number of retries that the policy allows."""


class RunObserver:
    """Base class of observers, with one method per kind of event; by default they do nothing.

    Calls are made one at a time, in the order of the events. The run waits for each, so return quickly. An observer
    that raises is reported and removed.
    """

    def run_started(self, run: RunStart) -> None:
        """Called when the run starts or resumes."""

    def episode_started(self, episode: PlannedEpisode, header: EpisodeHeader) -> None:
        """Called when an episode starts or resumes."""

    def request_made(self, episode: PlannedEpisode, request: Request) -> None:
        """Called after a request to the model."""

    def paused(self, episode: PlannedEpisode, pause: Pause) -> None:
        """Called when an episode waits before its request is repeated."""

    def worker_lost(self, message: str) -> None:
        """Called when a worker has ended by itself; its episodes continue on another worker."""

    def stop_delayed(self, message: str) -> None:
        """Called, in another thread, when the time limit is reached but a request cannot be cancelled."""

    def model_adjusted(self, adjustment: Adjustment) -> None:
        """Called when the model has found that its server rejects part of its requests."""

    def step_taken(self, episode: PlannedEpisode, step: Step, place: RecordedPose) -> None:
        """Called when a step has been taken or lost; the agent is now at `place`."""

    def episode_finished(self, episode: PlannedEpisode, result: TaskResult) -> None:
        """Called when an episode has ended."""

    def run_finished(self, results: tuple[TaskResult, ...], stopped: str | None) -> None:
        """Called when the run has ended; `stopped` is the reason if it ended early."""


class Listener:
    """Receives the events of a scheduler's jobs; does nothing by default."""

    def happened(self, job: Job, event: Event) -> None:
        """Called after an event has been written and applied to its job."""

    def finished(self, job: Job) -> Stopped | None:
        """Called when a job has ended; may return a reason to stop everything."""
        return None

    def paused(self, job: Job, pause: Pause) -> None:
        """Called when a job's request will be repeated after a pause."""

    def worker_lost(self, message: str) -> None:
        """Called when a worker is lost; its jobs continue on another worker."""

    def stop_delayed(self, message: str) -> None:
        """Called when the time limit is over but the request in flight cannot be cut off."""


class RunListener(Listener):
    """Collects the results of a run and calls its observers; errors of observers do not affect the run.

    Args:
        observers: the observers.
        report: receives a message about each observer that raised.
        manifest: the manifest of the run; None if no comparison may stop it.
    """

    def __init__(
        self, observers: Iterable[RunObserver], report: Callable[[str], object], manifest: Manifest | None = None
    ) -> None:
        self._observers = list(observers)
        self._report = report
        self.results: dict[int, TaskResult] = {}
        """Results by episode number."""
        self.adjustments: list[Adjustment] = []
        self._manifest = manifest

    def tell(self, method: ObserverMethod, *arguments: Any) -> None:
        """Call a method of each observer; report and remove one that raises."""
        for observer in tuple(self._observers):
            try:
                getattr(observer, method)(*arguments)
            except RAISED as error:  # an observer that raises must not end what it observes
                self._observers.remove(observer)
                fault = fault_of(error, owner_of("observer", observer, class_name(observer)), method)
                with suppress(Exception):  # warnings may be errors
                    self._report(f"{fault}; it receives no further events")

    def happened(self, job: Job, event: Event) -> None:
        """Report an event to the observers."""
        assert isinstance(job, EpisodeJob)
        if isinstance(event, StepTaken):
            self.tell("step_taken", job.planned, event.step, event.place)
        elif isinstance(event, RequestMade):
            self.tell("request_made", job.planned, event.request)
        elif isinstance(event, EpisodeBegun | EpisodeResumed):
            assert job.record is not None
            self.tell("episode_started", job.planned, job.record.header)
        elif isinstance(event, ModelAdjusted) and event.adjustment not in self.adjustments:
            self.adjustments.append(event.adjustment)
            self.tell("model_adjusted", event.adjustment)

    def finished(self, job: Job) -> Stopped | None:
        """Store an episode's result, and report it to the observers."""
        assert isinstance(job, EpisodeJob)
        record = job.record
        assert record is not None
        assert record.end is not None
        result = self.results[job.number] = TaskResult.of(record.header, record.steps, record.end)
        self.tell("episode_finished", job.planned, result)
        if result.permanent:
            error = result.error or str(AnswerOutcome.INFRASTRUCTURE)
            return Stopped(StopReason.PERMANENT, error, request=[*record.requests][-1])
        state = None if self._manifest is None else RunResults(self._manifest, self.results).sequential
        if state is None or not state.decided:
            return None
        return Stopped(StopReason.DECIDED, f"decided after {state.looked} of {state.mazes} mazes")

    def paused(self, job: Job, pause: Pause) -> None:
        """Report a pause to the observers."""
        assert isinstance(job, EpisodeJob)
        self.tell("paused", job.planned, pause)

    def worker_lost(self, message: str) -> None:
        """Report a lost worker to the observers."""
        self.tell("worker_lost", message)

    def stop_delayed(self, message: str) -> None:
        """Report to the observers why the run has not stopped."""
        self.tell("stop_delayed", message)


def make_observer(name: str, arguments: list[str]) -> RunObserver:
    """Make an observer from its name and command-line arguments; raises as `make_object` does."""
    observer: RunObserver = make_object(get_registry().observers, name, arguments, RunObserver)
    return observer
