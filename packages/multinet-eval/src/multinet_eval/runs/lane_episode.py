"""`LaneEpisode`: one episode as it is played in a lane; lets its requests be made, and writes down what happens."""

from __future__ import annotations

import time

import attrs

from gridworld.model_interface import Adjustment, Trouble
from gridworld.runner.record import EpisodeEnd, EpisodeHeader, Request, Step
from multinet_eval.asking.backoff import Backoff
from multinet_eval.asking.moments import Past, Resumed
from multinet_eval.runs.news import Faulted, Job, News, Reply, Waiting
from multinet_eval.runs.observers import Pause, Place
from multinet_eval.runs.session import Session, StopReason
from multinet_eval.scores.task_result import TaskResult

__all__ = ["EpisodesLeft", "LaneEpisode"]

PROBE = Backoff(first=0.5, factor=2.0, longest=10.0)
"""How long to wait for a server that answers nobody, or is asked too much."""
SHRINKING = (Trouble.OVERLOADED, Trouble.SLOW)
SERVED = 1.0
"""A server that has answered a request made so many seconds after another one failed is not gone."""


class EpisodesLeft(Exception):
    """The episodes are left as they are, since the run stops."""


class LaneEpisode:
    """An episode as it is played in a lane: what it has in flight, and what came of it so far.

    Args:
        session: the session of the run.
        job: the episode.
    """

    def __init__(self, session: Session, job: Job) -> None:
        self._session = session
        self.job = job
        past = job.past
        self._header = None if past is None else past.header
        self._steps: list[Step] = [] if past is None else list(past.steps)
        self._pending: list[Request] = [] if past is None else list(past.pending)
        self._ticket: int | None = None
        """For the request in flight."""
        self._troubled_since: float | None = None
        """When the present request failed first."""
        self._troubles = 0
        """How often in a row it failed."""
        self._made_at = 0.0
        """When the request in flight was admitted."""
        self._failed_at: float | None = None
        """When it failed last."""
        self._probe: Pause | None = None
        """The pause before it is made again without being counted."""

    @property
    def in_flight(self) -> bool:
        """Whether a request may be made or is being made."""
        return self._ticket is not None

    @property
    def left(self) -> Job:
        """What is to be played in order to go on."""
        past = None if self._header is None else Past(self._header, tuple(self._steps), tuple(self._pending))
        return attrs.evolve(self.job, past=past)

    def close(self) -> None:
        """It goes on no further in this lane."""
        if self._ticket is not None:
            self._returned(None)
        self._session.journal.close(self.job.planned.number)

    def note(self, news: News) -> None:
        """Write down what has happened.

        Raises:
            RunError: it cannot be written.
        """
        self._session.journal.add(self.job.planned.number, news)
        what = news.what
        assert not isinstance(what, Waiting | Faulted)
        self._note(what, news.place)

    def admit(self, waiting: Waiting) -> None:
        """Wait until a request may be made; raises EpisodesLeft if the run stops."""
        pause = self._pause_before(waiting)
        if pause is not None:
            self._pause(pause)
        self._enter()

    def admit_now(self, waiting: Waiting) -> bool:
        """Whether a request may be made at this moment; raises EpisodesLeft if the run stops."""
        session = self._session
        if session.stopping:
            raise EpisodesLeft
        if waiting.retry is not None or self._probe is not None:
            return False
        ticket = session.gate.enter_now()
        if ticket is None:
            return False
        if not session.budget.reserve_now():
            session.gate.leave(ticket, overloaded=False, answered=False)
            return False
        self._ticket, self._made_at = ticket, time.monotonic()
        return True

    def _note(self, what: EpisodeHeader | Resumed | Request | Adjustment | Step | EpisodeEnd, place: Place) -> None:
        session, planned = self._session, self.job.planned
        match what:
            case Step():
                self._steps.append(what)
                self._pending = []
                with session.lock:
                    session.observer.step_taken(planned, what, place)
            case Request():
                self._decided(what)
            case EpisodeHeader() | Resumed():
                self._begin(what)
            case Adjustment():
                session.adjusted(what)
            case EpisodeEnd():
                assert self._header is not None
                session.finished(planned, TaskResult.of(self._header, self._steps, what))

    def _begin(self, what: EpisodeHeader | Resumed) -> None:
        if isinstance(what, EpisodeHeader):
            self._header, self._steps, self._pending = what, [], []
        assert self._header is not None
        with self._session.lock:
            self._session.observer.episode_started(self.job.planned, self._header)

    def _pause_before(self, waiting: Waiting) -> Pause | None:
        """The pause before a request that is repeated."""
        retry = waiting.retry
        if retry is None:
            return self._probe
        seconds = self._session.backoff.delay(retry.number - 1, retry.retry_after)
        return Pause(waiting.step, seconds, retry.reason, retry.number, retry.retries)

    def _enter(self) -> None:
        session = self._session
        ticket = None if session.stopping else session.gate.enter()
        if ticket is None:
            raise EpisodesLeft
        reached = session.budget.reserve()
        if reached is None and not session.stopping:
            self._ticket, self._made_at = ticket, time.monotonic()
            return
        session.gate.leave(ticket, overloaded=False, answered=False)
        if reached is None:  # the run was stopped while this lane waited for what others had in flight
            session.budget.settle(None)
        else:
            session.stop(StopReason.BUDGET, reached)
        raise EpisodesLeft

    def _decided(self, request: Request) -> None:
        """A request was made, or its answer found, and is counted."""
        self._pending.append(request)
        if request.trouble is None:
            self._troubled_since, self._troubles, self._failed_at = None, 0, None
        if request.cached:
            self._found(request)
        elif self._ticket is not None:
            self._returned(request)

    def _found(self, request: Request) -> None:
        """The answer to a request was found in a cache."""
        session = self._session
        session.budget.add_cached(request)
        with session.lock:
            session.observer.request_made(self.job.planned, request)

    def _returned(self, request: Request | None) -> None:
        """The request in flight has been made, or the worker is gone."""
        ticket, self._ticket = self._ticket, None  # at first: an interruption may come next, and it is given back once
        assert ticket is not None
        session = self._session
        trouble = None if request is None else request.trouble
        session.gate.leave(
            ticket,
            overloaded=trouble in SHRINKING,
            answered=request is not None and trouble is None,
            retry_after=None if request is None else _bounded(request.retry_after, session.longest_wait),
        )
        session.budget.settle(request)
        if request is not None:
            session.answered(request, self._made_at)
            with session.lock:
                session.observer.request_made(self.job.planned, request)

    def _pause(self, pause: Pause) -> None:
        self._probe = None
        with self._session.lock:
            self._session.observer.paused(self.job.planned, pause)
        self._session.wait(pause.seconds)
        if self._session.stopping:
            raise EpisodesLeft

    def weigh(self, fault: Faulted, news: News) -> Reply | None:
        """Whether a request failed because of all requests, and is made again without being counted."""
        self._returned(fault.request)
        self._troubles += 1
        now = time.monotonic()
        if self._troubled_since is None:
            self._troubled_since = now
        before, self._failed_at = self._failed_at, now
        if not self._is_common(fault.request, before):
            return None
        self._session.journal.add(self.job.planned.number, news)
        self._probe = Pause(fault.step, self._seconds_to_probe(fault.request), fault.request.message)
        return Reply.AGAIN

    def _is_common(self, request: Request, before: float | None) -> bool:
        """Whether all requests may fail for the reason of this one, which failed `before` for the last time."""
        session = self._session
        assert self._troubled_since is not None
        if session.patience <= 0:
            return False
        if (request.retry_after or 0.0) > session.patience:
            self._give_up(f"the server asks not to be called for {request.retry_after:g} seconds", request)
        if session.outage >= session.patience:
            self._give_up(f"the server has answered nothing for {session.patience:g} seconds", request)
        if request.trouble is Trouble.SLOW:
            return False
        if request.trouble is Trouble.UNREACHABLE and before is not None and session.last_served > before + SERVED:
            return False  # it answers others
        return time.monotonic() - self._troubled_since <= session.patience

    def _seconds_to_probe(self, request: Request) -> float:
        """How long to wait for the server: not beyond the time at which patience ends."""
        left = max(0.0, self._session.patience - self._session.outage)
        return max(min(PROBE.delay(self._troubles - 1), left), request.retry_after or 0.0)

    def _give_up(self, reason: str, request: Request) -> None:
        self._session.stop(StopReason.OUTAGE, f"{reason}: {request.message}")
        raise EpisodesLeft


def _bounded(seconds: float | None, longest: float) -> float | None:
    return None if seconds is None else min(seconds, longest)
