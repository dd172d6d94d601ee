"""Rivers of lava across a hall, each with one ford."""

from itertools import pairwise
from typing import ClassVar, Literal

import attrs

from gridworld.task_spec import Position
from gridworld_generators.families.hazardous import Hazardous
from gridworld_generators.tools.dice import Dice
from gridworld_generators.tools.sketch import Sketch

__all__ = ["LavaRivers"]


@attrs.frozen(kw_only=True)
class LavaRivers(Hazardous):
    """Rivers from wall to wall, upright and level ones that cross, each with one ford that can be reached.

    Args:
        rivers: how many there are, at least 1; fewer where the hall is too small.
    """

    hazard: Literal["lava", "pit", "spike", "mixed"] = "lava"
    rivers: int = attrs.field(default=3, validator=attrs.validators.ge(1))

    LEAST_SIZE: ClassVar[int] = 6

    def plan(self, dice: Dice) -> Sketch:
        """Bands of ground between the rivers, crossed one after the other from a corner to the one opposite."""
        sketch = Sketch(self.size, self.size)
        sketch.dig(sketch.inner_cells)
        columns, rows = self._courses(dice)
        fords = _fords([0, *columns, self.size - 1], [0, *rows, self.size - 1], dice)
        river = [cell for cell in sketch.inner_cells if (cell.x in columns or cell.y in rows) and cell not in fords]
        mirror = dice.chance(0.5), dice.chance(0.5)
        first = Position(dice.between(1, columns[0] - 1 if columns else 2), dice.between(1, rows[0] - 1 if rows else 2))
        last = Position(self.size - 2, self.size - 2)
        sketch.start, sketch.goal = self._mirrored(first, mirror), self._mirrored(last, mirror)
        self.place_hazards(sketch, sorted(self._mirrored(cell, mirror) for cell in river), dice)
        return sketch

    def describe(self) -> str:
        """A sentence."""
        return "Cross every river where it has a ford."

    def _courses(self, dice: Dice) -> tuple[list[int], list[int]]:
        """The columns and the rows of the rivers; between two there is ground."""
        lines = dice.shuffled([(upright, place) for upright in (True, False) for place in range(2, self.size - 2)])
        chosen: list[tuple[bool, int]] = []
        for upright, place in lines:
            if len(chosen) < self.rivers and not {(upright, place - 1), (upright, place + 1)} & {*chosen}:
                chosen.append((upright, place))
        return (
            sorted(place for upright, place in chosen if upright),
            sorted(place for upright, place in chosen if not upright),
        )

    def _mirrored(self, cell: Position, mirror: tuple[bool, bool]) -> Position:
        x, y = (self.size - 1 - place if flipped else place for place, flipped in zip(cell, mirror, strict=True))
        return Position(x, y)


def _fords(columns: list[int], rows: list[int], dice: Dice) -> set[Position]:
    """One in each river, on a way from the first band of both kinds to the last; the lists begin and end with walls."""
    across, down = list(pairwise(columns)), list(pairwise(rows))
    i = j = 0
    fords = set()
    for upright in dice.shuffled([True] * (len(across) - 1) + [False] * (len(down) - 1)):
        (left, right), (top, bottom) = across[i], down[j]
        if upright:
            fords.add(Position(right, dice.between(top + 1, bottom - 1)))
            i += 1
        else:
            fords.add(Position(dice.between(left + 1, right - 1), bottom))
            j += 1
    return fords
