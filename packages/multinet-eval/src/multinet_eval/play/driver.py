"""Plays the episodes of a plan on workers, each of which has a lane."""

from __future__ import annotations

import math
import threading
import time
from collections import deque
from collections.abc import Iterable, Sequence

from gridworld.errors import GridworldError
from gridworld.support.wording import visible_line
from multinet_eval.play.lane import Lane
from multinet_eval.play.news import Job
from multinet_eval.play.pools.executors import Executor
from multinet_eval.play.session import Session, StopReason
from multinet_eval.play.time_limit import time_limit
from multinet_eval.support.starting import starting

__all__ = ["play_jobs"]

SETTLE = 1.0
"""Seconds in which a thread whose worker was killed has ended."""
UNSTOPPABLE = (
    "a request in flight is made in the program's own thread, which cannot be cut off: wait for it, or stop it with "
    "Ctrl-C; with --executor processes it can be cut off"
)


def play_jobs(session: Session, executor: Executor, jobs: Iterable[Job], workers: int, batch_size: int = 1) -> None:
    """Play episodes until all have ended, the session stops or its time is over; what became of them is in the session.

    KeyboardInterrupt stops the session wherever it is raised, also while workers and executor are closed. With one
    worker the calling thread plays, so that models that are bound to a thread work.

    Args:
        session: the session.
        executor: makes the workers; it is closed in the end.
        jobs: the episodes, in the order in which they are begun.
        workers: how many workers there are, at least 1.
        batch_size: how many episodes each of them plays at once, at least 1.
    """
    waiting = deque(jobs)
    lanes = [Lane(session, executor, waiting, batch_size) for _ in range(min(workers, len(waiting)))]
    try:
        with time_limit(session, lambda: _cut_off(session, lanes)):
            session.interruptibly(lambda: _play(session, lanes))
    except GridworldError as error:  # no thread can be started
        session.stop(StopReason.FAILED, "stopped before anything was asked", error)
    finally:
        session.interruptibly(executor.close)


def _cut_off(session: Session, lanes: Sequence[Lane]) -> None:
    """End what is under way: workers that can be killed are, and threads are left behind."""
    session.cut.set()
    if len(lanes) == 1 and not lanes[0].killable:
        why = "" if session.stopped is None else f"{session.stopped.message}, but "
        with session.lock:
            session.observer.stop_delayed(f"{why}{UNSTOPPABLE}")
        return
    session.abandon_requests()
    for lane in lanes:
        lane.kill()


def _play(session: Session, lanes: Sequence[Lane]) -> None:
    if len(lanes) == 1:
        _play_in_lane(session, lanes[0])
    else:
        _play_in_threads(session, lanes)


def _play_in_threads(session: Session, lanes: Sequence[Lane]) -> None:
    threads: list[threading.Thread] = []
    try:
        _start_threads(session, lanes, threads)
        _wait_for(threads, session)
    finally:  # whoever interrupts this does not wait for requests; their threads end with the program
        session.abandoned = any(thread.is_alive() for thread in threads)
        for lane in lanes if session.abandoned else ():
            lane.kill()


def _start_threads(session: Session, lanes: Sequence[Lane], threads: list[threading.Thread]) -> None:
    """Start a thread for each lane, and list it; the session stops if the system allows no more of them."""
    for number, lane in enumerate(lanes):
        thread = threading.Thread(target=_play_in_lane, args=(session, lane), name=f"lane-{number}", daemon=True)
        try:
            with starting(f"the thread of worker {number + 1} of {len(lanes)}"):
                thread.start()
        except GridworldError as error:
            session.stop(StopReason.FAILED, "stopped before all workers had begun", error)
            return
        threads.append(thread)


def _wait_for(threads: Iterable[threading.Thread], session: Session) -> None:
    """Wait until threads have ended; not for long once the session is cut off."""
    end = math.inf
    for thread in threads:
        while thread.is_alive() and time.monotonic() < end:
            thread.join(0.2)  # in pieces, so that signals are handled meanwhile
            if session.cut.is_set():
                end = min(end, time.monotonic() + SETTLE)


def _play_in_lane(session: Session, lane: Lane) -> None:
    try:
        lane.play()
    except KeyboardInterrupt:
        session.stop(StopReason.INTERRUPTED, "interrupted")
    except BaseException as error:  # even a defect must not take the finished episodes with it
        where = f"at {visible_line(', '.join(lane.left_at))}" if lane.left_at else "before the next task"
        session.stop(StopReason.FAILED, f"stopped {where}", error)
    fault = lane.close()
    if fault is not None:
        session.stop(StopReason.FAILED, "stopped at the end", fault)
