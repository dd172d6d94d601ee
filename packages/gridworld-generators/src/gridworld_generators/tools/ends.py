"""Where the agent starts, and how far the goal is."""

from __future__ import annotations

from gridworld_generators.tools.dice import Dice
from gridworld_generators.tools.regions import distances
from gridworld_generators.tools.sketch import Sketch

__all__ = ["FAR", "place_ends"]

FAR = 0.25
"""The goal is among this share of the cells: those farthest from the start."""


def place_ends(sketch: Sketch, dice: Dice) -> None:
    """Put the start anywhere on connected floor, and the goal far from it, in a dead end if there is one."""
    start = dice.choice(sorted(sketch.floor))
    order = sorted(distances(sketch.floor, [start], sketch.neighbors).items(), key=lambda item: (-item[1], item[0]))
    far = [cell for cell, _ in order[: max(1, round(FAR * len(order)))]]
    closed = [cell for cell in far if len(sketch.floor_beside(cell)) == 1]
    sketch.start, sketch.goal = start, dice.choice(closed or far)
