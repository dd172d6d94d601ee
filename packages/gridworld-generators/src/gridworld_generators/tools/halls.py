"""Halls: open floor with a ragged outline and a few pillars, as places where things are pushed about."""

from __future__ import annotations

from gridworld.task_spec import Position
from gridworld_generators.tools.dice import Dice
from gridworld_generators.tools.lattice import AROUND

__all__ = ["carve_hall"]

MOST_PILLARS = 2
LEAST_SIDE, MOST_SIDE = 2, 4
"""Of the rectangles that a hall is put together from: where it is one cell wide, nothing can be pushed aside."""


def carve_hall(left: int, top: int, width: int, height: int, walls: int, dice: Dice) -> frozenset[Position]:
    """The floor of a hall, all of it connected: rectangles that overlap.

    Args:
        left: its first column.
        top: its first row.
        width: how many columns it may fill, at least 2.
        height: how many rows, at least 2.
        walls: how much of this is left as wall, about, in percent; below 100.
        dice: decides where.
    """
    wanted = max(LEAST_SIDE**2, width * height * (100 - walls) // 100)
    floor: set[Position] = set()
    while len(floor) < wanted:
        part = _rectangle(left, top, width, height, dice)
        if not floor or not floor.isdisjoint(part):
            floor |= part
    return frozenset(floor - _pillars(floor, dice))


def _pillars(floor: set[Position], dice: Dice) -> set[Position]:
    """Up to `MOST_PILLARS` cells of the open floor, apart from each other and from all walls."""
    pillars: set[Position] = set()
    for cell in dice.sample(sorted(floor), 3 * MOST_PILLARS):
        around = {Position(cell.x + dx, cell.y + dy) for dx, dy in AROUND}
        if around <= floor - pillars and len(pillars) < MOST_PILLARS:
            pillars.add(cell)
    return pillars


def _rectangle(left: int, top: int, width: int, height: int, dice: Dice) -> frozenset[Position]:
    wide, high = dice.between(LEAST_SIDE, min(MOST_SIDE, width)), dice.between(LEAST_SIDE, min(MOST_SIDE, height))
    x, y = left + dice.below(width - wide + 1), top + dice.below(height - high + 1)
    return frozenset(Position(column, row) for column in range(x, x + wide) for row in range(y, y + high))
