"""What families that are no mazes with chains have in common: size and sight, each over a plan of its own."""

# No postponed annotations: arguments are read by the types of constructors that subclasses inherit.
from abc import abstractmethod
from typing import ClassVar

import attrs

from gridworld.generation.generator import Drawing
from gridworld_generators.families.sketched import Sketched, first_sketch
from gridworld_generators.tools.dice import Dice
from gridworld_generators.tools.sketch import Sketch
from gridworld_generators.tools.tiers import TIERS

__all__ = ["Puzzle"]


@attrs.frozen(kw_only=True)
class Puzzle(Sketched):
    """A family of puzzles: a subclass plans all that there is.

    Size and sight are those of all families (`Sketched`).

    Args:
        tier: which tier the tasks belong to; they are all of one, so this is no more than a check.
    """

    tier: int | None = None

    TIER: ClassVar[int] = 4
    """The tier of its tasks where sight is not limited."""

    @abstractmethod
    def plan(self, dice: Dice) -> Sketch:
        """A sketch of a whole task, but for the rules.

        Raises:
            NothingDrawn: it came to nothing; another one is tried.
        """

    @abstractmethod
    def budget(self, sketch: Sketch) -> int:
        """How many actions a task grants: more than enough, since recipes go by what the certificate says."""

    @abstractmethod
    def describe(self) -> str:
        """What the task is, in a sentence."""

    def __attrs_post_init__(self) -> None:
        """Refuse parameters that contradict each other.

        Raises:
            ValueError: naming them.
        """
        super().__attrs_post_init__()
        tier = self.TIER if self.observability == "full" else max(TIERS)
        if self.tier not in (None, tier):
            raise ValueError(
                f"tier={self.tier} with observability={self.observability}: these tasks are of tier {tier}"
            )

    def draw(self, seed: int) -> Drawing:
        """One task: the first of a few plans that came to something."""
        dice = Dice(seed)
        sketch = first_sketch(lambda: self.plan(dice))
        sketch.rules = self.rules
        task = sketch.to_task(
            task_id=f"seed_{seed}", seed=seed, max_steps=self.budget(sketch), description=self.describe()
        )
        return Drawing((task,))
