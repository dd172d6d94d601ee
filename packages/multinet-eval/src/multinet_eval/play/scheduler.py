"""`Scheduler`: plays jobs on a pool; one thread decides when each request is made, and what becomes of its answer.

It is the only code that touches the journal, the limits and the observers, so that none of them needs a lock. A job
goes round: its worker opens it (`Open`), makes its request as soon as the limits allow it (`Ask`), and plays on with
the answer (`Apply`) up to the next request. What a call returns is written down before the next call is made.
"""

from __future__ import annotations

import math
import time
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Iterable
from concurrent.futures import Future
from queue import Empty, SimpleQueue

import attrs

from gridworld.errors import GridworldError
from gridworld.support.wording import counted, visible_line
from multinet_eval.play.jobs import Apply, Ask, Call, EpisodeJob, Open, QuestionJob, Update, Waiting
from multinet_eval.play.limits import Failures, Limits, Stopped, StopReason
from multinet_eval.play.observers import Pause
from multinet_eval.play.pools.pool import Pool, WorkerLost
from multinet_eval.record.events import Event, RequestMade
from multinet_eval.record.journal import Journal
from multinet_eval.settings.defaults import GRACE
from multinet_eval.settings.spending import LimitReached

MAX_LOST = 5
"""Workers that may be lost in a row without a request or a step in between."""
UNSTOPPABLE = (
    "a request in flight is made in the program's own thread, which cannot be cut off: wait for it, or stop it with "
    "Ctrl-C; with --executor processes it can be cut off"
)


class Listener(ABC):
    """Listener to what happens in jobs; called by the scheduler's thread, in order."""

    @abstractmethod
    def happened(self, job: EpisodeJob | QuestionJob, event: Event) -> None:
        """An event was written down."""

    @abstractmethod
    def finished(self, job: EpisodeJob | QuestionJob) -> Stopped | None:
        """A job is over; returns why nothing more is to be played, if so."""

    def paused(self, job: EpisodeJob | QuestionJob, pause: Pause) -> None:
        """The request of a job is made again after a pause."""

    def worker_lost(self, message: str) -> None:
        """A worker was lost; its jobs continue on another."""

    def stop_delayed(self, message: str) -> None:
        """The time is over, and the request in flight cannot be cut off."""


class Clock:
    """Time, and waiting for it to pass."""

    def time(self) -> float:
        """Seconds that only grow."""
        return time.monotonic()

    def wait(self, completed: SimpleQueue[Future[list[Update]] | None], seconds: float) -> Future[list[Update]] | None:
        """The next call that is completed; None after so many seconds, or when somebody wakes the scheduler."""
        try:
            return completed.get(timeout=None if seconds == math.inf else max(0.0, seconds))
        except Empty:
            return None


@attrs.define(eq=False)
class _Active:
    """A job that is under way."""

    job: EpisodeJob | QuestionJob
    waiting: Waiting | None = None
    due: float = -math.inf
    """Time before which its request is not made."""
    failures: Failures = attrs.Factory(Failures)
    """Faults in a row of its present request."""


@attrs.define(eq=False)
class _Slot:
    """A worker of the pool, and what it plays."""

    number: int
    active: dict[int, _Active] = attrs.Factory(dict)
    """By the numbers of the jobs."""
    following: Call | None = None
    """The call that follows whatever the limits say."""
    lost: int = 0
    """Workers that were lost in a row since anything was written down."""


@attrs.frozen
class _Flight:
    """A call that has been made."""

    slot: _Slot
    call: Call
    made_at: float
    generation: int
    granted: int = 0
    """Requests that the limits have granted for it."""


