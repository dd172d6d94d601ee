"""Islets: a scrap of safe ground on which to stay until the time is up."""

import attrs

from gridworld.generation.generator import NothingDrawn
from gridworld.task_spec import GoalSpec, Position
from gridworld_generators.families.hazardous import Hazardous
from gridworld_generators.tools.dice import Dice
from gridworld_generators.tools.sketch import Sketch

__all__ = ["Islet"]


@attrs.frozen(kw_only=True)
class Islet(Hazardous):
    """A scrap of ground among hazards, one of them right ahead: staying alive takes no more than to hold still.

    Args:
        ground: how many cells are safe, at least 2.
        duration: how many steps one has to stay alive, at least 1.
    """

    size: int = 7
    ground: int = attrs.field(default=5, validator=attrs.validators.ge(2))
    duration: int = attrs.field(default=20, validator=attrs.validators.ge(1))

    def __attrs_post_init__(self) -> None:
        """Refuse an islet without hazards around it.

        Raises:
            ValueError: as said, and as families of puzzles do.
        """
        super().__attrs_post_init__()
        if self.ground > (self.size - 2) ** 2 // 2:
            raise ValueError(f"ground={self.ground} is more than half of what size={self.size} holds")

    def plan(self, dice: Dice) -> Sketch:
        """An islet that has grown cell by cell, and a start at a shore to the right."""
        sketch = Sketch(self.size, self.size)
        sketch.dig(sketch.inner_cells)
        islet = [dice.choice(sketch.inner_cells)]
        while len(islet) < self.ground:
            cell = dice.choice(sketch.neighbors[dice.choice(islet)])
            if cell not in islet:
                islet.append(cell)
        sea = [cell for cell in sketch.inner_cells if cell not in islet]
        shores = [cell for cell in islet if Position(cell.x + 1, cell.y) in sea]
        if not shores:
            raise NothingDrawn("no shore to the right")
        sketch.start = dice.choice(shores)
        sketch.goal = next(cell for cell in islet if cell != sketch.start)
        sketch.goal_spec = GoalSpec("survive_steps")
        self.place_hazards(sketch, sea, dice)
        return sketch

    def budget(self, sketch: Sketch) -> int:
        """The steps to stay alive for."""
        return self.duration

    def describe(self) -> str:
        """A sentence."""
        return "Stay alive on a scrap of ground until the time is up; nothing has to be done for it."
