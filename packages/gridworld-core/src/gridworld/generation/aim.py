"""Finds the size at which tasks have the length that is asked for."""

from __future__ import annotations

from collections.abc import Sequence

from gridworld.generation.bands import Band
from gridworld.generation.generator import Generator
from gridworld.generation.seeds import derive_seed

__all__ = ["Aim"]

ANY_SIZE = (-1.0, float("inf"))


class Aim:
    """Chooses a generator for each attempt, the next one among larger ones after a task that was too short.

    Args:
        generators: those that the recipe allows; at least one.
        length: the lengths that are asked for; None if any will do.
    """

    def __init__(self, generators: Sequence[Generator], length: Band | None) -> None:
        self._generators = [(_size(each), each) for each in generators]
        self._length = length
        self._nearest: int | None = None
        self._too_small, self._too_large = ANY_SIZE

    @property
    def nearest(self) -> int | None:
        """The length that came nearest to those that are asked for; None if none is known."""
        return self._nearest

    def choose(self, seed: int) -> Generator:
        """The generator of the next attempt."""
        fitting = [each for size, each in self._generators if self._too_small < size < self._too_large]
        if not fitting:  # no size is right for all mazes
            self._too_small, self._too_large = ANY_SIZE
            fitting = [each for _, each in self._generators]
        return fitting[derive_seed(seed, "parameters") % len(fitting)]

    def learn(self, generator: Generator, lengths: Sequence[int]) -> None:
        """Take note of how long the tasks of an attempt were; nothing is learnt of lengths on both sides."""
        if self._length is None or not lengths:
            return
        for length in lengths:
            if self._nearest is None or self._length.distance(length) < self._length.distance(self._nearest):
                self._nearest = length
        if max(lengths) < self._length.least:
            self._too_small = max(self._too_small, _size(generator))
        elif min(lengths) > self._length.most:
            self._too_large = min(self._too_large, _size(generator))


def _size(generator: Generator) -> int:
    """The parameter that lengths grow with; 0 for a generator without it."""
    size = generator.parameters.get("size")
    return size if isinstance(size, int) else 0
