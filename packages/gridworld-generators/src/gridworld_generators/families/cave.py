"""Caves: irregular halls and necks."""

from typing import ClassVar

import attrs

from gridworld.generation.generator import NothingDrawn
from gridworld_generators.families.family import Family
from gridworld_generators.tools.caves import grow_cave
from gridworld_generators.tools.dice import Dice
from gridworld_generators.tools.ends import place_ends
from gridworld_generators.tools.sketch import Sketch

__all__ = ["Cave"]

LEAST_SHARE = 0.4
"""The share of the cells inside the border that a cave has at least."""
LEAST_ROUGHNESS = 0.62
"""The share of its cells that have rock beside them, or diagonally, at least: otherwise it is a plain hall."""


@attrs.frozen(kw_only=True)
class Cave(Family):
    """Irregular halls, with no straight walls, no corridors and many ways.

    Args:
        rounds: how often the walls are smoothed, 1 to 4: the halls become wider.
    """

    size: int = 13
    rounds: int = attrs.field(default=2, validator=[attrs.validators.ge(1), attrs.validators.le(4)])

    LEAST_SIZE: ClassVar[int] = 8
    NOUN: ClassVar[str] = "A cave"

    def lay_out(self, dice: Dice) -> Sketch:
        """The largest hall of a cave."""
        sketch = Sketch(self.size, self.size, grow_cave(self.size, self.size, dice, self.rounds))
        if len(sketch.floor) < LEAST_SHARE * len(sketch.inner_cells):
            raise NothingDrawn("the cave became too small")
        rough = sum(any(there not in sketch.floor for there in sketch.around[cell]) for cell in sketch.floor)
        if rough < LEAST_ROUGHNESS * len(sketch.floor):
            raise NothingDrawn("the cave became a plain hall")
        place_ends(sketch, dice)
        return sketch
