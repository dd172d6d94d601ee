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
    """Return a sketch of a maze with start and goal; an even size doubles one column and one row of walls.

    Args:
        floor: the floor of a maze of odd size: `size`, or one less.
        size: lattice columns and rows, border included, at least 5.
        dice: the source of randomness.
    """
    if size % 2 == 0:
        inner = range(2, size - 2, 2)
        floor = stretch_rows(stretch_columns(floor, dice.choice(inner)), dice.choice(inner))
    sketch = Sketch(size, size, floor)
    place_ends(sketch, dice)
    return sketch


@attrs.frozen(kw_only=True)
class PerfectMaze(Family):
    """Mazes with exactly one path between any two cells.

    Args:
        algorithm: backtracker (long winding corridors), division (long straight walls), prim (many short dead ends),
            wilson (all mazes equally likely), or any.
        size: lattice columns and rows, border included; an even size has one wall of double thickness.
    """

    algorithm: Literal["any", "backtracker", "division", "prim", "wilson"] = "any"

    NOUN: ClassVar[str] = "A perfect maze"

    def lay_out(self, dice: Dice) -> Sketch:
        """Lay out a maze with start and goal."""
        rooms = (self.size - 1) // 2
        algorithm = dice.choice(sorted(CARVERS)) if self.algorithm == ANY else self.algorithm
        return maze_sketch(carve(algorithm, rooms, rooms, dice), self.size, dice)


@attrs.frozen(kw_only=True)
class BraidedMaze(Family):
    """Mazes with several paths between most cells, and few dead ends.

    Args:
        loops: percentage of dead ends that are opened, 1 to 100.
        size: lattice columns and rows, border included; an even size has one wall of double thickness.
    """

    loops: int = attrs.field(default=80, validator=[attrs.validators.ge(1), attrs.validators.le(100)])

    LEAST_SIZE: ClassVar[int] = 7
    NOUN: ClassVar[str] = "A maze with loops"

    def lay_out(self, dice: Dice) -> Sketch:
        """Lay out a maze by Wilson's algorithm, and open some of its dead ends."""
        rooms = (self.size - 1) // 2
        return maze_sketch(braid(carve("wilson", rooms, rooms, dice), self.loops / 100, dice), self.size, dice)


@attrs.frozen(kw_only=True)
class Spiral(Family):
    """One corridor that spirals to the middle, randomly rotated and mirrored, between walls of one or more cells.

    Args:
        lane: width of the corridor: narrow (one cell), broad (two cells, with room for keys), or any, which is broad if
            there are chains or decoys.
    """

    size: int = 13
    lane: Literal["any", "narrow", "broad"] = "any"

    LEAST_SIZE: ClassVar[int] = 7
    NOUN: ClassVar[str] = "A spiral"

    def lay_out(self, dice: Dice) -> Sketch:
        """Lay out a spiral with the goal in the middle; the start is at the outer end, or further in with a chain."""
        broad = self.lane == "broad"
        if self.lane == ANY:
            broad = bool(self.depth or self.decoys or dice.chance(0.5))
        pitch = 3 if broad else 2
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
        """Return the number of lanes side by side: as many as fit, or one fewer with thicker walls."""
        most = (self.size - 1) // pitch
        return most - dice.below(2) if most > 2 else most

    def _thickened(self, pitch: int, lanes: int, dice: Dice) -> list[int]:
        """Return the positions of the walls to thicken by one cell, in descending order."""
        walls = range(pitch, pitch * lanes, pitch)
        return sorted((dice.choice(walls) for _ in range(self.size - 1 - pitch * lanes)), reverse=True)
