"""What families with hazards have in common."""

# No postponed annotations: arguments are read by the types of constructors that subclasses inherit.
from collections.abc import Iterable, Sequence
from typing import Literal

import attrs

from gridworld.mechanisms.hazards import HazardSpec
from gridworld.task_spec import Position
from gridworld_generators.families.puzzle import Puzzle
from gridworld_generators.tools.dice import Dice
from gridworld_generators.tools.sketch import Sketch
from gridworld_generators.tools.ways import rough_length

__all__ = ["Hazardous"]

KINDS = ("lava", "pit", "spike")
ALIKE = 0.8
"""How likely a hazard is of the kind of one beside it."""
GENEROUS = 4
"""How many times the rough length of a plan its budget is."""


@attrs.frozen(kw_only=True)
class Hazardous(Puzzle):
    """A family of puzzles with hazards.

    Args:
        hazard: what they are.
    """

    hazard: Literal["lava", "pit", "spike", "mixed"] = "mixed"

    def budget(self, sketch: Sketch) -> int:
        """Several times a rough length: one may have to go round about."""
        return GENEROUS * (rough_length(sketch) + self.size)

    def place_hazards(self, sketch: Sketch, cells: Iterable[Position], dice: Dice) -> None:
        """Place a hazard on each of some free cells; mixed ones often are of one kind with those beside them."""
        kinds: dict[Position, str] = {}
        for cell in cells:
            kinds[cell] = kind = self._kind(
                [kinds[beside] for beside in sketch.neighbors[cell] if beside in kinds], dice
            )
            sketch.place("hazards", HazardSpec(sketch.new_id(f"{kind}_{cell.x}_{cell.y}"), cell, kind), cell)

    def _kind(self, beside: Sequence[str], dice: Dice) -> str:
        if self.hazard != "mixed":
            return self.hazard
        return dice.choice(beside if beside and dice.chance(ALIKE) else KINDS)
