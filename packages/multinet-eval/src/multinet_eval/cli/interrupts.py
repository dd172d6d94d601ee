"""What Ctrl-C and SIGTERM do to a run: the first one ends it cleanly, a second one at once."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from queue import SimpleQueue
from types import FrameType
from typing import Any, Protocol

from multinet_eval.cli.echo import echo

__all__ = ["GRACE", "Stoppable", "clean_interrupts"]

GRACE = 10.0
"""The seconds for which requests in flight may still be answered."""
LATER = 0.1
"""The seconds after which an interruption is tried again that came while nothing could be interrupted."""
SIGNALS = (signal.SIGINT, signal.SIGTERM)


class Stoppable(Protocol):
    """What signals stop, such as a `multinet_eval.runs.running.Run`."""

    @property
    def in_flight(self) -> int:
        """How many requests are waited for."""

    @property
    def interruptible(self) -> bool:
        """Whether KeyboardInterrupt may be raised now, in the main thread."""

    def stop(self, message: str) -> None:
        """Stop soon; called by any thread."""


@contextmanager
def clean_interrupts(run: Stoppable, grace: float = GRACE) -> Iterator[None]:
    """Meanwhile, stop a run on the first signal, and raise KeyboardInterrupt on a second one or after a while.

    The second signal and the end of the grace raise it once between them; each further signal raises it again. While
    the run is not `interruptible`, nothing is raised.

    Args:
        run: the run.
        grace: the seconds after which requests in flight are waited for no longer; 0 to raise on the first signal.
    """
    if threading.current_thread() is not threading.main_thread():
        yield  # signals are handled by the main thread alone
        return
    interrupts = _Interrupts(run, grace)
    former: list[tuple[int, Any]] = [(number, signal.getsignal(number)) for number in (*SIGNALS, signal.SIGALRM)]
    signal.signal(signal.SIGALRM, interrupts.grace_over)
    for each in SIGNALS:
        signal.signal(each, interrupts.signalled)
    try:
        yield
    finally:
        interrupts.end()
        for number, handler in former:
            signal.signal(number, handler)


class _Interrupts:
    """Handlers of signals. The main thread calls them between two steps of anything, of another handler too."""

    def __init__(self, run: Stoppable, grace: float) -> None:
        self._run = run
        self._grace = grace
        self._signals = 0
        """How many have come."""
        self._raised = False
        self._over = False
        """Whether signals do nothing any more."""
        self._winding: SimpleQueue[bool] = SimpleQueue()
        """Whether to wind down, said once."""
        # By a thread, since what a handler interrupts may hold a lock that `stop` or the stream needs; one that waits
        # already, since a handler can be interrupted while it starts one.
        self._thread = threading.Thread(target=self._wind_down, name="interrupt", daemon=True)
        self._thread.start()

    def end(self) -> None:
        """Let signals do nothing from here on."""
        self._over = True
        signal.setitimer(signal.ITIMER_REAL, 0)
        self._winding.put(False)
        self._thread.join()

    def signalled(self, number: int, frame: FrameType | None) -> None:
        """Ctrl-C or SIGTERM came."""
        if self._over:
            return
        self._signals += 1
        if self._signals == 1:
            self._winding.put(True)
            if self._grace:
                signal.setitimer(signal.ITIMER_REAL, self._grace)
                return
        elif self._signals == 2 and self._raised:  # by the end of the grace: it has been seen to
            return
        self._interrupt()

    def grace_over(self, number: int, frame: FrameType | None) -> None:
        """The requests in flight have been waited for long enough."""
        # A signal may wait to be handled until the timer wakes the main thread; then it has raised just before.
        if not self._over and not self._raised:
            self._interrupt()

    def _interrupt(self) -> None:
        if not self._run.interruptible:
            signal.setitimer(signal.ITIMER_REAL, LATER)
            return
        self._raised = True
        signal.setitimer(signal.ITIMER_REAL, 0)
        raise KeyboardInterrupt

    def _wind_down(self) -> None:
        if not self._winding.get():
            return
        self._run.stop("interrupted")
        waited_for = self._run.in_flight if self._grace else 0
        if waited_for:
            requests = "1 request" if waited_for == 1 else f"{waited_for} requests"
            echo(f"stopping: up to {GRACE:g} s for {requests} in flight; Ctrl-C again stops at once", err=True)
