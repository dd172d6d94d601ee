"""`LaneEpisode`: one episode as it is played in a lane; lets its requests be made, and writes down what happens."""

from __future__ import annotations

import time

import attrs

from gridworld.model_interface import Adjustment, Trouble
from gridworld.runner.record import EpisodeEnd, EpisodeHeader, Request, Step
from multinet_eval.play.moments import Past, Resumed
from multinet_eval.play.news import Faulted, Job, News, Reply, Waiting
from multinet_eval.play.observers import Pause, Place
from multinet_eval.play.outages import ServerGone, Troubles
from multinet_eval.play.session import Session, StopReason
from multinet_eval.record.task_result import TaskResult

__all__ = ["EpisodesLeft", "LaneEpisode"]

SHRINKING = (Trouble.OVERLOADED, Trouble.SLOW)


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
        self._troubles = Troubles(session.outage)
        """Those of the present request."""
        self._made_at = 0.0
        """When the request in flight was admitted."""
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
            session.stop_at(reached)
        raise EpisodesLeft

    def _decided(self, request: Request) -> None:
        """A request was made, or its answer found, and is counted."""
        self._pending.append(request)
        if request.trouble is None:
            self._troubles.end()
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
            session.outage.note(request, self._made_at)
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
        try:
            seconds = self._troubles.wait_after(fault.request)
        except ServerGone as gone:
            self._session.stop(StopReason.OUTAGE, str(gone))
            raise EpisodesLeft from None
        if seconds is None:
            return None
        self._session.journal.add(self.job.planned.number, news)
        self._probe = Pause(fault.step, seconds, fault.request.message)
        return Reply.AGAIN


def _bounded(seconds: float | None, longest: float) -> float | None:
    return None if seconds is None else min(seconds, longest)
