"""Limits of what a run may spend, and what it has spent."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import attrs

from gridworld.errors import ArgumentError
from gridworld.model_interface import AnswerOutcome
from gridworld.runner.record import Request

__all__ = ["BudgetLimits", "LimitReached", "Spent"]


@attrs.frozen
class Spent:
    """What requests have used up; answers from a cache cost nothing and are counted apart."""

    requests: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    unmetered: int = 0
    """Replies whose number of tokens is not known."""
    cached: int = 0
    """Answers from a cache."""

    @property
    def tokens(self) -> int:
        """All tokens, of prompts and replies."""
        return self.prompt_tokens + self.completion_tokens

    def plus(self, request: Request) -> Spent:
        """The same with one request more."""
        if request.cached:
            return attrs.evolve(self, cached=self.cached + 1)
        usage = request.usage
        prompt, completion = (None, None) if usage is None else (usage.prompt_tokens, usage.completion_tokens)
        replied = request.outcome is not AnswerOutcome.INFRASTRUCTURE
        return attrs.evolve(
            self,
            requests=self.requests + 1,
            prompt_tokens=self.prompt_tokens + (prompt or 0),
            completion_tokens=self.completion_tokens + (completion or 0),
            unmetered=self.unmetered + (replied and (prompt is None or completion is None)),
        )

    def plus_all(self, requests: Iterable[Request]) -> Spent:
        """The same with some requests more."""
        spent = self
        for request in requests:
            spent = spent.plus(request)
        return spent


def _at_least_nothing(limits: Any, attribute: Any, value: float | None) -> None:
    if value is not None and not value >= 0:
        raise ArgumentError(f"the limit of {attribute.name} must be at least 0, got {value}")


@attrs.frozen
class BudgetLimits:
    """What a run may spend; None for as much as it takes.

    Raises:
        ArgumentError: a limit below 0, or not a number.
    """

    requests: int | None = attrs.field(default=None, validator=_at_least_nothing)
    tokens: int | None = attrs.field(default=None, validator=_at_least_nothing)
    cost: float | None = attrs.field(default=None, validator=_at_least_nothing)
    seconds: float | None = attrs.field(default=None, validator=_at_least_nothing)
    """Wall-clock time of this session."""

    @property
    def needs_tokens(self) -> bool:
        """Whether they can only be kept where the number of tokens is known."""
        return self.tokens is not None or self.cost is not None


@attrs.frozen
class LimitReached:
    """A limit by which no more requests may be made."""

    name: str
    """The field of `BudgetLimits`."""
    message: str
    """Why, in words."""

    @classmethod
    def of(cls, name: str, limit: float) -> LimitReached:
        """Say that as much has been spent as a limit allows."""
        shown = f"{limit:g}" if isinstance(limit, float) else str(limit)
        what = f"a cost of {shown}" if name == "cost" else f"{shown} {name}"
        return cls(name, f"the limit of {what} is reached")
