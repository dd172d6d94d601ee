"""Perfect mazes: trees of corridors."""

from typing import ClassVar, Literal

import attrs

from gridworld_generators.families.family import ANY, Family
from gridworld_generators.families.mazes import maze_sketch
from gridworld_generators.tools.carving import CARVERS, carve
from gridworld_generators.tools.dice import Dice
from gridworld_generators.tools.sketch import Sketch

__all__ = ["PerfectMaze"]


@attrs.frozen(kw_only=True)
class PerfectMaze(Family):
    """Mazes with exactly one way between any two places.

    Args:
        algorithm: how it is dug: by a backtracker (long winding corridors), by division (long straight walls), as prim
            (many short dead ends), or after wilson (every maze is as likely as any other); or any.
        size: as of all families; in an even one, one wall is twice as thick.
    """

    algorithm: Literal["any", "backtracker", "division", "prim", "wilson"] = "any"

    NOUN: ClassVar[str] = "A perfect maze"

    def lay_out(self, dice: Dice) -> Sketch:
        """A maze of the size that is asked for."""
        rooms = (self.size - 1) // 2
        algorithm = dice.choice(sorted(CARVERS)) if self.algorithm == ANY else self.algorithm
        return maze_sketch(carve(algorithm, rooms, rooms, dice), self.size, dice)
