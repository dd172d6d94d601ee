"""A ladder of depths."""

from collections.abc import Mapping

import attrs

from gridworld.generation.generator import Drawing, NothingDrawn
from gridworld.task_spec import TaskSpecification
from gridworld_generators.matched.base import Matched, variant_of
from gridworld_generators.tools.changing import with_chain, without

__all__ = ["DepthLadder"]


@attrs.frozen(kw_only=True)
class DepthLadder(Matched):
    """One maze with dependency chains of 0 steps, 1 step, and so on.

    Walls, start and goal are the same; each rung bars the way to the first step of the rung before it. Lengths grow,
    and are stated.

    Args:
        most: the depth of the last rung, 1 to 6.
        steps: what the steps are, joined by "+", as in the base.
    """

    size: int = 17
    most: int = attrs.field(default=6, validator=[attrs.validators.ge(1), attrs.validators.le(6)])
    steps: str = "any"

    @property
    def given(self) -> Mapping[str, object]:
        """The longest chain."""
        return {"depth": self.most, "steps": self.steps}

    def draw(self, seed: int) -> Drawing:
        """The rungs, from no step to the most."""
        deepest = self.base_task(seed)
        if deepest.dependency_chain is None or len(deepest.dependency_chain.sequence) != self.most:
            raise NothingDrawn("the base has another depth")
        depths = tuple(range(self.most + 1))
        rungs = tuple(variant_of(_last_steps(deepest, depth), f"depth_{depth}") for depth in depths)
        return Drawing(rungs, held=("layout", "size", "decoys"), stated={"depth": depths})


def _last_steps(task: TaskSpecification, depth: int) -> TaskSpecification:
    """The task with so many of its last steps: what the others bar is open."""
    steps = task.dependency_chain.sequence if task.dependency_chain else ()
    dropped, kept = steps[: len(steps) - depth], steps[len(steps) - depth :]
    names = {name for step in dropped for name in (step.element, step.unlocks)}
    return with_chain(without(task, names), list(kept))
