"""`time_limit`: stops a session when its time is over, waits included; requests in flight still come to their end."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from multinet_eval.runs.budget import limit_reached
from multinet_eval.runs.session import Session, StopReason

__all__ = ["time_limit"]


@contextmanager
def time_limit(session: Session) -> Iterator[None]:
    """Meanwhile, stop a session as soon as the seconds of its budget are over."""
    seconds = session.budget.limits.seconds
    if seconds is None or seconds > threading.TIMEOUT_MAX:
        yield
        return
    timer = threading.Timer(seconds, session.stop, (StopReason.BUDGET, limit_reached("seconds", seconds)))
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
