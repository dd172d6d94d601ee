"""`Configurations`: numbers for all that tells states apart but the agent's pose."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gridworld.solver.poses import Poses
from gridworld.solver.spaces import Configuration

__all__ = ["Configurations", "doubled"]

OF_A_CONFIGURATION, OF_A_THING = 350, 8
"""Bytes of a configuration and of its place among the others, and for each value and place in it; as measured."""


class Configurations:
    """Configurations, numbered as they are met.

    Args:
        poses: those of the world.
        things: how many movable things there are.
    """

    def __init__(self, poses: Poses, things: int) -> None:
        self._place_of = poses.place_of
        self._met: list[Configuration] = []
        self._numbers: dict[Configuration, int] = {}
        self._places = np.full((16, things), -1, dtype=np.int32)

    def __len__(self) -> int:
        return len(self._met)

    def __getitem__(self, number: int) -> Configuration:
        return self._met[number]

    @property
    def memory(self) -> int:
        """Bytes that are kept of them, about."""
        if not self._met:
            return self._places.nbytes
        things = len(self._met[0].values) + len(self._met[0].places)
        return self._places.nbytes + len(self._met) * (OF_A_CONFIGURATION + OF_A_THING * things)

    def since(self, first: int) -> list[Configuration]:
        """Those with a number of at least `first`."""
        return self._met[first:]

    def known(self, configuration: Configuration) -> int:
        """The number of a configuration, -1 if it has not been met."""
        return self._numbers.get(configuration, -1)

    def number(self, configuration: Configuration) -> int:
        """The number of a configuration, a new one if it has not been met."""
        number = self._numbers.get(configuration)
        if number is None:
            number = self._numbers[configuration] = len(self._met)
            self._met.append(configuration)
            if number == len(self._places):
                self._places = doubled(self._places)
            self._places[number] = [self._place_of[cell] if cell >= 0 else -1 for cell in configuration.places]
        return number

    def places(self, numbers: Any) -> NDArray[np.int32]:
        """Where the movable things are: places, or -1 for nowhere; shape (numbers, things)."""
        places: NDArray[np.int32] = self._places[numbers]
        return places


def doubled(array: NDArray[Any]) -> NDArray[Any]:
    """An array with as many zeros behind it."""
    return np.concatenate([array, np.zeros_like(array)])
