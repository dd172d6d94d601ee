"""Families of corridors: perfect mazes, braided mazes and spirals."""

from typing import ClassVar, Literal

import attrs

from gridworld.task_spec import Position
from gridworld_generators.families.family import ANY, Family
from gridworld_generators.tools.dice import Dice
from gridworld_generators.tools.lattice import SYMMETRIES, stretch_columns, stretch_rows, turned
from gridworld_generators.tools.mazes import CARVERS, braid, carve, spiral_floor
from gridworld_generators.tools.regions import distances
from gridworld_generators.tools.sketch import Sketch
from gridworld_generators.tools.ways import place_ends


def maze_sketch(floor: set[Position], size: int, dice: Dice) -> Sketch:
    """A sketch of a maze with start and goal; where the size is even, one column and one row of walls are doubled.

    Args:
        floor: of a maze of odd size: `size`, or one less.
        size: lattice columns and rows, border included, at least 5.
        dice: decides.
    """
    if size % 2 == 0:
        inner = range(2, size - 2, 2)
        floor = stretch_rows(stretch_columns(floor, dice.choice(inner)), dice.choice(inner))
    sketch = Sketch(size, size, floor)
    place_ends(sketch, dice)
    return sketch


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
