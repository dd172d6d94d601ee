"""Caves: irregular halls and necks, grown by a cellular automaton."""

from __future__ import annotations

from gridworld.task_spec import Position
from gridworld_generators.tools.dice import Dice
from gridworld_generators.tools.lattice import around, inner_cells, neighbors
from gridworld_generators.tools.regions import components

__all__ = ["grow_cave"]

ROCK = 0.43
"""The probability with which a cell is rock at first."""
CROWDED = 5
"""With so many of the eight cells around it rock, a cell becomes rock; with fewer than one less, floor."""


def grow_cave(width: int, height: int, dice: Dice, rounds: int = 2) -> set[Position]:
    """The floor of a cave: the largest region that is left.

    Cells are rock or floor at random; then each becomes what most of the cells around it are, all at once, a few times.

    Args:
        width: lattice columns, border included; the border is rock.
        height: lattice rows, border included.
        dice: decides.
        rounds: how often the automaton is applied: with more the walls become smoother and the halls wider.
    """
    nearby = around(width, height)
    floor = {cell for cell in inner_cells(width, height) if not dice.chance(ROCK)}
    for _ in range(rounds):
        rocks = {cell: 8 - sum(there in floor for there in cells) for cell, cells in nearby.items()}
        floor = {cell for cell, count in rocks.items() if count < CROWDED - (cell not in floor)}
    parts = components(floor, neighbors(width, height))
    return parts[0] if parts else set()
