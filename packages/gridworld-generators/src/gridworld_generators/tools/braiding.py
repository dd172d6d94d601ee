"""Mazes with loops: dead ends that are opened."""

from __future__ import annotations

from collections.abc import Set

from gridworld.task_spec import Position
from gridworld_generators.tools.dice import Dice
from gridworld_generators.tools.lattice import NEIGHBORS

__all__ = ["braid", "dead_ends"]


def dead_ends(floor: Set[Position]) -> list[Position]:
    """The floor cells that have one floor cell beside them at most, sorted."""
    return sorted(cell for cell in floor if sum(there in floor for there in _beside(cell, 1)) <= 1)


def braid(floor: Set[Position], share: float, dice: Dice) -> set[Position]:
    """The floor of a maze after opening dead ends to what lies behind the wall.

    Args:
        floor: of a maze of `gridworld_generators.tools.carving`: rooms of one cell, with walls of one cell.
        share: the share of dead ends that are opened, 0 to 1. Two that lie back to back are opened to each other.
        dice: decides which, and to where.
    """
    opened = set(floor)
    closed = dead_ends(floor)
    for cell in dice.sample(closed, round(share * len(closed))):
        if sum(there in opened for there in _beside(cell, 1)) > 1:
            continue
        ways = [wall for wall, there in zip(_beside(cell, 1), _beside(cell, 2), strict=True)
                if wall not in opened and there in opened]  # fmt: skip
        if ways:
            opened.add(dice.choice(ways))
    return opened


def _beside(cell: Position, distance: int) -> list[Position]:
    return [Position(cell.x + distance * dx, cell.y + distance * dy) for dx, dy in NEIGHBORS]
