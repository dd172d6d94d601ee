"""`LookNumbers`: numbers for how cells look, so that pictures of many cells can be compared as arrays."""

from __future__ import annotations

from typing import NamedTuple

from gridworld.world.looks import CellLook
from gridworld.world.world import World

__all__ = ["IN_VIEW", "NOT_SHOWN", "LookNumbers", "ShownCell"]

NOT_SHOWN = 0
"""The number of a cell that may not be shown."""
IN_VIEW = 1
"""The bit that tells a cell in view from one that is remembered."""


class ShownCell(NamedTuple):
    """How a cell is shown."""

    world: World
    """One that has the things of the look."""
    look: CellLook
    letter: str
    """The letter on its topmost thing or mark; empty for none."""
    in_view: bool
    """Whether it is in view; else it is shown as last seen."""


class LookNumbers:
    """Numbers for looks, given in the order in which they are asked for; equal looks of one world have one number."""

    def __init__(self) -> None:
        self._numbers: dict[tuple[World | None, CellLook, str], int] = {}
        self._shown: list[ShownCell] = []

    def in_view(self, world: World, look: CellLook, letter: str = "") -> int:
        """The number of a look in view; without the bit `IN_VIEW` it is the one of the same look as remembered."""
        key = (world if look.things else None, look, letter)
        number = self._numbers.get(key)
        if number is None:
            self._shown += [ShownCell(world, look, letter, in_view) for in_view in (False, True)]
            number = self._numbers[key] = len(self._shown) | IN_VIEW
        return number

    def shown(self, number: int) -> ShownCell | None:
        """What a number stands for; None for a cell that may not be shown."""
        return None if number == NOT_SHOWN else self._shown[number - 2]
