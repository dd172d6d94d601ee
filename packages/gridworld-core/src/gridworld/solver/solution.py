"""What a search for a plan finds out; it imports nothing that a search needs."""

from __future__ import annotations

from enum import Enum

import attrs

from gridworld.actions import Action

__all__ = ["DEFAULT_MAX_STATES", "Solution", "Verdict", "advice_after"]

DEFAULT_MAX_STATES = 20_000_000
"""The default number of states after which a search gives up."""


class Verdict(Enum):
    """What a search has found out."""

    SOLVED = "solved"
    UNSOLVABLE = "unsolvable"
    GAVE_UP = "gave up"


def advice_after(states_seen: int, max_states: int, limit: str | None = "max_states") -> str:
    """What would help a search that gave up, to be said after the number of states that it met.

    Args:
        states_seen: how many states it met.
        max_states: how many it was allowed to meet. Where it met fewer, its tables took too much memory.
        limit: what that number is called where it can be changed; None where it cannot.
    """
    if states_seen < max_states:
        return ": its tables are too large"
    return "" if limit is None else f"; raise {limit}"


@attrs.frozen
class Solution:
    """The result of a search."""

    verdict: Verdict
    plan: tuple[Action, ...] | None
    """A shortest sequence of actions that wins; None unless solved."""
    states_seen: int
    """The number of different states that the search has met."""
    depth: int
    """How many actions every plan takes at least; a search that gives up has ruled out all shorter ones."""

    @property
    def length(self) -> int | None:
        """The number of actions of the plan."""
        return None if self.plan is None else len(self.plan)

    def advice(self, max_states: int, limit: str | None = "max_states") -> str:
        """What would help, if it gave up; see `advice_after`."""
        return advice_after(self.states_seen, max_states, limit)
