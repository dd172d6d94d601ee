"""Random choices that are the same on every platform and in every version of Python.

They use only `random.Random.random`, the one method whose sequence Python guarantees.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from typing import TypeVar

Item = TypeVar("Item")


class Dice:
    """A stream of random choices.

    Args:
        seed: at least 0; equal seeds give equal choices.
    """

    def __init__(self, seed: int) -> None:
        self._random = random.Random(str(seed)).random

    def below(self, end: int) -> int:
        """Return an integer from 0 to `end` - 1; `end` is at least 1 and far below 2**53."""
        return int(self._random() * end)

    def between(self, least: int, most: int) -> int:
        """Return an integer from `least` to `most`, both included."""
        return least + self.below(most - least + 1)

    def chance(self, probability: float) -> bool:
        """Return True with a probability from 0 to 1."""
        return self._random() < probability

    def choice(self, items: Sequence[Item]) -> Item:
        """Return one of the items, of which there must be at least one."""
        return items[self.below(len(items))]

    def shuffled(self, items: Iterable[Item]) -> list[Item]:
        """Return the items in random order; sort a set before passing it."""
        mixed = list(items)
        for last in range(len(mixed) - 1, 0, -1):
            other = self.below(last + 1)
            mixed[last], mixed[other] = mixed[other], mixed[last]
        return mixed

    def sample(self, items: Iterable[Item], count: int) -> list[Item]:
        """Return up to `count` of the items, in random order."""
        return self.shuffled(items)[:count]

    def split(self) -> Dice:
        """Return a new stream that is independent of later draws from this one."""
        return Dice(self.below(2**48))
