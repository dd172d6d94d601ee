"""`Limits`: when requests may be made, and how to react to faults.

Only the scheduler's thread uses the limits. They never wait themselves, but say how many requests may be made now, and
when to try again.
"""

from __future__ import annotations

import math
import random
import time
from collections.abc import Callable
from enum import StrEnum

import attrs

from gridworld.errors import ArgumentError
from gridworld.model_interface import Trouble
from gridworld.runner.record import Request
from multinet_eval.record.events import Spent
from multinet_eval.settings.spending import BudgetLimits, Prices, limit_message

SHRINK = 0.75
"""Factor applied to the number of concurrent requests when the server is overloaded."""
GROWTH = 0.25
"""Increase of the number of concurrent requests per round of answered requests."""
SHRINKING = (Trouble.OVERLOADED, Trouble.SLOW)
SERVED = 1.0
"""Seconds after a failed request; a server that answers a request made later than that is not gone."""
UNLIMITED = BudgetLimits()
NOTHING_SPENT = Spent()


@attrs.frozen
class Backoff:
    """Exponential backoff with full jitter (Brooker 2015), which spreads out clients that failed together.

    The jitter's random generator is not seeded, since waiting changes no result.
    """

    first: float = 0.25
    """Maximum wait before the first retry, in seconds; the maximum of each further wait is `factor` times longer."""
    factor: float = 4.0
    longest: float = 60.0
    """Maximum wait in seconds, even if the server requests a longer one."""
    sleep: Callable[[float], object] = time.sleep
    rng: random.Random = attrs.Factory(random.Random)

    def delay(self, retry: int, retry_after: float | None = None) -> float:
        """Draw the wait before a retry, in seconds from 0 to `longest`.

        Args:
            retry: number of the retry, from 0.
            retry_after: minimum wait requested by the server, in seconds.
        """
        ceiling = self.first
        for _ in range(retry):
            ceiling = min(self.longest, ceiling * self.factor)
        jittered = self.rng.uniform(0, ceiling)
        return min(self.longest, max(jittered, retry_after or 0.0))


OUTAGE_BACKOFF = Backoff(first=0.5, factor=2.0, longest=10.0)
"""Backoff for a server that is overloaded or answers no request."""


class StopReason(StrEnum):
    """Why a run stopped early."""

    INTERRUPTED = "interrupted"
    BUDGET = "budget"
    OUTAGE = "outage"
    """The server answers no requests."""
    PERMANENT = "permanent"
    """An error that would end every other episode as well."""
    DECIDED = "decided"
    """The comparison with the reference is decided, so the run ends as planned."""
    FAILED = "failed"


@attrs.frozen
class Stopped:
    """The reason why a run stopped early, with details."""

    reason: StopReason
    message: str
    error: BaseException | None = None
    """Exception behind the stop, for `StopReason.FAILED`."""
    limit: str | None = None
    """Field of `BudgetLimits` that was reached, for `StopReason.BUDGET`."""
    request: Request | None = None
    """The last request, for `StopReason.PERMANENT`."""

    @classmethod
    def at_limit(cls, name: str, limit: float) -> Stopped:
        """Make the reason for reaching a limit, which is a field of `BudgetLimits`."""
        return cls(StopReason.BUDGET, limit_message(name, limit), limit=name)


