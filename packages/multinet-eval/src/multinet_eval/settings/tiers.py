"""The choice of difficulty tiers, such as ``2``, ``1-3`` or ``1,3-5``, on the command line and in experiment files."""

from __future__ import annotations

import attrs

from gridworld.errors import ArgumentError
from gridworld.suites import Suite, of_tiers

MAX_TIER = 1000


def parse_tiers(text: str, place: str) -> set[int]:
    """Parse a choice of tiers; raises ArgumentError, with a message that begins with the place."""
    tiers: set[int] = set()
    for part in text.split(","):
        first, dash, last = part.partition("-")
        try:
            low, high = int(first), int(last if dash else first)
        except ValueError as error:
            raise ArgumentError(f"{place}: expected numbers or ranges such as 2, 1-3 or 1,4, got '{text}'") from error
        if high > MAX_TIER:
            raise ArgumentError(f"{place}: {high} is beyond {MAX_TIER}")
        if low > high:
            raise ArgumentError(f"{place}: the range {part} is empty")
        tiers.update(range(low, high + 1))
    return tiers


def with_tiers(suite: Suite, text: str, name: str, place: str) -> Suite:
    """Return the part of a suite in some tiers; raises ArgumentError if the choice is invalid or the part is empty."""
    tasks = tuple(of_tiers(suite.tasks, parse_tiers(text, place)))
    if not tasks:
        present = ", ".join(map(str, sorted({task.difficulty_tier for task in suite.tasks})))
        raise ArgumentError(f"{place} {text}: '{name}' has no such tier; it has {present}")
    return attrs.evolve(suite, tasks=tasks)
