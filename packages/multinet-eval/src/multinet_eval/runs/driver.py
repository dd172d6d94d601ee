"""Plays the episodes of a plan on workers, each of which has a lane."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Iterable, Sequence

from gridworld.support.wording import visible_line
from multinet_eval.runs.executors import Executor
from multinet_eval.runs.lane import Lane
from multinet_eval.runs.news import Job
from multinet_eval.runs.session import Session, StopReason

__all__ = ["play_jobs"]


def play_jobs(session: Session, executor: Executor, jobs: Iterable[Job], workers: int, batch_size: int = 1) -> None:
    """Play episodes until all have ended or the session stops; what became of them is in the session.

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
        session.interruptibly(lambda: _play(session, lanes))
    finally:
        session.interruptibly(executor.close)


def _play(session: Session, lanes: Sequence[Lane]) -> None:
    if len(lanes) == 1:
        _play_in_lane(session, lanes[0])
    else:
        _play_in_threads(session, lanes)


def _play_in_threads(session: Session, lanes: Iterable[Lane]) -> None:
    threads = [
        threading.Thread(target=_play_in_lane, args=(session, lane), name=f"lane-{number}", daemon=True)
        for number, lane in enumerate(lanes)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:  # whoever interrupts this does not wait for requests; their threads end with the program
        while thread.is_alive():
            thread.join(0.2)  # in pieces, so that signals are handled meanwhile


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
