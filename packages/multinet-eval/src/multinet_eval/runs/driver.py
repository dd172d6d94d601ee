"""Plays the episodes of a plan on workers, as many at once as there are lanes."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Iterable

from gridworld.support.wording import visible_line
from multinet_eval.runs.executors import Executor
from multinet_eval.runs.lane import Lane
from multinet_eval.runs.session import Session, StopReason
from multinet_eval.runs.worker import Job

__all__ = ["play_jobs"]


def play_jobs(session: Session, executor: Executor, jobs: Iterable[Job], workers: int) -> None:
    """Play episodes until all have ended or the session stops; what became of them is in the session.

    With one worker the calling thread plays, so that models that are bound to a thread work.

    Args:
        session: the session.
        executor: makes the workers; it is closed in the end.
        jobs: the episodes, in the order in which they are begun.
        workers: how many are played at once, at least 1.
    """
    waiting = deque(jobs)
    lanes = min(workers, len(waiting))
    try:
        if lanes <= 1:
            _play_in_lane(session, executor, waiting)
        else:
            _play_in_threads(session, executor, waiting, lanes)
    finally:
        executor.close()


def _play_in_threads(session: Session, executor: Executor, waiting: deque[Job], lanes: int) -> None:
    threads = [
        threading.Thread(target=_play_in_lane, args=(session, executor, waiting), name=f"lane-{number}", daemon=True)
        for number in range(lanes)
    ]
    for thread in threads:
        thread.start()
    try:
        for thread in threads:
            while thread.is_alive():
                thread.join(0.2)  # in pieces, so that signals are handled meanwhile
    except KeyboardInterrupt:  # whoever is in a hurry does not wait for requests; their threads end with the program
        session.stop(StopReason.INTERRUPTED, "interrupted")


def _play_in_lane(session: Session, executor: Executor, waiting: deque[Job]) -> None:
    lane = Lane(session, executor)
    while not session.stopping and (job := _next(waiting)) is not None:
        _play_job(session, lane, job)
    fault = lane.close()
    if fault is not None:
        session.stop(StopReason.FAILED, "stopped at the end", fault)


def _play_job(session: Session, lane: Lane, job: Job) -> None:
    try:
        lane.play(job)
    except KeyboardInterrupt:
        session.stop(StopReason.INTERRUPTED, "interrupted")
    except BaseException as error:  # even a defect must not take the finished episodes with it
        session.stop(StopReason.FAILED, f"stopped at {visible_line(job.planned.task_id)}", error)


def _next(waiting: deque[Job]) -> Job | None:
    try:
        return waiting.popleft()
    except IndexError:
        return None
