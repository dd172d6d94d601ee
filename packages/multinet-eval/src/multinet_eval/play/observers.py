"""`RunObserver`: is told what happens in a run, and changes nothing of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Literal

import attrs

from gridworld.model_interface import Adjustment
from gridworld.plugins import get_registry
from gridworld.runner.record import EpisodeHeader, Request, Step
from gridworld.support.faults import describe_raised
from multinet_eval.record.events import Place
from multinet_eval.record.plan import PlannedEpisode
from multinet_eval.record.task_result import TaskResult
from multinet_eval.settings.plugin_objects import make_object
from multinet_eval.settings.spending import Spent
from multinet_eval.settings.statements import class_name

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
    """What a run is when it begins or goes on."""

    name: str
    """The name of its directory; that of the suite where nothing is recorded."""
    suite: str
    model: str
    fingerprint: dict[str, Any]
    episodes: int
    """How many there are in the plan."""
    finished: tuple[TaskResult, ...]
    """The results of those that had been finished before."""
    spent: Spent = attrs.Factory(Spent)
    """What the requests of earlier sessions have used up."""


@attrs.frozen
class Pause:
    """Why nothing is asked for a while."""

    step: int
    """The number of the step that is asked for."""
    seconds: float
    reason: str
    """What came of the request last."""
    retry: int | None = None
    """The number of the retry that follows, from 1; None if the request is not counted."""
    retries: int | None = None
    """How many retries the policy allows."""


class RunObserver:
    """Is told what happens in a run. All methods do nothing unless they are overridden.

    Calls are made one at a time, in the order of what happened; an observer should return soon, for the run waits. One
    that raises is reported and dropped.
    """

    def run_started(self, run: RunStart) -> None:
        """The run begins, or goes on."""

    def episode_started(self, episode: PlannedEpisode, header: EpisodeHeader) -> None:
        """An episode begins, or goes on."""

    def request_made(self, episode: PlannedEpisode, request: Request) -> None:
        """The model was asked."""

    def paused(self, episode: PlannedEpisode, pause: Pause) -> None:
        """The run waits before it asks again."""

    def worker_lost(self, message: str) -> None:
        """A worker ended by itself; what it played goes on on another."""

    def stop_delayed(self, message: str) -> None:
        """The run was to stop, but what is under way cannot be cut off."""

    def model_adjusted(self, adjustment: Adjustment) -> None:
        """The model found out that its server refuses a part of its requests."""

    def step_taken(self, episode: PlannedEpisode, step: Step, place: Place) -> None:
        """A step was taken or lost; the agent is at `place` now."""

    def episode_finished(self, episode: PlannedEpisode, result: TaskResult) -> None:
        """An episode ended."""

    def run_finished(self, results: tuple[TaskResult, ...], stopped: str | None) -> None:
        """The run ended; `stopped` says why, unless it was played to its end."""


class ObserverFeed:
    """Tells observers what happens; the one place that keeps a run safe from them.

    Args:
        observers: who is told.
        report: is given a message about each observer that raised.
    """

    def __init__(self, observers: Iterable[RunObserver], report: Callable[[str], object]) -> None:
        self._observers = list(observers)
        self._report = report

    def tell(self, method: ObserverMethod, *arguments: Any) -> None:
        """Call a method of each observer; one that raises is reported and told nothing more."""
        for observer in tuple(self._observers):
            try:
                getattr(observer, method)(*arguments)
            except Exception as error:  # an observer that raises must not end what it observes
                self._observers.remove(observer)
                self._report(
                    f"{class_name(observer)} failed in {method}: {describe_raised(error)}; it is told nothing more"
                )


def make_observer(name: str, arguments: list[str]) -> RunObserver:
    """An observer of runs made with arguments from the command line; raises as `make_object` does."""
    observer: RunObserver = make_object(get_registry().observers, name, arguments, RunObserver)
    return observer
