"""What families that are no mazes with chains have in common: size and sight, each over a plan of its own."""

# No postponed annotations: arguments are read by the types of constructors that subclasses inherit.
from abc import abstractmethod
from typing import ClassVar, Literal

import attrs

from gridworld.generation.generator import Drawing, Generator, NothingDrawn
from gridworld.task_spec import Rules
from gridworld_generators.tools.dice import Dice
from gridworld_generators.tools.sketch import Sketch
from gridworld_generators.tools.tiers import TIERS

__all__ = ["Puzzle"]

ATTEMPTS = 16
"""How many plans are drawn for a seed before it is given up."""


@attrs.frozen(kw_only=True)
class Puzzle(Generator):
    """A family of puzzles: a subclass plans all that there is.

    Args:
        size: lattice columns and rows, border included.
        observability: what is shown.
        view_size: how far one sees where sight is limited; odd, at least 3.
        tier: which tier the tasks belong to; they are all of one, so this is no more than a check.
    """

    size: int = 9
    observability: Literal["full", "view_cone", "fog_of_war"] = "full"
    view_size: int = 7
    tier: int | None = None

    LEAST_SIZE: ClassVar[int] = 5
    MOST_SIZE: ClassVar[int] = 41
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
        if not self.LEAST_SIZE <= self.size <= self.MOST_SIZE:
            raise ValueError(f"size must be {self.LEAST_SIZE} to {self.MOST_SIZE}, got {self.size}")
        if self.view_size < 3 or self.view_size % 2 == 0:
            raise ValueError(f"view_size must be odd and at least 3, got {self.view_size}")
        tier = self.TIER if self.observability == "full" else max(TIERS)
        if self.tier not in (None, tier):
            raise ValueError(
                f"tier={self.tier} with observability={self.observability}: these tasks are of tier {tier}"
            )

    def draw(self, seed: int) -> Drawing:
        """One task: the first of a few plans that came to something."""
        dice = Dice(seed)
        reasons = set()
        for _ in range(ATTEMPTS):
            try:
                sketch = self.plan(dice)
            except NothingDrawn as nothing:
                reasons.add(str(nothing))
                continue
            sketch.rules = Rules(observability=self.observability, view_size=self.view_size)
            task = sketch.to_task(
                task_id=f"seed_{seed}", seed=seed, max_steps=self.budget(sketch), description=self.describe()
            )
            return Drawing((task,))
        raise NothingDrawn("; ".join(sorted(reasons)))
