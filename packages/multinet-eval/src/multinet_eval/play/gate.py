"""`Gate`: lets a number of requests through at once that adapts to what the server takes."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable

__all__ = ["Gate"]

SHRINK = 0.75
"""What the limit is multiplied by when the server says that it is asked too much."""
GROWTH = 0.25
"""How much the limit grows while as many requests are answered as it lets through at once."""
TICK = 0.5
"""Seconds after which those who wait look whether the run has been stopped."""


class Gate:
    """Additive increase, multiplicative decrease (Chiu and Jain 1989) of the number of requests in flight.

    Args:
        most: no more are ever let through at once, at least 1.
        stopped: is set when the run is to stop.
        clock: seconds that only grow.
    """

    def __init__(self, most: int, stopped: threading.Event, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._most = most
        self._limit = float(most)
        self._stopped = stopped
        self._changed = threading.Condition()
        self._open_at = -math.inf
        self._generation = 0
        self.in_flight = 0

    @property
    def limit(self) -> int:
        """How many may be in flight now."""
        return max(1, math.floor(self._limit))

    def enter(self) -> int | None:
        """Wait until one more request may be made.

        Returns:
            What to give back to `leave`; None if the run is to stop.
        """
        with self._changed:
            while not self._stopped.is_set():
                wait = self._open_at - self._clock()
                if wait <= 0 and self.in_flight < self.limit:
                    self.in_flight += 1
                    return self._generation
                self._changed.wait(min(TICK, wait) if wait > 0 else TICK)
        return None

    def enter_now(self) -> int | None:
        """As `enter`, for those who must not wait: None also where they would have to."""
        with self._changed:
            if self._stopped.is_set() or self._open_at > self._clock() or self.in_flight >= self.limit:
                return None
            self.in_flight += 1
            return self._generation

    def leave(self, ticket: int, overloaded: bool, answered: bool, retry_after: float | None = None) -> None:
        """A request has been made.

        Args:
            ticket: what `enter` returned for it.
            overloaded: whether the server was asked too much; then fewer are let through.
            answered: whether it answered; then more may be let through.
            retry_after: the seconds for which the server wants no request at all.
        """
        with self._changed:
            self.in_flight -= 1
            # All requests that were in flight together are one sign, not many.
            if overloaded and ticket == self._generation:
                self._limit = max(1.0, self._limit * SHRINK)
                self._generation += 1
            elif answered:
                self._limit = min(float(self._most), self._limit + GROWTH / self._limit)
            if retry_after is not None:
                self._open_at = max(self._open_at, self._clock() + retry_after)
            self._changed.notify_all()
