"""`Budget`: what a run may spend, over all attempts and sessions."""

from __future__ import annotations

import threading
import time

from gridworld.errors import ArgumentError
from gridworld.runner.record import Request
from multinet_eval.settings.prices import Prices
from multinet_eval.settings.spending import BudgetLimits, LimitReached, Spent

__all__ = ["Budget"]


NOTHING_SPENT = Spent()
UNLIMITED = BudgetLimits()
"""Of most runs, for which nothing has to be computed."""


class Budget:
    """Keeps the account of a run, and says when it is used up.

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

    def __init__(self, limits: BudgetLimits, spent: Spent = NOTHING_SPENT, prices: Prices | None = None) -> None:
        if limits.cost is not None and prices is None:
            raise ArgumentError("a limit of cost needs the prices of the model")
        self._limits = limits
        self._prices = prices
        self._lock = threading.Condition()
        self._begun = time.monotonic()
        self._in_flight = 0
        self.spent = spent

    @property
    def limits(self) -> BudgetLimits:
        """What may be spent."""
        return self._limits

    @property
    def cost(self) -> float | None:
        """What has been spent, in money; None without prices."""
        if self._prices is None:
            return None
        return self._prices.cost(self.spent.prompt_tokens, self.spent.completion_tokens)

    def reserve(self) -> LimitReached | None:
        """Set aside what a request may cost, as soon as that much is left.

        Returns:
            Why no request may be made; None if this one may.
        """
        with self._lock:
            while True:
                reached = self._unknown() or self._reached(0)
                if reached is not None:
                    return reached
                if self._has_room():
                    self._in_flight += 1
                    return None
                self._lock.wait()

    def reserve_now(self) -> bool:
        """Set aside what a request may cost if that much is left at this moment; returns whether it was."""
        with self._lock:
            if self._unknown() or self._reached(0) or not self._has_room():
                return False
            self._in_flight += 1
            return True

    def settle(self, request: Request | None) -> None:
        """A request for which something was set aside has been made; None if it was not."""
        with self._lock:
            self._in_flight -= 1
            if request is not None:
                self.spent = self.spent.plus(request)
            self._lock.notify_all()

    def add_cached(self, request: Request) -> None:
        """An answer was found in a cache; nothing had been set aside for it."""
        with self._lock:
            self.spent = self.spent.plus(request)

    def _has_room(self) -> bool:
        """Whether one more request fits beside those in flight, if all of them cost as much as others did."""
        if self._in_flight == 0:
            return True
        known = self.spent.requests > 0 or not self._limits.needs_tokens
        return known and self._reached(self._in_flight) is None

    def _unknown(self) -> LimitReached | None:
        """Why the limits cannot be kept, if they cannot."""
        if not self.spent.unmetered or not self._limits.needs_tokens:
            return None
        name = "tokens" if self._limits.tokens is not None else "cost"
        why = "replies do not say how many tokens they took"
        return LimitReached(name, f"the limit of {name} cannot be kept, since {why} (one of requests can)")

    def _reached(self, in_flight: int) -> LimitReached | None:
        """The first limit that is reached if requests in flight cost as much as others."""
        if self._limits == UNLIMITED:
            return None
        spent, cost, limits = self.spent, self.cost or 0.0, self._limits
        made = max(1, spent.requests)
        used = (
            ("requests", spent.requests + in_flight, limits.requests),
            ("tokens", spent.tokens + spent.tokens * in_flight / made, limits.tokens),
            ("cost", cost + cost * in_flight / made, limits.cost),
            ("seconds", time.monotonic() - self._begun, limits.seconds),
        )
        for name, amount, limit in used:
            if limit is not None and amount >= limit:
                return LimitReached.of(name, limit)
        return None
