"""What Ctrl-C and SIGTERM do to a run: the first one ends it cleanly, a second one at once."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

from multinet_eval.cli.echo import echo

__all__ = ["GRACE", "clean_interrupts"]

GRACE = 10.0
"""The seconds for which requests in flight may still be answered."""
SIGNALS = (signal.SIGINT, signal.SIGTERM)


@contextmanager
def clean_interrupts(stop: Callable[[], object], in_flight: Callable[[], int], grace: float = GRACE) -> Iterator[None]:
    """Meanwhile, call `stop` on the first signal, and raise KeyboardInterrupt on a second one or after a while.

    Args:
        stop: makes the run stop soon.
        in_flight: how many requests are waited for.
        grace: the seconds after which they are waited for no longer; 0 to raise on the first signal.
    """
    if threading.current_thread() is not threading.main_thread():
        yield  # signals are handled by the main thread alone
        return
    stopping = False

    def handle(number: int, frame: FrameType | None) -> None:
        nonlocal stopping
        if stopping or not grace:
            raise KeyboardInterrupt
        stopping = True
        # By a thread, since what is interrupted here may hold a lock that `stop` or the stream needs.
        threading.Thread(target=_wind_down, args=(stop, in_flight), name="interrupt", daemon=True).start()
        signal.signal(signal.SIGALRM, _at_once)
        signal.setitimer(signal.ITIMER_REAL, grace)

    former: list[tuple[int, Any]] = [(number, signal.getsignal(number)) for number in (*SIGNALS, signal.SIGALRM)]
    for each in SIGNALS:
        signal.signal(each, handle)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        for number, handler in former:
            signal.signal(number, handler)


def _wind_down(stop: Callable[[], object], in_flight: Callable[[], int]) -> None:
    stop()
    waited_for = in_flight()
    if waited_for:
        requests = "1 request" if waited_for == 1 else f"{waited_for} requests"
        echo(f"stopping: up to {GRACE:g} s for {requests} in flight; Ctrl-C again stops at once", err=True)


def _at_once(number: int, frame: FrameType | None) -> None:
    raise KeyboardInterrupt
