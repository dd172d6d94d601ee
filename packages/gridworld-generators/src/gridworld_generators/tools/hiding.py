"""Hidden things: doors that look like walls, and switches that look like floor."""

from __future__ import annotations

from gridworld.generation.generator import NothingDrawn
from gridworld.task_spec import DependencyStep
from gridworld_generators.tools.dice import Dice
from gridworld_generators.tools.sketch import Sketch

__all__ = ["hide_steps"]


def hide_steps(sketch: Sketch, count: int, dice: Dice) -> None:
    """Hide the doors and switches of some steps of the chain until they are discovered.

    Raises:
        NothingDrawn: the chain has fewer steps.
    """
    if count > len(sketch.chain):
        raise NothingDrawn("fewer steps than are to be hidden")
    sketch.hide(sorted(_hidden(step) for step in dice.sample(sketch.chain, count)))


def _hidden(step: DependencyStep) -> str:
    """What of a step can be hidden so that it can still be found: a key would only be in the way."""
    return step.unlocks if step.type == "key-door" else step.element
