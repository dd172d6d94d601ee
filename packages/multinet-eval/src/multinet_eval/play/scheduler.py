"""`Scheduler`: one thread that decides when each request is made, and how to proceed with its answer.

It is the only code that touches the journal, the limits and the observers, so none of them needs a lock. A worker opens
a job (`Open`), makes its request as soon as the limits allow (`Ask`), and uses the answer to play up to the next
request (`Apply`). Everything that a call returns is written before the next call is made; only the line of a request
that cost nothing is written together with the line of its step.
"""

from __future__ import annotations

import math
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future
from queue import Empty, SimpleQueue

import attrs

from gridworld.errors import GridworldError
from gridworld.support.wording import counted, visible_line
from multinet_eval.play.limits import Failures, Limits, Stopped, StopReason
from multinet_eval.play.observers import Listener, Pause
from multinet_eval.play.pools.pool import Pool, WorkerLost
from multinet_eval.play.worker import Apply, Ask, Call, Job, NextRequest, Open, Update
from multinet_eval.record.events import Event, RequestMade
from multinet_eval.record.journal import Journal
from multinet_eval.settings.defaults import GRACE

MAX_LOST = 5
"""Maximum number of consecutive lost workers without any progress of their jobs."""
UNSTOPPABLE = (
    "a request in flight is made in the program's own thread, which cannot be cut off: wait for it, or stop it with "
    "Ctrl-C; with --executor processes it can be cut off"
)


class Clock:
    """The scheduler's clock, including how it waits."""

    time: Callable[[], float] = staticmethod(time.monotonic)
    """Monotonic time in seconds."""

    def wait(self, completed: SimpleQueue[Future[list[Update]] | None], seconds: float) -> Future[list[Update]] | None:
        """Wait for the next completed call; return None after `seconds`, or when the scheduler is woken."""
        try:
            return completed.get(timeout=min(max(0.0, seconds), threading.TIMEOUT_MAX))
        except Empty:
            return None


@attrs.define(eq=False)
class _Active:
    """A job in progress."""

    job: Job
    request: NextRequest | None = None
    due: float = -math.inf
    """Time before which the job's request must not be made."""
    failures: Failures | None = None
    """Consecutive faults of the job's current request."""
    furthest: int = attrs.field()
    """Greatest progress over all attempts at the job."""

    @furthest.default
    def _progress_before(self) -> int:
        return self.job.progress


@attrs.define(eq=False)
class _Slot:
    """A worker of the pool, with the jobs that it plays."""

    number: int
    active: dict[int, _Active] = attrs.Factory(dict)
    """Jobs on this worker, by number."""
    call: Call | None = None
    """Call in progress, if any."""
    made_at: float = 0.0
    """Time at which the current call was made."""
    generation: int = 0
    """`Limits.generation` when the current call was made."""
    granted: int = 0
    """Number of requests in the current call that the limits have granted."""
    following: Call | None = None
    """Next call, if it needs no grant."""
    lost: int = 0
    """Number of consecutive lost workers without any progress."""


