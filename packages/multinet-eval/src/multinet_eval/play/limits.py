"""Limits: when a request may be made, and what a fault does to the requests after it.

They are used by one thread, the scheduler's, and never wait: they say how many requests may be made now, and when to
ask again.
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
from multinet_eval.settings.spending import BudgetLimits, LimitReached, Prices

SHRINK = 0.75
"""Factor of the number of concurrent requests when the server is overloaded."""
GROWTH = 0.25
"""Growth of that number while as many requests are answered as are made at once."""
SHRINKING = (Trouble.OVERLOADED, Trouble.SLOW)
SERVED = 1.0
"""A server that answered a request made so many seconds after another one failed is not gone."""
UNLIMITED = BudgetLimits()
NOTHING_SPENT = Spent()


@attrs.frozen
class Backoff:
    """Exponential backoff with full jitter (Brooker 2015), which spreads clients that failed together.

    The jitter comes from a generator of its own, which is not seeded: waiting changes no result.
    """

    first: float = 0.25
    """Longest wait before the first retry, in seconds; each further one may be `factor` times as long."""
    factor: float = 4.0
    longest: float = 60.0
    """Longest wait, in seconds, even where the server asks for more."""
    sleep: Callable[[float], object] = time.sleep
    rng: random.Random = attrs.Factory(random.Random)

    def delay(self, retry: int, retry_after: float | None = None) -> float:
        """The seconds to sleep before a retry, from 0 to `longest`.

        Args:
            retry: its number, from 0.
            retry_after: the seconds after which the server asks to be called again, if it does.
        """
        ceiling = self.first
        for _ in range(retry):
            ceiling = min(self.longest, ceiling * self.factor)
        jittered = self.rng.uniform(0, ceiling)
        return min(self.longest, max(jittered, retry_after or 0.0))


OUTAGE_BACKOFF = Backoff(first=0.5, factor=2.0, longest=10.0)
"""Wait for a server that answers nobody, or is overloaded."""


class StopReason(StrEnum):
    """Why a run stops before its end."""

    INTERRUPTED = "interrupted"
    BUDGET = "budget"
    OUTAGE = "outage"
    """The server answers nothing."""
    PERMANENT = "permanent"
    """An error would end every other episode, too."""
    DECIDED = "decided"
    """The comparison with the reference is decided, which ends the run as planned."""
    FAILED = "failed"


@attrs.frozen
class Stopped:
    """Why a run has stopped before its end."""

    reason: StopReason
    message: str
    error: BaseException | None = None
    """Exception behind it, for `StopReason.FAILED`."""
    limit: str | None = None
    """Field of `BudgetLimits` that was reached, for `StopReason.BUDGET`."""

    @classmethod
    def at(cls, reached: LimitReached) -> Stopped:
        """The end of a run by a limit."""
        return cls(StopReason.BUDGET, reached.message, limit=reached.name)


class Budget:
    """Budget of a run.

    Before a request is made, as much as requests have cost on average is set aside for each that is in flight, and the
    very first one is waited for: with several workers, too, the budget is exceeded by no more than what is in flight
    when it is reached.

    Args:
        limits: what may be spent.
        spent: what was spent before.
        prices: what tokens cost.

    Raises:
        ArgumentError: there is a limit of cost, but no prices.
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
        """Money spent; None without prices."""
        if self._prices is None:
            return None
        return self._prices.cost(self.spent.prompt_tokens, self.spent.completion_tokens)

    @property
    def ends_at(self) -> float:
        """Time of the clock at which the time of this session is over."""
        return math.inf if self.limits.seconds is None else self._begun + self.limits.seconds

    def reached(self) -> LimitReached | None:
        """The limit by which no request may be made any more."""
        return self._unmetered() or self._reached(0)

    def has_room(self, in_flight: int) -> bool:
        """Whether one more request fits beside those in flight, if all of them cost as much as others did."""
        if in_flight == 0:
            return True
        known = self.spent.requests > 0 or not self.limits.needs_tokens
        return known and self._reached(in_flight) is None

    def _unmetered(self) -> LimitReached | None:
        """Why the limits cannot be kept, if they cannot."""
        if not self.spent.unmetered or not self.limits.needs_tokens:
            return None
        name = "tokens" if self.limits.tokens is not None else "cost"
        why = "replies do not say how many tokens they took"
        return LimitReached(name, f"the limit of {name} cannot be kept, since {why} (one of requests can)")

    def _reached(self, in_flight: int) -> LimitReached | None:
        """The first limit that is reached if requests in flight cost as much as others."""
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
                return LimitReached.of(name, limit)
        return None


@attrs.define
class Failures:
    """Infrastructure faults in a row of one request."""

    since: float | None = None
    """When it failed first."""
    last: float | None = None
    """When it failed last."""
    count: int = 0


class Limits:
    """All limits of the requests to one server.

    The number of concurrent requests follows additive increase and multiplicative decrease (Chiu and Jain 1989).

    Args:
        most: requests that may be in flight at most, at least 1.
        budget: what may be spent.
        patience: seconds for which a server may answer nothing before the run stops; 0 to count such faults.
        backoff: how to wait before a request is repeated.
        clock: seconds that only grow.
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
        """Counts reductions of the concurrency; requests of one generation that fail together are one sign."""
        self.opens_at = -math.inf
        """Time of the clock before which the server wants no request."""
        self._outage_since: float | None = None
        self._last_served = -math.inf
        """When the latest request was made that has been answered."""

    def grant(self, wanted: int, now: float) -> int:
        """Set aside what some requests may cost; returns how many may be made now, from 0 to `wanted`."""
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
        """Give back what was set aside for requests that came to nothing."""
        self.in_flight -= count

    def settle(self, request: Request, made_at: float, generation: int) -> None:
        """Account for a request; what it tells of the server holds for all requests.

        Args:
            request: a request that was made, or whose answer was found in a cache.
            made_at: when it was made.
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
        """Decide what follows a request that the server did not answer, after `settle`.

        Args:
            fault: the request; its `trouble` is not None.
            failures: those of the same request before; this one is added.

        Returns:
            The seconds after which it is made again without being counted; None where only this request may have
            failed, so that it counts like any other; or that the run stops.
        """
        now, patience = self._clock(), self._patience
        before, failures.last = failures.last, now
        failures.count += 1
        failures.since = now if failures.since is None else failures.since
        if patience <= 0:
            return None
        if (fault.retry_after or 0.0) > patience:
            asked = f"the server asks not to be called for {fault.retry_after:g} seconds: {fault.message}"
            return Stopped(StopReason.OUTAGE, asked)
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
        left = max(0.0, patience - outage)  # not beyond the time at which patience ends
        return max(min(OUTAGE_BACKOFF.delay(failures.count - 1), left), fault.retry_after or 0.0)
