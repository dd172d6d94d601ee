"""Rows in which every two values of different factors meet, as few of them as a greedy search finds."""

import random
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations

__all__ = ["Factors", "Row", "covering_rows", "pairs_of", "possible_pairs"]

Factors = Mapping[str, Sequence[str]]
"""Factor to its values."""
Row = dict[str, str]
"""Factor to one of its values; where some are missing, a part of a row."""
Pair = tuple[tuple[str, str], tuple[str, str]]


def covering_rows(factors: Factors, forbidden: Sequence[Row]) -> list[Row]:
    """Rows that hold every possible pair of values, the same ones each time.

    Args:
        factors: what is varied.
        forbidden: parts of rows, none of which a row may hold.
    """
    search = _Search(factors, forbidden)
    rows: list[Row] = []
    search.wanted = possible_pairs(factors, forbidden)
    while search.wanted:
        row = search.complete(dict(min(search.wanted)))
        assert row is not None
        rows.append({name: row[name] for name in factors})
        search.wanted -= set(pairs_of(rows[-1]))
        search.turn += 1
    return rows


def possible_pairs(factors: Factors, forbidden: Sequence[Row]) -> set[Pair]:
    """The pairs of values that some row holds which holds nothing forbidden."""
    search = _Search(factors, forbidden)
    pairs = (
        ((first, one), (second, other))
        for first, second in combinations(factors, 2)
        for one in factors[first]
        for other in factors[second]
    )
    return {pair for pair in pairs if search.complete(dict(pair)) is not None}


def pairs_of(row: Row) -> Iterable[Pair]:
    """The pairs of values in a row, in the order of its factors."""
    return combinations(row.items(), 2)


class _Search:
    def __init__(self, factors: Factors, forbidden: Sequence[Row]) -> None:
        self.factors = factors
        self.forbidden = forbidden
        self.place = {name: number for number, name in enumerate(factors)}
        self.wanted: set[Pair] = set()
        self.turn = 0
        """Decides between values that are as good."""

    def complete(self, part: Row) -> Row | None:
        """A whole row with this part that covers many of the wanted pairs; None if there is none."""
        if any(each.items() <= part.items() for each in self.forbidden):
            return None
        name = next((name for name in self.factors if name not in part), None)
        if name is None:
            return part
        values = list(self.factors[name])
        random.Random(f"{self.turn}/{name}").shuffle(values)
        values.sort(key=lambda value: -self._gain(part, name, value))
        rows = (self.complete({**part, name: value}) for value in values)
        return next((row for row in rows if row is not None), None)

    def _gain(self, part: Row, name: str, value: str) -> int:
        """How many wanted pairs a value adds to a part of a row."""
        pairs = (sorted([(name, value), other], key=lambda each: self.place[each[0]]) for other in part.items())
        return sum((first, second) in self.wanted for first, second in pairs)
