"""What grades of answers are made of: counts, and what was said of each thing."""

from __future__ import annotations

from collections.abc import Mapping, Set
from typing import Any

import attrs

__all__ = ["Counts", "Grade", "Item", "Unreadable", "overlap", "verdict"]


class Unreadable(Exception):
    """An answer that is not in the form that was asked for; the message says why."""


@attrs.frozen
class Counts:
    """How much of what is there was said, and how much of what was said is there.

    A question with one answer counts as one thing that is there and one that is said, so that the micro-F1 of many such
    questions is the share of right answers.
    """

    hits: int = 0
    """Things that are there, and were said."""
    said: int = 0
    there: int = 0

    def __add__(self, other: Counts) -> Counts:
        return Counts(self.hits + other.hits, self.said + other.said, self.there + other.there)

    @property
    def f1(self) -> float:
        """2 * hits / (said + there), 0 to 1; 1 where there was nothing to say, and nothing was said."""
        together = self.said + self.there
        return 2 * self.hits / together if together else 1.0


@attrs.frozen
class Item:
    """One thing that was asked for, and what was said of it."""

    labels: Mapping[str, str]
    """What it is, by which results are grouped: ``thing``, ``color``, ``distance``."""
    said: str
    """What was said instead, or the same; for tables of confusions."""
    right: bool


@attrs.frozen
class Grade:
    """What came of one answer."""

    scores: Mapping[str, Counts]
    """Name of each measure to its counts; the first one is the probe's own score."""
    items: tuple[Item, ...] = ()


def verdict(right: bool) -> Counts:
    """The counts of a question with one answer."""
    return Counts(int(right), 1, 1)


def overlap(there: Set[Any], said: Set[Any]) -> Counts:
    """The counts of a set."""
    return Counts(len(there & said), len(said), len(there))
