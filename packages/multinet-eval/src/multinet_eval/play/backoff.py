"""How long to wait before a server is asked again."""

from __future__ import annotations

import random
import time
from collections.abc import Callable

import attrs

__all__ = ["Backoff"]


@attrs.frozen
class Backoff:
    """Exponential backoff with full jitter (Brooker 2015), which spreads clients that failed together.

    The jitter comes from a generator of its own, which is not seeded: waiting changes no result.
    """

    first: float = 0.25
    """The longest wait before the first retry, in seconds; each further one may be `factor` times as long."""
    factor: float = 4.0
    longest: float = 60.0
    """No wait is longer, in seconds, not even where the server asks for it."""
    sleep: Callable[[float], object] = time.sleep
    rng: random.Random = attrs.Factory(random.Random)

    def delay(self, retry: int, retry_after: float | None = None) -> float:
        """How long to sleep before a retry, in seconds, from 0 to `longest`.

        Args:
            retry: its number, from 0.
            retry_after: the seconds after which the server asks to be called again, if it does.
        """
        ceiling = self.first
        for _ in range(retry):
            ceiling = min(self.longest, ceiling * self.factor)
        jittered = self.rng.uniform(0, ceiling)
        return min(self.longest, max(jittered, retry_after or 0.0))

    def wait(self, retry: int, retry_after: float | None = None) -> None:
        """Sleep before a retry; the arguments are those of `delay`."""
        self.sleep(self.delay(retry, retry_after))
