"""`time_limit`: stops a session when its time is over, waits included, and cuts off what is in flight after a grace."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from multinet_eval.play.session import Session
from multinet_eval.settings.spending import LimitReached
from multinet_eval.support.starting import starting

__all__ = ["time_limit"]


@contextmanager
def time_limit(session: Session, cut_off: Callable[[], object]) -> Iterator[None]:
    """Meanwhile, stop a session as soon as the seconds of its budget are over.

    Args:
        session: the session.
        cut_off: called in another thread if what is in flight has not ended when the session's grace is over, too.

    Raises:
        GridworldError: the system allows no more threads.
    """
    seconds = session.budget.limits.seconds
    if seconds is None or seconds > threading.TIMEOUT_MAX:
        yield
        return
    ended = threading.Event()

    def watch() -> None:
        if ended.wait(seconds):
            return
        session.stop_at(LimitReached.of("seconds", seconds))
        if not ended.wait(session.grace):
            cut_off()

    with starting("the thread that keeps --max-time"):
        threading.Thread(target=watch, name="time-limit", daemon=True).start()
    try:
        yield
    finally:
        ended.set()