class Scheduler:
    """Plays jobs until all have ended, or something stops it.

    Args:
        pool: calls the workers; closed at the end.
        limits: limits of the requests.
        journal: writes the events.
        listener: is notified of the events.
        batch: number of jobs that each worker plays at the same time, at least 1.
        grace: seconds for which requests in flight may still be answered once the time limit is reached.
        clock: the clock.
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
        self._time_limit = Stopped.at_limit("seconds", limits.budget.limits.seconds or 0.0)
        self._grace = grace
        self._clock = clock or Clock()
        self._time = self._clock.time
        self._jobs: Iterator[Job] = iter(())
        self._exhausted = False
        self._slots = [_Slot(number) for number in range(pool.size)]
        self._idle = deque(self._slots)
        """Slots without a call, the longest idle first."""
        self._looked_at = 0.0
        """Time at which the current calls were chosen."""
        self._calls: dict[Future[list[Update]], _Slot] = {}
        self._completed: SimpleQueue[Future[list[Update]] | None] = SimpleQueue()
        self.stopped: Stopped | None = None
        """Reason for stopping before the last job has ended."""
        self.abandoned = False
        """Whether calls were still in progress when the scheduler stopped."""

    @property
    def in_flight(self) -> int:
        """Number of requests sent but not answered yet."""
        return self.limits.in_flight

    def stop(self, stopped: Stopped) -> None:
        """Make no more requests, but wait for those in flight; a later reason does not replace the first.

        May be called from any thread.
        """
        if self.stopped is None:
            self.stopped = stopped
            self._completed.put(None)

    def play(self, jobs: Iterable[Job]) -> None:
        """Play jobs, started in order, and close the pool; `stopped` then holds the reason for stopping early.

        KeyboardInterrupt stops it immediately, even while the pool is being closed.
        """
        self._jobs = iter(jobs)
        try:
            try:
                self._pool.watch(self._ends_at + self._grace - self._time(), self._tell_delay)
                self._play()
            except GridworldError as error:  # no thread can be started
                self.stop(Stopped(StopReason.FAILED, "stopped before anything was asked", error))
            finally:
                while not self._completed.empty():  # answers that came just before an interruption
                    future = self._completed.get()
                    if future is not None:
                        self._settle(future)
                self.abandoned = self._pool.in_background and any(slot.call is not None for slot in self._slots)
                self._journal.close_all()
                fault = self._pool.close(kill=self.abandoned)
            if fault is not None:
                self.stop(Stopped(StopReason.FAILED, "stopped at the end", fault))
        except KeyboardInterrupt:
            self.stop(Stopped(StopReason.INTERRUPTED, "interrupted"))
        if self.abandoned and self.stopped is not None and self.in_flight:
            verb = "was" if self.in_flight == 1 else "were"
            cut = f"{counted(self.in_flight, 'request')} in flight {verb} abandoned"
            self.stopped = attrs.evolve(self.stopped, message=f"{self.stopped.message}, {cut}")

    def _tell_delay(self) -> None:
        self._listener.stop_delayed(f"{self._time_limit.message}, but {UNSTOPPABLE}")

    def _play(self) -> None:
        while True:
            self._dispatch()
            is_work_left = not self._exhausted or any(slot.active for slot in self._idle)
            if not self._calls and (self.stopped is not None or not is_work_left):
                return
            if self._ends_at < math.inf and self._is_time_over():
                return
            self._settle_next()

    def _dispatch(self) -> None:
        """Make the next call of each slot that has one."""
        now = self._looked_at = self._time()
        for _ in range(len(self._idle)):
            slot = self._idle.popleft()
            call = self._next_call(slot, now)
            if call is None:
                self._idle.append(slot)
                continue
            slot.call, slot.made_at, slot.generation = call, now, self.limits.generation
            try:
                future = self._pool.submit(slot.number, call)
            except Exception as error:  # such as a thread that cannot be started
                future = Future()
                future.set_exception(error)
            self._calls[future] = slot
            future.add_done_callback(self._completed.put)

    def _next_call(self, slot: _Slot, now: float) -> Call | None:
        """Choose the next call of a slot; None if there is none yet."""
        following, slot.following = slot.following, None
        if following is not None and (self.stopped is None or isinstance(following, Apply)):
            return following
        if self.stopped is not None:
            return None
        if len(slot.active) < self._batch and not self._exhausted:
            jobs = self._next_jobs(self._batch - len(slot.active))
            if jobs and now >= self._ends_at:
                self.stop(self._time_limit)
                return None
            if jobs:
                slot.active.update((job.number, _Active(job)) for job in jobs)
                return Open(jobs)
        return self._next_ask(slot, now) if slot.active else None

    def _next_jobs(self, most: int) -> tuple[Job, ...]:
        jobs: list[Job] = []
        try:
            while len(jobs) < most:
                job = next(self._jobs, None)
                if job is None:
                    self._exhausted = True
                    break
                jobs.append(job)
        except Exception as error:  # plugins may help to make jobs
            self._exhausted = True
            self.stop(Stopped(StopReason.FAILED, "stopped before the next task", error))
            return ()
        return tuple(jobs)

    def _next_ask(self, slot: _Slot, now: float) -> Ask | None:
        """Choose a slot's due requests, as far as the limits allow."""
        cached, due = list[int](), list[int]()
        for number, active in slot.active.items():
            if active.request is not None and active.due <= now:
                (cached if active.request.is_cached else due).append(number)
        slot.granted = 0
        if due:
            reached = None if self.limits.budget.is_unlimited else self.limits.budget.reached()
            if reached is not None:
                self.stop(reached)
                return None
            slot.granted = self.limits.grant(len(due), now)
        chosen = (*cached, *due[: slot.granted])
        return Ask(chosen) if chosen else None

    def _settle_next(self) -> None:
        """Wait until a call is completed or something is due, then process all completed calls."""
        if self._completed.empty():
            future = self._clock.wait(self._completed, self._next_due() - self._time())
        else:
            future = self._completed.get()
        while True:
            if future is not None:
                self._settle(future)
            if self._completed.empty():
                return
            future = self._completed.get()

    def _next_due(self) -> float:
        """Return the next time at which something is due even if no call completes."""
        if self.stopped is not None:
            return self._ends_at + self._grace
        due = self._ends_at
        for slot in self._idle:
            for each in slot.active.values():
                at = max(each.due, self.limits.opens_at)
                if at > self._looked_at:  # requests due earlier wait for a call to be completed
                    due = min(due, at)
        return due

    def _settle(self, future: Future[list[Update]]) -> None:
        """Write a call's results, and decide on the slot's next call."""
        slot = self._calls.pop(future)
        call, slot.call = slot.call, None
        assert call is not None
        self._idle.append(slot)
        error = future.exception()
        if error is not None:
            self.limits.release(slot.granted if isinstance(call, Ask) else 0)
            self._fail(slot, error)
            return
        try:
            updates = future.result()
            if isinstance(call, Ask):
                self._settle_requests(slot, call.numbers, updates)
            else:
                self._settle_moves(slot, call, updates)
        except Exception as failure:  # such as a full disk; a defect must not lose finished episodes either
            self._fail(slot, failure)

    def _settle_requests(self, slot: _Slot, numbers: tuple[int, ...], updates: list[Update]) -> None:
        """Write the requests of a call before using any of their answers, and decide which of them count."""
        counting, failure = list[int](), None
        for number, update in zip(numbers, updates, strict=True):
            try:
                if self._settle_request(slot, slot.active[number], update.events):
                    counting.append(number)
            except Exception as error:  # the other answers are written all the same
                failure = failure or error
        if failure is not None:
            raise failure
        slot.following = Apply(tuple(counting)) if counting else None

    def _settle_request(self, slot: _Slot, active: _Active, events: list[Event]) -> bool:
        """Write the events of one request; return whether it counts, so that its answer is used."""
        made = events[-1] if events else None
        if not isinstance(made, RequestMade):  # a plugin failed before the model was asked
            self.limits.release(not (active.request is not None and active.request.is_cached))
            return True
        request = made.request
        self.limits.settle(request, slot.made_at, slot.generation)
        for event in events[:-1]:
            self._write(active.job, event)
        if request.trouble is None:
            active.failures = None
            self._write(active.job, made)
            return True
        active.failures = active.failures or Failures()
        verdict = self.limits.handle_fault(request, active.failures)
        self._write(active.job, made._replace(counts=verdict is None))
        if isinstance(verdict, Stopped):
            self.stop(verdict)
        elif verdict is not None:
            self._pause(active, Pause(made.step, verdict, request.message))
        return verdict is None

    def _settle_moves(self, slot: _Slot, call: Open | Apply, updates: list[Update]) -> None:
        """Write what happened up to the next requests."""
        numbers = [job.number for job in call.jobs] if isinstance(call, Open) else call.numbers
        for number, update in zip(numbers, updates, strict=True):
            active = slot.active[number]
            for event in update.events:
                self._write(active.job, event)
            active.request, active.due = update.request, -math.inf
            if update.request is None:
                del slot.active[number]
                slot.lost = 0
                self._journal.close(number)
                stopped = self._listener.finished(active.job)
                if stopped is not None:
                    self.stop(stopped)
            elif update.request.retry is not None:
                retry, step = update.request.retry, update.request.step
                seconds = self.limits.backoff.delay(retry.number - 1, retry.retry_after)
                self._pause(active, Pause(step, seconds, retry.reason, retry.number, retry.retries))

    def _write(self, job: Job, event: Event) -> None:
        self._journal.add(job.number, event)
        job.note(event)
        self._listener.happened(job, event)

    def _pause(self, active: _Active, pause: Pause) -> None:
        active.due = self._time() + pause.seconds
        if self.stopped is None:
            self._listener.paused(active.job, pause)

    def _fail(self, slot: _Slot, error: BaseException) -> None:
        """Replace a lost worker and continue its jobs; stop for any other error."""
        left = list(slot.active.values())
        if isinstance(error, WorkerLost):
            slot.lost = 1 if any(each.job.progress > each.furthest for each in left) else slot.lost + 1
            for each in left:
                each.furthest = max(each.furthest, each.job.progress)
            if slot.lost == MAX_LOST:
                error = WorkerLost(f"{MAX_LOST} workers in a row were lost without a step: {error}")
            elif self._replace(slot, error):
                return
        slot.active.clear()
        if isinstance(error, KeyboardInterrupt):
            self.stop(Stopped(StopReason.INTERRUPTED, "interrupted"))
            return
        names = ", ".join(each.job.name for each in left)
        where = f"at {visible_line(names)}" if names else "before the next task"
        self.stop(Stopped(StopReason.FAILED, f"stopped {where}", error))

    def _replace(self, slot: _Slot, error: WorkerLost) -> bool:
        """Let another worker open the jobs of a slot; return False if the lost worker cannot be replaced."""
        if self.stopped is not None:  # a program that is left ends its processes
            return True
        try:
            self._pool.replace(slot.number)
        except GridworldError as failure:
            self.stop(Stopped(StopReason.FAILED, "stopped before the next task", failure))
            return False
        self._listener.worker_lost(str(error))
        for each in slot.active.values():
            each.request, each.due, each.failures = None, -math.inf, None
        if slot.active:
            slot.following = Open(tuple(each.job for each in slot.active.values()))
        return True

    def _is_time_over(self) -> bool:
        """Stop when the time limit is reached; return whether the grace period is also over."""
        now = self._time()
        if now >= self._ends_at:
            self.stop(self._time_limit)
        return now >= self._ends_at + self._grace and bool(self._calls) and self._completed.empty()


class Stoppable:
    """Base of runs and probings, which a scheduler plays and users can stop."""

    _scheduler: Scheduler | None = None
    _stop: Stopped | None = None
    interruptible = True
    """Whether KeyboardInterrupt may be raised in the main thread, which plays, without losing finished work."""

    @property
    def in_flight(self) -> int:
        """Number of requests sent but not answered yet."""
        return 0 if self._scheduler is None else self._scheduler.in_flight

    def stop(self, message: str) -> None:
        """Stop as soon as the requests in flight are answered; may be called from any thread at any time."""
        self._stop = Stopped(StopReason.INTERRUPTED, message)
        if self._scheduler is not None:
            self._scheduler.stop(self._stop)

    def _play_by(self, scheduler: Scheduler) -> Scheduler:
        """Set the scheduler that `stop` acts on; stops it immediately if `stop` was called before."""
        self._scheduler = scheduler
        if self._stop is not None:
            scheduler.stop(self._stop)
        return scheduler
