"""Sums over requests: how many came to what, and what they cost together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import TypeVar

from gridworld.model_interface import AnswerOutcome, Usage

__all__ = ["add_counts", "add_usages", "count_outcomes"]


def count_outcomes(counts: Iterable[Mapping[str, int]] = ()) -> dict[str, int]:
    """The sum of some counts of outcomes: every kind of `AnswerOutcome` by its value, in alphabetical order."""
    total = add_counts(counts)
    return {kind.value: total.get(kind.value, 0) for kind in sorted(AnswerOutcome)}


def add_counts(counts: Iterable[Mapping[str, int]]) -> dict[str, int]:
    """The sum of some counts of anything by name, in alphabetical order."""
    total = Counter[str]()
    for each in counts:
        total.update(each)
    return dict(sorted(total.items()))


def add_usages(usages: Iterable[Usage | None]) -> Usage:
    """What some calls cost together; a part of which not one of them says anything stays None."""
    known = [usage for usage in usages if usage is not None]
    return Usage(
        prompt_tokens=_sum_of_known([usage.prompt_tokens for usage in known]),
        completion_tokens=_sum_of_known([usage.completion_tokens for usage in known]),
        seconds=_sum_of_known([usage.seconds for usage in known]),
        server_seconds=_sum_of_known([usage.server_seconds for usage in known]),
    )


Number = TypeVar("Number", int, float)


def _sum_of_known(values: Iterable[Number | None]) -> Number | None:
    known = [value for value in values if value is not None]
    return sum(known[1:], known[0]) if known else None