class Budget:
    """The budget of a run.

    Each request in flight is expected to cost as much as the average earlier request, and no second request is made
    until the very first one is answered. The budget is therefore exceeded at most by the requests in flight when it is
    reached.

    Args:
        limits: the limits of spending.
        spent: usage of earlier sessions.
        prices: prices of tokens; needed for a limit of cost.
        clock: monotonic time in seconds.

    Raises:
        ArgumentError: cost is limited, but prices are unknown.
    """

    def __init__(
        self,
        limits: BudgetLimits = UNLIMITED,
        spent: Spent = NOTHING_SPENT,
        prices: Prices | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        if limits.cost is not None and prices is None:
            raise ArgumentError("a limit of cost needs the prices of the model")
        self.limits = limits
        self.is_unlimited = limits == UNLIMITED
        self.spent = spent
        self._prices = prices
        self._clock = clock
        self._begun = clock()

    @property
    def cost(self) -> float | None:
        """Cost so far; None without prices."""
        if self._prices is None:
            return None
        return self._prices.cost_of(self.spent)

    @property
    def ends_at(self) -> float:
        """Time on the clock at which the session's time limit ends."""
        return math.inf if self.limits.seconds is None else self._begun + self.limits.seconds

    def reached(self) -> Stopped | None:
        """Return a limit that allows no more requests, or that cannot be enforced; None if there is none."""
        if not self.spent.unmetered or not self.limits.needs_tokens:
            return self._reached(0)
        name = "tokens" if self.limits.tokens is not None else "cost"
        why = "replies do not state their number of tokens (a limit of requests can be kept)"
        return Stopped(StopReason.BUDGET, f"the limit of {name} cannot be kept: {why}", limit=name)

    def has_room(self, in_flight: int) -> bool:
        """Whether the limits allow one more request, assuming that those in flight cost as much as earlier ones."""
        if in_flight == 0:
            return True
        known = self.spent.requests > 0 or not self.limits.needs_tokens
        return known and self._reached(in_flight) is None

    def _reached(self, in_flight: int) -> Stopped | None:
        """Return the first limit reached if requests in flight cost as much as earlier ones."""
        spent, cost, limits = self.spent, self.cost or 0.0, self.limits
        made = max(1, spent.requests)
        used = (
            ("requests", spent.requests + in_flight, limits.requests),
            ("tokens", spent.tokens + spent.tokens * in_flight / made, limits.tokens),
            ("cost", cost + cost * in_flight / made, limits.cost),
            ("seconds", self._clock() - self._begun, limits.seconds),
        )
        for name, amount, limit in used:
            if limit is not None and amount >= limit:
                return Stopped.at_limit(name, limit)
        return None


@attrs.define
class Failures:
    """Consecutive infrastructure faults of one request."""

    since: float | None = None
    """Time of the first of these faults."""
    last: float | None = None
    """Time of the last of these faults."""
    count: int = 0


class Limits:
    """All limits on requests to one server.

    The number of concurrent requests follows additive increase and multiplicative decrease (Chiu and Jain 1989).

    Args:
        most: maximum number of requests in flight, at least 1.
        budget: the budget of the run.
        patience: seconds without any answer after which the run stops; 0 to count such faults like others.
        backoff: wait before a request is repeated.
        clock: monotonic time in seconds.
    """

    def __init__(
        self,
        most: int,
        budget: Budget,
        patience: float = 0.0,
        backoff: Backoff | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.budget = budget
        self.backoff = backoff or Backoff()
        self.in_flight = 0
        self._patience = patience
        self._clock = clock
        self._most = most
        self._concurrency = float(most)
        self.generation = 0
        """Number of times that concurrency was reduced; requests of one generation reduce it at most once."""
        self.opens_at = -math.inf
        """Time on the clock before which the server wants no requests."""
        self._outage_since: float | None = None
        self._last_served = -math.inf
        """Time at which the most recent answered request was made."""

    def grant(self, wanted: int, now: float) -> int:
        """Reserve slots for requests; return how many may be made now, from 0 to `wanted`."""
        if self.opens_at > now:
            return 0
        granted = max(0, min(wanted, max(1, math.floor(self._concurrency)) - self.in_flight))
        if not self.budget.is_unlimited:
            wanted, granted = granted, 0
            while granted < wanted and self.budget.has_room(self.in_flight + granted):
                granted += 1
        self.in_flight += granted
        return granted

    def release(self, count: int) -> None:
        """Return reserved slots that were not used."""
        self.in_flight -= count

    def settle(self, request: Request, made_at: float, generation: int) -> None:
        """Account for a request, and adapt all limits to the state of the server that it reveals.

        Args:
            request: a request that was made, or was answered from a cache.
            made_at: time of the request.
            generation: `generation` at that time.
        """
        self.budget.spent = self.budget.spent.plus(request)
        if request.cached:
            return
        self.in_flight -= 1
        trouble = request.trouble
        if trouble in SHRINKING:
            if generation == self.generation:
                self._concurrency = max(1.0, self._concurrency * SHRINK)
                self.generation += 1
        elif trouble is None:
            self._concurrency = min(float(self._most), self._concurrency + GROWTH / self._concurrency)
        if request.retry_after is not None:
            longest = max(self._patience, self.backoff.longest)
            self.opens_at = max(self.opens_at, self._clock() + min(request.retry_after, longest))
        if trouble is None:
            self._outage_since = None
            self._last_served = max(self._last_served, made_at)
        elif self._outage_since is None:
            self._outage_since = self._clock()

    def handle_fault(self, fault: Request, failures: Failures) -> float | Stopped | None:
        """Decide how to continue after a request that the server did not answer; call it after `settle`.

        Args:
            fault: the request; its `trouble` is not None.
            failures: earlier failures of the same request; this one is added.

        Returns:
            Seconds after which to repeat the request without counting it; None if it counts like any other, since the
            fault may be its own; or the reason why the run stops.
        """
        now, patience = self._clock(), self._patience
        before, failures.last = failures.last, now
        failures.count += 1
        failures.since = now if failures.since is None else failures.since
        if patience <= 0:
            return None
        if (fault.retry_after or 0.0) > patience:
            text = f"the server asks not to be called for {fault.retry_after:g} seconds: {fault.message}"
            return Stopped(StopReason.OUTAGE, text)
        outage = 0.0 if self._outage_since is None else now - self._outage_since
        if outage >= patience:
            return Stopped(
                StopReason.OUTAGE, f"the server has answered nothing for {patience:g} seconds: {fault.message}"
            )
        serves_others = before is not None and self._last_served > before + SERVED
        if fault.trouble is Trouble.SLOW or (fault.trouble is Trouble.UNREACHABLE and serves_others):
            return None
        if now - failures.since > patience:
            return None
        left = max(0.0, patience - outage)
        return max(min(OUTAGE_BACKOFF.delay(failures.count - 1), left), fault.retry_after or 0.0)
