"""The same task in full sight, in a cone and in fog."""

import attrs

from gridworld.generation.generator import Drawing
from gridworld.task_spec import OBSERVABILITY_MODES, TaskSpecification
from gridworld_generators.matched.base import Matched, variant_of
from gridworld_generators.tools.tiers import tier_of

__all__ = ["Sight"]

NAMES = {"full": "full", "view_cone": "cone", "fog_of_war": "fog"}
"""What is shown, to the name of the variant."""


@attrs.frozen(kw_only=True)
class Sight(Matched):
    """One task in which everything is shown, only what lies in the cone of view, and what has been seen before.

    Shortest plans are the same. How far one sees is the base's view_size.
    """

    base: str = "perfect_maze:depth=2"

    def draw(self, seed: int) -> Drawing:
        """The three of them."""
        task = self.base_task(seed)
        seen = tuple(variant_of(_shown(task, mode), NAMES[mode]) for mode in OBSERVABILITY_MODES)
        held = ("length", "depth", "decoys", "layout", "contents", "colors")
        return Drawing(seen, held=held, stated={"observability": OBSERVABILITY_MODES})


def _shown(task: TaskSpecification, mode: str) -> TaskSpecification:
    rules = attrs.evolve(task.rules, observability=mode)
    return attrs.evolve(task, rules=rules, difficulty_tier=tier_of(task.mechanisms, rules))
