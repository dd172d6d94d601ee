"""`Lane`: plays one episode after another on a worker, and deals with what the worker says."""

from __future__ import annotations

import time
from contextlib import closing, suppress

import attrs

from gridworld.errors import GridworldError
from gridworld.model_interface import Adjustment, Trouble
from gridworld.runner.record import EpisodeEnd, EpisodeHeader, Request, Step
from multinet_eval.asking.backoff import Backoff
from multinet_eval.asking.moments import Faulted, Past, Reply, Resumed
from multinet_eval.runs.executors import Executor, Worker, WorkerLost
from multinet_eval.runs.observers import Pause, Place
from multinet_eval.runs.session import Session, StopReason
from multinet_eval.runs.worker import Job, News, Waiting
from multinet_eval.scores.task_result import TaskResult

__all__ = ["Lane"]

MAX_LOST = 5
"""How often in a row an episode is gone on with after its worker was lost."""
PROBE = Backoff(first=0.5, factor=2.0, longest=10.0)
"""How long to wait for a server that answers nobody, or is asked too much."""
SHRINKING = (Trouble.OVERLOADED, Trouble.SLOW)
MANY_TIMEOUTS = 2
"""After so many in a row, a server that has answered nobody for long is taken to be gone."""


class _Leave(Exception):
    """The episode is left as it is, since the run stops."""


class Lane:
    """Plays episodes; one thread has it.

    Args:
        session: what it has in common with other lanes.
        executor: makes its worker.
    """

    def __init__(self, session: Session, executor: Executor) -> None:
        self._session = session
        self._executor = executor
        self._worker: Worker | None = None

    def play(self, job: Job) -> None:
        """Play an episode to its end or until the run stops; on another worker if the first is lost.

        Raises:
            WorkerLost: several workers in a row were lost without a step.
            GridworldError: as `Worker.play` and `Executor.start_worker` do; or what happens cannot be written.
        """
        lost = 0
        while True:
            episode = _Episode(self._session, job)
            try:
                self._play(episode)
                return
            except WorkerLost:
                self._worker = None
                progress = episode.left != job
                lost = 0 if progress else lost + 1
                if lost == MAX_LOST:
                    raise
                job = episode.left
            finally:
                episode.close()

    def close(self) -> GridworldError | None:
        """Close the worker; returns what went wrong, if anything."""
        return None if self._worker is None else self._worker.close()

    def _play(self, episode: _Episode) -> None:
        if self._worker is None:
            self._worker = self._executor.start_worker()
        reply = None
        # Closed whatever happens, so that the worker can be used again, or closed.
        with closing(self._worker.play(episode.job)) as news, suppress(StopIteration, _Leave):
            while True:
                reply = episode.receive(news.send(reply))


class _Episode:
    """An episode as it is played, seen from its lane."""

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

    def receive(self, news: News) -> Reply | None:
        """Write a piece of news down, and do what it calls for.

        Raises:
            RunError: it cannot be written.
        """
        what = news.what
        if isinstance(what, Waiting):
            self._admit(what)
            return None
        if isinstance(what, Faulted):
            return self._weigh(what, news)
        self._session.journal.add(self.job.planned.number, news)
        self._note(what, news.place)
        return None

    def _note(self, what: EpisodeHeader | Resumed | Request | Adjustment | Step | EpisodeEnd, place: Place) -> None:
        session, planned = self._session, self.job.planned
        match what:
            case Step():
                self._steps.append(what)
                self._pending = []
                with session.lock:
                    session.observer.step_taken(planned, what, place)
            case Request():
                self._pending.append(what)
                self._troubled_since, self._troubles = None, 0
                if what.cached:
                    self._found(what)
                elif self._ticket is not None:
                    self._returned(what)
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

    def _admit(self, waiting: Waiting) -> None:
        """Wait until a request may be made."""
        session, retry = self._session, waiting.retry
        if waiting.cached:
            if session.stopping:
                raise _Leave
            return
        if retry is not None:
            seconds = session.backoff.delay(retry.number - 1, retry.retry_after)
            self._pause(Pause(waiting.step, seconds, retry.reason, retry.number, retry.retries))
        self._enter()

    def _enter(self) -> None:
        session = self._session
        ticket = None if session.stopping else session.gate.enter()
        if ticket is None:
            raise _Leave
        reached = session.budget.reserve()
        if reached is None and not session.stopping:
            self._ticket = ticket
            return
        session.gate.leave(ticket, overloaded=False, answered=False)
        if reached is None:  # the run was stopped while this lane waited for what others had in flight
            session.budget.settle(None)
        else:
            session.stop(StopReason.BUDGET, reached)
        raise _Leave

    def _found(self, request: Request) -> None:
        """The answer to a request was found in a cache."""
        session = self._session
        session.budget.add_cached(request)
        with session.lock:
            session.observer.request_made(self.job.planned, request)

    def _returned(self, request: Request | None) -> None:
        """The request in flight has been made, or the worker is gone."""
        assert self._ticket is not None
        session = self._session
        trouble = None if request is None else request.trouble
        session.gate.leave(
            self._ticket,
            overloaded=trouble in SHRINKING,
            answered=request is not None and trouble is None,
            retry_after=None if request is None else request.retry_after,
        )
        self._ticket = None
        session.budget.settle(request)
        if request is not None:
            session.answered(request)
            with session.lock:
                session.observer.request_made(self.job.planned, request)

    def _pause(self, pause: Pause) -> None:
        with self._session.lock:
            self._session.observer.paused(self.job.planned, pause)
        self._session.wait(pause.seconds)
        if self._session.stopping:
            raise _Leave

    def _weigh(self, fault: Faulted, news: News) -> Reply | None:
        """Whether a request failed because of all requests, and is made again without being counted."""
        self._returned(fault.request)
        self._troubles += 1
        if self._troubled_since is None:
            self._troubled_since = time.monotonic()
        if not self._is_common(fault.request):
            return None
        self._session.journal.add(self.job.planned.number, news)
        seconds = PROBE.delay(self._troubles - 1, fault.request.retry_after)
        self._pause(Pause(fault.step, seconds, fault.request.message))
        self._enter()
        return Reply.AGAIN

    def _is_common(self, request: Request) -> bool:
        session, now = self._session, time.monotonic()
        assert self._troubled_since is not None
        since, silence = now - self._troubled_since, now - session.last_answer
        if session.patience <= 0:
            return False
        if request.trouble is Trouble.SLOW:
            if self._troubles >= MANY_TIMEOUTS and silence > session.patience:
                self._give_up(request)
            return False
        if min(since, silence) > session.patience:
            self._give_up(request)
        if request.trouble is Trouble.UNREACHABLE and session.last_answer > self._troubled_since:
            return False
        return since <= session.patience

    def _give_up(self, request: Request) -> None:
        limit = self._session.patience
        self._session.stop(
            StopReason.OUTAGE, f"the server has answered nothing for {limit:g} seconds: {request.message}"
        )
        raise _Leave
