"""Servers that answer nobody: how long they are waited for, and when they are given up."""

from __future__ import annotations

import time

from gridworld.model_interface import Trouble
from gridworld.runner.record import Request
from multinet_eval.play.backoff import Backoff

__all__ = ["Outage", "ServerGone", "Troubles"]

PROBE = Backoff(first=0.5, factor=2.0, longest=10.0)
"""How long to wait for a server that answers nobody, or is asked too much."""
SERVED = 1.0
"""A server that has answered a request made so many seconds after another one failed is not gone."""


class ServerGone(Exception):
    """There is no patience left with a server; the message says why."""


class Outage:
    """For how long a server has answered nothing, as all requests together tell.

    Its methods may be called by several threads.

    Args:
        patience: the seconds for which it may; 0 to count such faults like any other.
    """

    def __init__(self, patience: float) -> None:
        self.patience = patience
        self.last_served = 0.0
        """When the latest of the requests was made that have been answered; `time.monotonic` seconds."""
        self._since: float | None = None

    @property
    def seconds(self) -> float:
        """Since the first fault; 0 while it answers."""
        since = self._since
        return 0.0 if since is None else time.monotonic() - since

    def note(self, request: Request, made: float) -> None:
        """A request was made at a time of `time.monotonic`; whatever the server said, it is there."""
        if request.trouble is None:
            self._since = None
            self.last_served = max(self.last_served, made)
        elif self._since is None:
            self._since = time.monotonic()


class Troubles:
    """The faults in a row of requests for one answer.

    Args:
        outage: what all requests tell of the server.
    """

    def __init__(self, outage: Outage) -> None:
        self._outage = outage
        self._since: float | None = None
        """When the present request failed first."""
        self._failed_at: float | None = None
        """When it failed last."""
        self._count = 0

    def end(self) -> None:
        """The server has said something."""
        self._since, self._failed_at, self._count = None, None, 0

    def wait_after(self, fault: Request) -> float | None:
        """How many seconds to wait before a request is made again without being counted.

        Args:
            fault: what came of it; its `trouble` is not None, and `Outage.note` has been told of it.

        Returns:
            None where only this request may have failed, so that it is counted like any other.

        Raises:
            ServerGone: it is not to be made again.
        """
        now = time.monotonic()
        self._count += 1
        self._since = now if self._since is None else self._since
        before, self._failed_at = self._failed_at, now
        if not self._is_common(fault, before):
            return None
        left = max(0.0, self._outage.patience - self._outage.seconds)  # not beyond the time at which patience ends
        return max(min(PROBE.delay(self._count - 1), left), fault.retry_after or 0.0)

    def _is_common(self, fault: Request, before: float | None) -> bool:
        """Whether all requests may fail for the reason of this one, which failed `before` for the last time."""
        outage, patience = self._outage, self._outage.patience
        assert self._since is not None
        if patience <= 0:
            return False
        if (fault.retry_after or 0.0) > patience:
            raise ServerGone(f"the server asks not to be called for {fault.retry_after:g} seconds: {fault.message}")
        if outage.seconds >= patience:
            raise ServerGone(f"the server has answered nothing for {patience:g} seconds: {fault.message}")
        if fault.trouble is Trouble.SLOW:
            return False
        if fault.trouble is Trouble.UNREACHABLE and before is not None and outage.last_served > before + SERVED:
            return False  # it answers others
        return time.monotonic() - self._since <= patience
