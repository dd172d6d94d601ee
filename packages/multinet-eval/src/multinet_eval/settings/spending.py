"""Limits of what a run may spend."""

from __future__ import annotations

from typing import Any

import attrs

from gridworld.errors import ArgumentError

__all__ = ["BudgetLimits", "LimitReached"]


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