class Scheduler:
    """Plays jobs until all are over, or something stops it.

    Args:
        pool: calls the workers; it is closed in the end.
        limits: when requests may be made.
        journal: writes what happens.
        listener: is told of it.
        batch: jobs that each worker plays at once, at least 1.
        grace: seconds for which requests in flight may still be answered once the time of the budget is over.
        clock: tells the time.
    """

    def __init__(
        self,
        pool: Pool,
        limits: Limits,
        journal: Journal,
        listener: Listener,
        batch: int = 1,
        grace: float = GRACE,
        clock: Clock | None = None,
    ) -> None:
        self._pool = pool
        self.limits = limits
        self._journal = journal
        self._listener = listener
        self._batch = batch
        self._ends_at = limits.budget.ends_at
        self._grace = grace
        self._clock = clock or Clock()
        self._queue: deque[EpisodeJob | QuestionJob] = deque()
        self._jobs = iter(self._queue)
        self._exhausted = False
        self._idle = deque(_Slot(number) for number in range(pool.size))
        """Slots without a call, the longest idle first."""
        self._flights: dict[Future[list[Update]], _Flight] = {}
        self._completed: SimpleQueue[Future[list[Update]] | None] = SimpleQueue()
        self.stopped: Stopped | None = None
        """Why it stops before the last job is over."""
        self.abandoned = False
        """Whether calls are still being made that nobody waits for."""

    @property
    def in_flight(self) -> int:
        """Requests that have been made and not been answered."""
        return self.limits.in_flight

    def stop(self, stopped: Stopped) -> None:
        """Make no more requests, and let those in flight be answered; the first reason counts.

        May be called by any thread.
        """
        if self.stopped is None:
            self.stopped = stopped
        self._completed.put(None)

    def play(self, jobs: Iterable[EpisodeJob | QuestionJob]) -> None:
        """Play jobs, in the order in which they are begun, and close the pool; `stopped` says what went wrong.

        KeyboardInterrupt stops it at once, also while the pool is closed.
        """
        self._jobs = iter(jobs)
        try:
            try:
                self._pool.watch(self._ends_at + self._grace, self._tell_delay)
                self._play()
            except GridworldError as error:  # no thread can be started
                self.stop(Stopped(StopReason.FAILED, "stopped before anything was asked", error))
            finally:
                self.abandoned = bool(self._flights)
                left = [each for slot in self._slots() for each in slot.active]
                for number in left:
                    self._journal.close(number)
                fault = self._pool.close(kill=self.abandoned)
            if fault is not None:
                self.stop(Stopped(StopReason.FAILED, "stopped at the end", fault))
        except KeyboardInterrupt:
            self.stop(Stopped(StopReason.INTERRUPTED, "interrupted"))

    def _slots(self) -> list[_Slot]:
        return [*self._idle, *(flight.slot for flight in self._flights.values())]

    def _play(self) -> None:
        while True:
            self._dispatch()
            if not self._flights and (self.stopped is not None or not self._is_work_left()):
                return
            self._settle_next()
            if self._ends_at < math.inf and self._is_time_over():
                return

    def _is_work_left(self) -> bool:
        return not self._exhausted or any(slot.active for slot in self._idle)

    def _dispatch(self) -> None:
        """Make the next call of each slot that has one."""
        for _ in range(len(self._idle)):
            slot = self._idle.popleft()
            if not self._call_next(slot):
                self._idle.append(slot)

    def _call_next(self, slot: _Slot) -> bool:
        """Make the next call of a slot; returns whether there is one."""
        following, slot.following = slot.following, None
        if following is not None and (self.stopped is None or isinstance(following, Apply)):
            return self._submit(slot, following)
        if self.stopped is not None:
            return False
        if len(slot.active) < self._batch and not self._exhausted:
            jobs = self._next_jobs(self._batch - len(slot.active))
            if jobs:
                slot.active.update((job.number, _Active(job)) for job in jobs)
                return self._submit(slot, Open(jobs))
        return bool(slot.active) and self._ask(slot)

    def _next_jobs(self, most: int) -> tuple[EpisodeJob | QuestionJob, ...]:
        jobs: list[EpisodeJob | QuestionJob] = []
        try:
            while len(jobs) < most:
                job = next(self._jobs, None)
                if job is None:
                    self._exhausted = True
                    break
                jobs.append(job)
        except Exception as error:  # jobs may be made as they are needed, with the help of plugins
            self._exhausted = True
            self.stop(Stopped(StopReason.FAILED, "stopped before the next task", error))
        return tuple(jobs)

    def _ask(self, slot: _Slot) -> bool:
        """Make the requests of a slot that are due, as far as the limits allow; returns whether there are any."""
        now = self._clock.time()
        due = [number for number, each in slot.active.items() if each.due <= now]
        cached = [number for number in due if self._is_cached(slot, number)]
        due = [number for number in due if number not in cached] if cached else due
        granted = 0
        if due:
            reached = self.limits.budget.reached()
            if reached is not None:
                self.stop(Stopped.at(reached))
                return False
            granted = self.limits.grant(len(due))
        chosen = (*cached, *due[:granted])
        return bool(chosen) and self._submit(slot, Ask(chosen), granted)

    def _is_cached(self, slot: _Slot, number: int) -> bool:
        waiting = slot.active[number].waiting
        return waiting is not None and waiting.is_cached

    def _submit(self, slot: _Slot, call: Call, granted: int = 0) -> bool:
        flight = _Flight(slot, call, self._clock.time(), self.limits.generation, granted)
        try:
            future = self._pool.submit(slot.number, call)
        except BaseException:  # interrupted in a call that is made by this thread
            self._idle.append(slot)
            raise
        self._flights[future] = flight
        future.add_done_callback(self._completed.put)
        return True

    def _settle_next(self) -> None:
        """Wait until a call is completed or something is due, and settle all calls that are completed."""
        future = self._clock.wait(self._completed, self._next_due() - self._clock.time())
        while True:
            if future is not None:
                self._settle(future)
            if self._completed.empty():
                return
            future = self._completed.get()

    def _next_due(self) -> float:
        """When something is to be done even if no call is completed."""
        if self.stopped is not None:
            return self._ends_at + self._grace
        due = self._ends_at
        now = self._clock.time()
        for slot in self._idle:
            for each in slot.active.values():
                at = max(each.due, self.limits.opens_at)
                if at > now:
                    due = min(due, at)
        return due

    def _settle(self, future: Future[list[Update]]) -> None:
        """Write down what a call returned, and decide on the next one of its slot."""
        flight = self._flights.pop(future)
        slot, error = flight.slot, future.exception()
        self._idle.append(slot)
        if error is not None:
            for _ in range(flight.granted):
                self.limits.release()
            self._fail(slot, error)
            return
        try:
            if isinstance(flight.call, Ask):
                self._settle_requests(flight, future.result())
            else:
                self._settle_moves(flight, future.result())
        except Exception as failure:  # it cannot be written; a defect must not lose finished episodes either
            self._fail(slot, failure)

    def _settle_requests(self, flight: _Flight, updates: list[Update]) -> None:
        """Write down the requests of a call, and decide which answers count."""
        slot, counted_ones, call = flight.slot, [], flight.call
        assert not isinstance(call, Open)
        unsettled = flight.granted
        try:
            for number, update in zip(call.numbers, updates, strict=True):
                active, counts, was_made = slot.active[number], True, False
                for event in update.events:
                    if isinstance(event, RequestMade):
                        was_made = True
                        if not event.request.cached:
                            unsettled -= 1
                        counts = self._settle_request(flight, active, event)
                    else:
                        self._write(active.job, event)
                if not was_made and not self._is_cached(slot, number):
                    unsettled -= 1
                    self.limits.release()
                if counts:
                    counted_ones.append(number)
        finally:
            for _ in range(unsettled):
                self.limits.release()
            if counted_ones:
                slot.following = Apply(tuple(counted_ones))
        slot.lost = 0

    def _settle_request(self, flight: _Flight, active: _Active, event: RequestMade) -> bool:
        """Account for a request, and write it down; returns whether it counts."""
        request = event.request
        if request.cached:
            self.limits.budget.spent = self.limits.budget.spent.plus(request)
        else:
            self.limits.settle(request, flight.made_at, flight.generation)
        if request.trouble is None:
            active.failures = Failures()
            self._write(active.job, event)
            return True
        verdict = self.limits.handle_fault(request, active.failures)
        if verdict is None:
            self._write(active.job, event)
            return True
        self._write(active.job, event.as_failed())
        if isinstance(verdict, Stopped):
            self.stop(verdict)
        else:
            self._pause(active, Pause(event.step, verdict, request.message))
        return False

    def _settle_moves(self, flight: _Flight, updates: list[Update]) -> None:
        """Write down what happened until the next requests."""
        slot, call = flight.slot, flight.call
        numbers = [job.number for job in call.jobs] if isinstance(call, Open) else call.numbers
        for number, update in zip(numbers, updates, strict=True):
            active = slot.active[number]
            for event in update.events:
                self._write(active.job, event)
            active.waiting, active.due = update.waiting, -math.inf
            if update.waiting is None:
                del slot.active[number]
                self._journal.close(number)
                stopped = self._listener.finished(active.job)
                if stopped is not None:
                    self.stop(stopped)
            elif update.waiting.retry is not None:
                retry, step = update.waiting.retry, update.waiting.step
                seconds = self.limits.backoff.delay(retry.number - 1, retry.retry_after)
                self._pause(active, Pause(step, seconds, retry.reason, retry.number, retry.retries))
        if isinstance(call, Apply):
            slot.lost = 0

    def _write(self, job: EpisodeJob | QuestionJob, event: Event) -> None:
        self._journal.add(job.number, event)
        job.note(event)
        self._listener.happened(job, event)

    def _pause(self, active: _Active, pause: Pause) -> None:
        active.due = self._clock.time() + pause.seconds
        if self.stopped is None:
            self._listener.paused(active.job, pause)

    def _fail(self, slot: _Slot, error: BaseException) -> None:
        """Replace a worker that was lost, and play its jobs on; stop at any other error."""
        left = list(slot.active.values())
        if isinstance(error, WorkerLost):
            slot.lost += 1
            if slot.lost == MAX_LOST:
                error = WorkerLost(f"{MAX_LOST} workers in a row were lost without a step: {error}")
            elif self._replace(slot, error):
                return
        slot.active.clear()
        for each in left:
            self._journal.close(each.job.number)
        if isinstance(error, KeyboardInterrupt):
            self.stop(Stopped(StopReason.INTERRUPTED, "interrupted"))
            return
        names = ", ".join(each.job.name for each in left)
        where = f"at {visible_line(names)}" if names else "before the next task"
        self.stop(Stopped(StopReason.FAILED, f"stopped {where}", error))

    def _replace(self, slot: _Slot, error: WorkerLost) -> bool:
        """Have another worker open the jobs of a slot; returns whether there is one."""
        if self.stopped is not None:  # a program that is left ends its processes
            return True
        try:
            self._pool.replace(slot.number)
        except GridworldError as failure:
            self.stop(Stopped(StopReason.FAILED, "stopped before the next task", failure))
            return False
        self._listener.worker_lost(str(error))
        for each in slot.active.values():
            each.waiting, each.due, each.failures = None, -math.inf, Failures()
        if slot.active:
            slot.following = Open(tuple(each.job for each in slot.active.values()))
        return True

    def _is_time_over(self) -> bool:
        """Stop when the time is over; returns whether the grace of the requests in flight is over, too."""
        now, reached = self._clock.time(), LimitReached.of("seconds", self.limits.budget.limits.seconds or 0.0)
        if now >= self._ends_at:
            self.stop(Stopped.at(reached))
        if now < self._ends_at + self._grace or not self._flights:
            return False
        cut = self.in_flight
        if self.stopped is not None and cut:
            requests = f"{counted(cut, 'request')} in flight {'was' if cut == 1 else 'were'} abandoned"
            self.stopped = attrs.evolve(self.stopped, message=f"{self.stopped.message}, {requests}")
        return True

    def _tell_delay(self) -> None:
        reached = LimitReached.of("seconds", self.limits.budget.limits.seconds or 0.0)
        self._listener.stop_delayed(f"{reached.message}, but {UNSTOPPABLE}")
