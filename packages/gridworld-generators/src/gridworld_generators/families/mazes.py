"""Sketches of mazes that were dug on a grid of rooms of one cell."""

from __future__ import annotations

from gridworld.task_spec import Position
from gridworld_generators.tools.dice import Dice
from gridworld_generators.tools.ends import place_ends
from gridworld_generators.tools.sketch import Sketch
from gridworld_generators.tools.stretching import stretch_columns, stretch_rows

__all__ = ["maze_sketch"]


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
