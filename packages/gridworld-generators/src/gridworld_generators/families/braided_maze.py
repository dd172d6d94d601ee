"""Braided mazes: corridors with loops."""

from typing import ClassVar

import attrs

from gridworld_generators.families.family import Family
from gridworld_generators.families.mazes import maze_sketch
from gridworld_generators.tools.braiding import braid
from gridworld_generators.tools.carving import carve
from gridworld_generators.tools.dice import Dice
from gridworld_generators.tools.sketch import Sketch

__all__ = ["BraidedMaze"]


@attrs.frozen(kw_only=True)
class BraidedMaze(Family):
    """Mazes with several ways between most places, and few dead ends.

    Args:
        loops: how many of a hundred dead ends are opened, 1 to 100.
        size: as of all families; in an even one, one wall is twice as thick.
    """

    loops: int = attrs.field(default=80, validator=[attrs.validators.ge(1), attrs.validators.le(100)])

    LEAST_SIZE: ClassVar[int] = 7
    NOUN: ClassVar[str] = "A maze with loops"

    def lay_out(self, dice: Dice) -> Sketch:
        """A maze after Wilson whose dead ends are opened."""
        rooms = (self.size - 1) // 2
        return maze_sketch(braid(carve("wilson", rooms, rooms, dice), self.loops / 100, dice), self.size, dice)
