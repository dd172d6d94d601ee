"""`Session`: what the lanes of a run have in common while it is played: the account, the gate, the results so far."""

from __future__ import annotations

import threading
from collections.abc import Callable
from enum import StrEnum

import attrs

from gridworld.model_interface import Adjustment, AnswerOutcome
from gridworld.support.wording import counted
from multinet_eval.play.backoff import Backoff
from multinet_eval.play.budget import Budget
from multinet_eval.play.gate import Gate
from multinet_eval.play.observers import RunObserver
from multinet_eval.play.outages import Outage
from multinet_eval.record.journal import Journal
from multinet_eval.record.plan import PlannedEpisode
from multinet_eval.record.task_result import TaskResult
from multinet_eval.settings.defaults import GRACE
from multinet_eval.settings.spending import LimitReached

__all__ = ["Session", "StopReason", "Stopped"]


class StopReason(StrEnum):
    """Why a run stops before its end."""

    INTERRUPTED = "interrupted"
    BUDGET = "budget"
    OUTAGE = "outage"
    """The server answers nothing."""
    PERMANENT = "permanent"
    """An error would end every other episode, too."""
    FAILED = "failed"


@attrs.frozen
class Stopped:
    """Why a run has stopped before its end."""

    reason: StopReason
    message: str
    error: BaseException | None = None
    """What was raised, for `StopReason.FAILED`."""
    limit: str | None = None
    """The field of `BudgetLimits` that was reached, for `StopReason.BUDGET`."""


class Session:
    """One session of a run. Its methods may be called by several threads.

    Args:
        journal: where to write what happens.
        observer: is told of it, by one thread at a time.
        requests: how many may be in flight at most, at least 1.
        budget: what may be spent.
        patience: the seconds for which a server may answer nothing before the run stops; 0 to count such faults like
            any other.
        grace: the seconds for which requests in flight may still be answered when the time of the budget is over.
        backoff: how to wait before a request is repeated; its `sleep` is not used, so that waiting can be cut short.
    """

    def __init__(
        self,
        journal: Journal,
        observer: RunObserver,
        *,
        requests: int,
        budget: Budget,
        patience: float = 0.0,
        grace: float = GRACE,
        backoff: Backoff | None = None,
    ) -> None:
        self.journal = journal
        self.observer = observer
        self.budget = budget
        self.grace = grace
        self.outage = Outage(patience)
        self.backoff = backoff or Backoff()
        self.lock = threading.RLock()
        """Held while the observer is told something."""
        self._halt = threading.Event()
        self.gate = Gate(requests, self._halt)
        self.results: dict[int, TaskResult] = {}
        """Number of an episode to its result."""
        self.adjustments: list[Adjustment] = []
        self.stopped: Stopped | None = None
        self.cut = threading.Event()
        """Set when the time of the session and its grace are over, so that no worker is to be used any more."""
        self.abandoned = False
        """Whether threads of this process are still busy with what nobody waits for; what they say is not heard."""
        self.interruptible = True
        """Whether KeyboardInterrupt may be raised in the main thread without any loss: until something has been played,
        and then during `interruptibly`."""

    @property
    def longest_wait(self) -> float:
        """No server is obeyed that asks for a longer wait, in seconds."""
        return max(self.outage.patience, self.backoff.longest)

    @property
    def stopping(self) -> bool:
        """Whether nothing more is to be begun."""
        return self._halt.is_set()

    def stop(self, reason: StopReason, message: str, error: BaseException | None = None) -> None:
        """Let the requests in flight come to their end, and begin nothing more; the first reason counts."""
        self._stop(Stopped(reason, message, error))

    def stop_at(self, reached: LimitReached) -> None:
        """Stop since a limit of the budget is reached."""
        self._stop(Stopped(StopReason.BUDGET, reached.message, limit=reached.name))

    def _stop(self, stopped: Stopped) -> None:
        if self.stopped is None:
            self.stopped = stopped
        self._halt.set()

    def abandon_requests(self) -> None:
        """Say in the reason for which the session stops how many requests are in flight and waited for no longer."""
        cut = self.gate.in_flight
        if self.stopped is not None and cut:
            requests = f"{counted(cut, 'request')} in flight {'was' if cut == 1 else 'were'} abandoned"
            self.stopped = attrs.evolve(self.stopped, message=f"{self.stopped.message}, {requests}")

    def interruptibly(self, do: Callable[[], object]) -> None:
        """Do something that KeyboardInterrupt ends, which stops the session; what has been finished is kept.

        Called by the thread in which signals are handled.
        """
        try:
            try:
                self.interruptible = True
                do()
            finally:
                self.interruptible = False
        except KeyboardInterrupt:
            self.interruptible = False  # which may be what was interrupted
            self.stop(StopReason.INTERRUPTED, "interrupted")

    def wait(self, seconds: float) -> None:
        """Wait, unless the run stops meanwhile."""
        self._halt.wait(seconds)

    def adjusted(self, adjustment: Adjustment) -> None:
        """The model has found out something about its server."""
        with self.lock:
            if adjustment not in self.adjustments:
                self.adjustments.append(adjustment)
                self.observer.model_adjusted(adjustment)

    def finished(self, episode: PlannedEpisode, result: TaskResult) -> None:
        """An episode has ended."""
        with self.lock:
            self.results[episode.number] = result
            self.observer.episode_finished(episode, result)
        if result.permanent:
            self.stop(StopReason.PERMANENT, result.error or str(AnswerOutcome.INFRASTRUCTURE))
