"""`Lane`: plays episodes on a worker, and deals with what the worker says."""

from __future__ import annotations

import time
from collections import deque
from contextlib import closing, suppress

import attrs

from gridworld.errors import GridworldError
from gridworld.model_interface import Adjustment, Trouble
from gridworld.runner.record import EpisodeEnd, EpisodeHeader, Request, Step
from multinet_eval.asking.backoff import Backoff
from multinet_eval.asking.moments import Past, Resumed
from multinet_eval.runs.executors import Executor, Worker, WorkerLost
from multinet_eval.runs.news import Faulted, Job, News, Reply, Waiting
from multinet_eval.runs.observers import Pause, Place
from multinet_eval.runs.session import Session, StopReason
from multinet_eval.scores.task_result import TaskResult

__all__ = ["Lane"]

MAX_LOST = 5
"""How often in a row an episode is gone on with after its worker was lost."""
PROBE = Backoff(first=0.5, factor=2.0, longest=10.0)
"""How long to wait for a server that answers nobody, or is asked too much."""
SHRINKING = (Trouble.OVERLOADED, Trouble.SLOW)
SERVED = 1.0
"""A server that has answered a request made so many seconds after another one failed is not gone."""


class _Leave(Exception):
    """The episodes are left as they are, since the run stops."""


class Lane:
    """Plays episodes; one thread has it.

    Args:
        session: what it has in common with other lanes.
        executor: makes its worker.
        jobs: the episodes to play, from which all lanes take.
        size: how many it plays at once, at least 1.
    """

    def __init__(self, session: Session, executor: Executor, jobs: deque[Job], size: int) -> None:
        self._session = session
        self._executor = executor
        self._jobs = jobs
        self._size = size
        self._worker: Worker | None = None
        self._episodes: dict[int, _Episode] = {}
        """Those that are being played, by their numbers."""
        self.left_at: list[str] = []
        """The tasks of the episodes that were left before their ends, last time."""

    def play(self) -> None:
        """Play episodes until there are no more, or the run stops; on another worker if one is lost.

        Raises:
            WorkerLost: several workers in a row were lost without a step.
            GridworldError: as `Worker.play` and `Executor.start_worker` do; or what happens cannot be written.
        """
        left: list[Job] = []
        lost = 0
        while jobs := self._fill(left):
            try:
                self._play(jobs)
                left = []
            except WorkerLost as error:
                self._worker = None
                left = [episode.left for episode in self._episodes.values()]
                lost = 0 if left != jobs else lost + 1
                if lost == MAX_LOST:
                    raise WorkerLost(f"{lost} workers in a row were lost without a step: {error}") from error
                with self._session.lock:
                    self._session.observer.worker_lost(str(error))
            finally:
                self._leave()

    def close(self) -> GridworldError | None:
        """Close the worker; returns what went wrong, if anything."""
        return None if self._worker is None else self._worker.close()

    def _fill(self, left: list[Job]) -> list[Job]:
        """The episodes to go on with, those that have been left first; none if the run stops."""
        jobs = list(left)
        while len(jobs) < self._size and (job := self._next()) is not None:
            jobs.append(job)
        return [] if self._session.stopping else jobs

    def _next(self) -> Job | None:
        try:
            return None if self._session.stopping else self._jobs.popleft()
        except IndexError:
            return None

    def _play(self, jobs: list[Job]) -> None:
        if self._worker is None:
            self._worker = self._executor.start_worker()
        for job in jobs:
            self._episodes[job.planned.number] = _Episode(self._session, job)
        reply = None
        # Closed whatever happens, so that the worker can be used again, or closed.
        with closing(self._worker.play(jobs)) as news, suppress(StopIteration, _Leave):
            while True:
                reply = self._receive(news.send(reply))

    def _receive(self, news: News) -> Reply | Job | None:
        """Do what a piece of news calls for; raises RunError if it cannot be written."""
        episode = self._episodes[news.episode]
        if isinstance(news.what, Waiting):
            return self._admit(episode, news.what)
        if isinstance(news.what, Faulted):
            return episode.weigh(news.what, news)
        episode.note(news)
        return self._replace(episode) if isinstance(news.what, EpisodeEnd) else None

    def _admit(self, episode: _Episode, waiting: Waiting) -> Reply | None:
        """Let a request be made; later, if it had to wait while others of this lane wait for it."""
        if waiting.cached:
            if self._session.stopping:
                raise _Leave
            return None
        if not any(each.in_flight for each in self._episodes.values()):
            episode.admit(waiting)
            return None
        return None if episode.admit_now(waiting) else Reply.LATER

    def _replace(self, episode: _Episode) -> Job | None:
        """The episode to play in place of one that has ended."""
        del self._episodes[episode.job.planned.number]
        episode.close()
        job = self._next()
        if job is not None:
            self._episodes[job.planned.number] = _Episode(self._session, job)
        return job

    def _leave(self) -> None:
        """Leave all episodes as they are."""
        self.left_at = [episode.job.planned.task_id for episode in self._episodes.values()]
        while self._episodes:
            self._episodes.popitem()[1].close()


def _bounded(seconds: float | None, longest: float) -> float | None:
    return None if seconds is None else min(seconds, longest)


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
        """Wait until a request may be made; raises _Leave if the run stops."""
        pause = self._pause_before(waiting)
        if pause is not None:
            self._pause(pause)
        self._enter()

    def admit_now(self, waiting: Waiting) -> bool:
        """Whether a request may be made at this moment; raises _Leave if the run stops."""
        session = self._session
        if session.stopping:
            raise _Leave
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
            raise _Leave
        reached = session.budget.reserve()
        if reached is None and not session.stopping:
            self._ticket, self._made_at = ticket, time.monotonic()
            return
        session.gate.leave(ticket, overloaded=False, answered=False)
        if reached is None:  # the run was stopped while this lane waited for what others had in flight
            session.budget.settle(None)
        else:
            session.stop(StopReason.BUDGET, reached)
        raise _Leave

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
            raise _Leave

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
        raise _Leave
