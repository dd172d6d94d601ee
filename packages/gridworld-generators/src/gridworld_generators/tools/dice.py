"""Random choices that are the same on every platform and in every version of Python.

They stand on `random.Random.random`, the one method whose sequence Python promises to keep.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from typing import TypeVar

__all__ = ["Dice"]

Item = TypeVar("Item")


class Dice:
    """A stream of random choices.

    Args:
        seed: a number of at least 0; the same one gives the same choices.
    """

    def __init__(self, seed: int) -> None:
        self._random = random.Random(str(seed)).random

    def below(self, end: int) -> int:
        """A whole number from 0 to `end` - 1; `end` is at least 1 and far below 2**53."""
        return int(self._random() * end)

    def between(self, least: int, most: int) -> int:
        """A whole number from `least` to `most`, both included."""
        return least + self.below(most - least + 1)

    def chance(self, probability: float) -> bool:
        """True with a probability from 0 to 1."""
        return self._random() < probability

    def choice(self, items: Sequence[Item]) -> Item:
        """One of some items, of which there is at least one."""
        return items[self.below(len(items))]

    def shuffled(self, items: Iterable[Item]) -> list[Item]:
        """The items in random order. A set has no order of its own: sort it first."""
        mixed = list(items)
        for last in range(len(mixed) - 1, 0, -1):
            other = self.below(last + 1)
            mixed[last], mixed[other] = mixed[other], mixed[last]
        return mixed

    def sample(self, items: Iterable[Item], count: int) -> list[Item]:
        """Some of the items, in random order; all of them if there are fewer than `count`."""
        return self.shuffled(items)[:count]

    def split(self) -> Dice:
        """Other dice, whose choices depend on these but not on what is drawn from these later."""
        return Dice(self.below(2**48))
