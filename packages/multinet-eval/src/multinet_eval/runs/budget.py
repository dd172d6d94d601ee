"""`Budget`: what a run may spend, over all attempts and sessions."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable

import attrs

from gridworld.runner.record import Request

__all__ = ["Budget", "BudgetLimits", "Prices", "Spent"]

MILLION = 1_000_000


@attrs.frozen
class Prices:
    """What tokens cost, in any currency, by the million."""

    input: float = attrs.field(validator=attrs.validators.ge(0))
    output: float = attrs.field(validator=attrs.validators.ge(0))

    def cost(self, prompt_tokens: int, completion_tokens: int) -> float:
        """What so many tokens cost."""
        return (prompt_tokens * self.input + completion_tokens * self.output) / MILLION


@attrs.frozen
class Spent:
    """What requests have used up; answers from a cache cost nothing."""

    requests: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0

    @property
    def tokens(self) -> int:
        """All tokens, of prompts and replies."""
        return self.prompt_tokens + self.completion_tokens

    def plus(self, request: Request) -> Spent:
        """The same with one request more."""
        usage = request.usage
        prompt = (usage.prompt_tokens or 0) if usage else 0
        completion = (usage.completion_tokens or 0) if usage else 0
        return Spent(self.requests + 1, self.prompt_tokens + prompt, self.completion_tokens + completion)

    @classmethod
    def of(cls, requests: Iterable[Request]) -> Spent:
        """What some requests have used up together."""
        spent = cls()
        for request in requests:
            spent = spent.plus(request)
        return spent


@attrs.frozen
class BudgetLimits:
    """What a run may spend; None for as much as it takes."""

    requests: int | None = None
    tokens: int | None = None
    cost: float | None = None
    seconds: float | None = None
    """Wall-clock time of this session."""


class Budget:
    """Keeps the account of a run, and says when it is used up.

    Before a request is made, as much as requests have cost on average is set aside for each that is in flight: with
    several workers, too, the budget is exceeded by no more than what is in flight when it is reached.

    Args:
        limits: what may be spent.
        spent: what was spent before.
        prices: what tokens cost; needed for a limit of cost.
    """

    def __init__(self, limits: BudgetLimits, spent: Spent = Spent(), prices: Prices | None = None) -> None:
        self._limits = limits
        self._prices = prices
        self._lock = threading.Condition()
        self._begun = time.monotonic()
        self._in_flight = 0
        self.spent = spent

    def cost(self) -> float | None:
        """What has been spent, in money; None without prices."""
        if self._prices is None:
            return None
        return self._prices.cost(self.spent.prompt_tokens, self.spent.completion_tokens)

    def reserve(self) -> str | None:
        """Set aside what a request may cost, as soon as that much is left.

        Returns:
            Which limit is reached; None if the request may be made.
        """
        with self._lock:
            while True:
                reached = self._reached(0)
                if reached is not None:
                    return reached
                if self._in_flight == 0 or self._reached(self._in_flight) is None:
                    self._in_flight += 1
                    return None
                self._lock.wait()

    def reserve_now(self) -> bool:
        """Set aside what a request may cost if that much is left at this moment; returns whether it was."""
        with self._lock:
            if self._reached(self._in_flight) is not None:
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

    def _reached(self, in_flight: int) -> str | None:
        """The first limit that is reached if requests in flight cost as much as others."""
        share = in_flight / max(1, self.spent.requests)
        cost, limits = self.cost(), self._limits
        used = (
            ("requests", self.spent.requests + in_flight, limits.requests),
            ("tokens", self.spent.tokens * (1 + share), limits.tokens),
            ("cost", None if cost is None else cost * (1 + share), limits.cost),
            ("seconds", time.monotonic() - self._begun, limits.seconds),
        )
        for name, amount, limit in used:
            if limit is not None and amount is not None and amount >= limit:
                return f"the limit of {limit:g} {name} is reached"
        return None
