"""Which colours things get: each barrier and what opens it one of their own."""

from __future__ import annotations

from collections.abc import Sequence

from gridworld.generation.generator import NothingDrawn
from gridworld_generators.tools.dice import Dice
from gridworld_generators.tools.sketch import Sketch

__all__ = ["choose_color", "colors_of_steps"]

ROCK = "grey"
"""A door of this colour is hard to tell from the wall around it in pictures, so it is the last to be taken."""


def choose_color(colors: Sequence[str], dice: Dice) -> str:
    """One of some colours, of which there is at least one."""
    return dice.choice([color for color in colors if color != ROCK] or colors)


def colors_of_steps(sketch: Sketch, kinds: Sequence[str], dice: Dice) -> list[str]:
    """A colour for each step of a chain, by its kind.

    Raises:
        NothingDrawn: there are not as many left.
    """
    for_keys = sorted(dice.shuffled(sketch.key_colors_left()), key=lambda color: color != ROCK)
    for_switches = dice.shuffled(sketch.switch_colors_left())
    if kinds.count("key") > len(for_keys) or len(kinds) - kinds.count("key") > len(for_switches):
        raise NothingDrawn("not enough colours for a chain")
    return [(for_keys if kind == "key" else for_switches).pop() for kind in kinds]
