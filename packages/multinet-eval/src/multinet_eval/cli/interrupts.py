"""What Ctrl-C and SIGTERM do to a run: the first one ends it cleanly, a second one at once."""

from __future__ import annotations

import math
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from queue import SimpleQueue
from types import FrameType
from typing import TYPE_CHECKING, Any

from multinet_eval.cli.echo import echo
from multinet_eval.settings.defaults import GRACE
from multinet_eval.support.worker_processes import starting

if TYPE_CHECKING:
    from multinet_eval.play.scheduler import Stoppable

TICK = 0.1
"""The seconds from one look at whether the main thread is to be interrupted to the next."""
SIGNALS = (signal.SIGINT, signal.SIGTERM)


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
    signal.signal(signal.SIGALRM, interrupts.tick)
    for each in SIGNALS:
        signal.signal(each, interrupts.signalled)
    try:
        yield
    finally:
        interrupts.end()
        for number, handler in former:
            signal.signal(number, handler)


class _Interrupts:
    """Handlers of signals. The main thread calls them between two steps of anything, of another handler too.

    A signal that comes just before the main thread falls asleep is handled when it wakes. So from the first signal on,
    a timer wakes it again and again.
    """

    def __init__(self, run: Stoppable, grace: float) -> None:
        self._run = run
        self._grace = grace
        self._signals = 0
        """How many have come."""
        self._grace_ends = math.inf
        """A time of `time.monotonic`."""
        self._due = False
        """Whether KeyboardInterrupt is to be raised as soon as the run is interruptible."""
        self._raised = False
        self._over = False
        """Whether signals do nothing any more."""
        self._winding: SimpleQueue[bool] = SimpleQueue()
        """Whether to wind down, said once."""
        # By a thread, since what a handler interrupts may hold a lock that `stop` or the stream needs; one that waits
        # already, since a handler can be interrupted while it starts one.
        self._thread = threading.Thread(target=self._wind_down, name="interrupt", daemon=True)
        with starting("the thread that handles Ctrl-C"):
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
            self._grace_ends = time.monotonic() + self._grace
            signal.setitimer(signal.ITIMER_REAL, TICK, TICK)
        if self._signals > 2 or (self._signals == 2 and not self._raised):  # unless the end of the grace has seen to it
            self._due = True
        self._look()

    def tick(self, number: int, frame: FrameType | None) -> None:
        """The main thread has been woken."""
        if not self._over:
            self._look()

    def _look(self) -> None:
        """Raise KeyboardInterrupt if that is due, or the requests in flight have been waited for long enough."""
        if not self._raised and time.monotonic() >= self._grace_ends:
            self._due = True
        if self._due and self._run.interruptible:
            self._due, self._raised = False, True
            raise KeyboardInterrupt

    def _wind_down(self) -> None:
        if not self._winding.get():
            return
        self._run.stop("interrupted")
        waited_for = self._run.in_flight if self._grace else 0
        if waited_for:
            requests = "1 request" if waited_for == 1 else f"{waited_for} requests"
            echo(f"stopping: up to {GRACE:g} s for {requests} in flight; Ctrl-C again stops at once", err=True)
