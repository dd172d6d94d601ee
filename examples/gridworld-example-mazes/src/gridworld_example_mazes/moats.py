"""Moats: walls around the goal, one in the other."""

from typing import ClassVar

import attrs

from gridworld.hookspecs import Position
from gridworld_generators import Dice, Family, Sketch

__all__ = ["Moats"]


@attrs.frozen(kw_only=True)
class Moats(Family):
    """Square walls around the goal, one in the other, with a gap in each.

    Args:
        walls: how many there are, at least 1.
    """

    size: int = 13
    walls: int = attrs.field(default=2, validator=attrs.validators.ge(1))

    LEAST_SIZE: ClassVar[int] = 9
    NOUN: ClassVar[str] = "A castle"

    def __attrs_post_init__(self) -> None:
        super().__attrs_post_init__()
        if 4 * self.walls + 5 > self.size:
            raise ValueError(f"walls={self.walls} with size={self.size}: no room for so many")

    def lay_out(self, dice: Dice) -> Sketch:
        """Walls two cells apart around the middle; the start is in a corner."""
        sketch = Sketch(self.size, self.size, start=Position(1, 1))
        sketch.dig(sketch.inner_cells)
        middle = self.size // 2
        for far in range(2, 2 * self.walls + 1, 2):
            ring = [cell for cell in sketch.inner_cells if max(abs(cell.x - middle), abs(cell.y - middle)) == far]
            sides = [cell for cell in ring if min(abs(cell.x - middle), abs(cell.y - middle)) < far]
            sketch.wall_up(set(ring) - {dice.choice(sides)})
        sketch.goal = Position(middle, middle)
        return sketch
