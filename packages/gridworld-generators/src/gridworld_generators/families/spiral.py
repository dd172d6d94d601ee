"""Spirals: one corridor that winds to the middle."""

from typing import ClassVar, Literal

import attrs

from gridworld_generators.families.family import ANY, Family
from gridworld_generators.tools.dice import Dice
from gridworld_generators.tools.regions import distances
from gridworld_generators.tools.sketch import Sketch
from gridworld_generators.tools.spirals import spiral_floor
from gridworld_generators.tools.stretching import stretch_columns, stretch_rows
from gridworld_generators.tools.symmetries import SYMMETRIES, turned

__all__ = ["Spiral"]


@attrs.frozen(kw_only=True)
class Spiral(Family):
    """One corridor that winds to the middle, turned and mirrored at random, between walls of one or more cells.

    Args:
        lane: how wide the corridor is: one cell (narrow) or two (broad), where there is room for keys; or any, which
            is broad where there is a chain.
    """

    size: int = 13
    lane: Literal["any", "narrow", "broad"] = "any"

    LEAST_SIZE: ClassVar[int] = 7
    NOUN: ClassVar[str] = "A spiral"

    def lay_out(self, dice: Dice) -> Sketch:
        """A spiral with the goal in the middle; the start is at the outer end, or further in where there is a chain."""
        pitch = self._width(dice) + 1
        columns, rows = self._lanes(pitch, dice), self._lanes(pitch, dice)
        floor = spiral_floor(columns, rows, pitch - 1)
        for wall in self._thickened(pitch, columns, dice):
            floor = stretch_columns(floor, wall)
        for wall in self._thickened(pitch, rows, dice):
            floor = stretch_rows(floor, wall)
        cells = turned(sorted(floor), self.size, dice.below(SYMMETRIES))
        sketch = Sketch(self.size, self.size, set(cells))
        order = list(distances(sketch.floor, [cells[0]], sketch.neighbors))
        sketch.start = order[dice.below(1 + (len(order) // 2 if self.depth else 0))]
        sketch.goal = order[-1]
        return sketch

    def _lanes(self, pitch: int, dice: Dice) -> int:
        """The number of lanes side by side: as many as fit, or one less, with thicker walls between them."""
        most = (self.size - 1) // pitch
        return most - dice.below(2) if most > 2 else most

    def _thickened(self, pitch: int, lanes: int, dice: Dice) -> list[int]:
        """The walls between lanes to be made thicker by one cell each, as they lie before; the last one first."""
        walls = range(pitch, pitch * lanes, pitch)
        return sorted((dice.choice(walls) for _ in range(self.size - 1 - pitch * lanes)), reverse=True)

    def _width(self, dice: Dice) -> int:
        if self.lane == ANY:
            return 2 if self.depth or self.decoys or dice.chance(0.5) else 1
        return 1 if self.lane == "narrow" else 2
