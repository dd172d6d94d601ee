"""Ctrl-C, SIGTERM and SIGHUP, which a closed terminal sends: the first one ends a run cleanly, a second one at once."""

from __future__ import annotations

import math
import os
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from queue import SimpleQueue
from types import FrameType
from typing import TYPE_CHECKING, Any

from multinet_eval.cli import end_by
from multinet_eval.cli.echo import echo
from multinet_eval.settings.defaults import GRACE
from multinet_eval.support.worker_processes import starting

if TYPE_CHECKING:
    from multinet_eval.play.scheduler import Stoppable

TICK = 0.1
"""Seconds between two checks of whether to interrupt the main thread."""
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
OUTPUTS = (1, 2)
"""Descriptors of standard output and standard error."""


@contextmanager
def clean_interrupts(run: Stoppable, grace: float = GRACE) -> Iterator[None]:
    """Stop a run on the first signal, and raise KeyboardInterrupt on a second one or when the grace period ends.

    The second signal and the end of the grace period raise it once between them; each further signal raises it again.
    Nothing is raised while the run is not `interruptible`.

    Args:
        run: the run.
        grace: seconds to wait for requests in flight; 0 to raise on the first signal.
    """
    if threading.current_thread() is not threading.main_thread():
        yield  # only the main thread handles signals
        return
    end_by(signal.SIGINT)
    interrupts = _Interrupts(run, grace)
    former: list[tuple[int, Any]] = [(number, signal.getsignal(number)) for number in (*SIGNALS, signal.SIGALRM)]
    signal.signal(signal.SIGALRM, interrupts.tick)
    for each in SIGNALS:
        if each == signal.SIGINT or signal.getsignal(each) is not signal.SIG_IGN:  # as nohup makes it
            signal.signal(each, interrupts.signalled)
    try:
        yield
    finally:
        interrupts.end()
        for number, handler in former:
            signal.signal(number, handler)


class _Interrupts:
    """Signal handlers, which the main thread runs between any two steps of Python, even of another handler.

    A signal just before the main thread falls asleep is only handled when it wakes, so a timer wakes it regularly from
    the first signal on.
    """

    def __init__(self, run: Stoppable, grace: float) -> None:
        self._run = run
        self._grace = grace
        self._signals = 0
        """Number of signals received so far."""
        self._grace_ends = math.inf
        """End of the grace period, in the time of `time.monotonic`."""
        self._due = False
        """Whether to raise KeyboardInterrupt as soon as the run is interruptible."""
        self._raised = False
        self._over = False
        """Whether signals are ignored."""
        self._terminals = [each for each in OUTPUTS if os.isatty(each)]
        self._winding: SimpleQueue[bool] = SimpleQueue()
        """Whether to wind down; set once."""
        # `stop` and `echo` are called by a thread, since the interrupted code may hold a lock they need. The thread is
        # started now, since a handler may be interrupted while it starts one.
        self._thread = threading.Thread(target=self._wind_down, name="interrupt", daemon=True)
        with starting("the thread that handles Ctrl-C"):
            self._thread.start()

    def end(self) -> None:
        """Ignore signals from now on."""
        self._over = True
        signal.setitimer(signal.ITIMER_REAL, 0)
        self._winding.put(False)
        self._thread.join()

    def signalled(self, number: int, frame: FrameType | None) -> None:
        """Handle one of `SIGNALS`."""
        if self._over:
            return
        self._signals += 1
        if self._signals == 1:
            end_by(number)
            self._leave_closed_terminal()
            self._winding.put(True)
            self._grace_ends = time.monotonic() + self._grace
            signal.setitimer(signal.ITIMER_REAL, TICK, TICK)
        if self._signals > 2 or (self._signals == 2 and not self._raised):  # the grace period may have
            self._due = True
        self._look()

    def _leave_closed_terminal(self) -> None:
        """Discard what would be written to a terminal that has been closed, where every write fails."""
        for each in self._terminals:
            if not os.isatty(each):
                nothing = os.open(os.devnull, os.O_WRONLY)
                os.dup2(nothing, each)
                os.close(nothing)

    def tick(self, number: int, frame: FrameType | None) -> None:
        """Handle the timer."""
        if not self._over:
            self._look()

    def _look(self) -> None:
        """Raise KeyboardInterrupt if an interrupt is due or the grace period is over."""
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
