"""Ladders: one task with dependency chains of increasing depth, or with an increasing number of decoys."""

from collections.abc import Mapping
from itertools import pairwise

import attrs

from gridworld.generation.generator import Drawing, NothingDrawn
from gridworld.task_spec import TaskSpecification
from gridworld_generators.matched.base import Matched, variant_of, with_chain, without


@attrs.frozen(kw_only=True)
class DepthLadder(Matched):
    """One maze with dependency chains of 0 steps, 1 step, and so on.

    Walls, start and goal are the same; each rung blocks the path to the first step of the previous one. Plan lengths
    increase and are stated.

    Args:
        most: depth of the last rung, 1 to 6.
        steps: kinds of steps, joined by "+", as in the base.
    """

    size: int = 17
    most: int = attrs.field(default=6, validator=[attrs.validators.ge(1), attrs.validators.le(6)])
    steps: str = "any"

    @property
    def given(self) -> Mapping[str, object]:
        """Parameters for the longest chain."""
        return {"depth": self.most, "steps": self.steps}

    def draw(self, seed: int) -> Drawing:
        """Draw the rungs, from no step to `most` steps."""
        deepest = self.base_task(seed)
        if deepest.dependency_chain is None or len(deepest.dependency_chain.sequence) != self.most:
            raise NothingDrawn("the base has a different depth")
        depths = tuple(range(self.most + 1))
        rungs = tuple(variant_of(_last_steps(deepest, depth), f"depth_{depth}") for depth in depths)
        return Drawing(rungs, held=("layout", "size", "decoys"), stated={"depth": depths})


def _last_steps(task: TaskSpecification, depth: int) -> TaskSpecification:
    """Return a copy of a task reduced to its last `depth` steps, without the mechanisms of the others."""
    steps = task.dependency_chain.sequence if task.dependency_chain else ()
    dropped, kept = steps[: len(steps) - depth], steps[len(steps) - depth :]
    names = {name for step in dropped for name in (step.element, step.unlocks)}
    return with_chain(without(task, names), list(kept))


RUNGS = (0, 1, 2, 4, 8)


@attrs.frozen(kw_only=True)
class DecoyLadder(Matched):
    """One task with 0, 1, 2, 4 and 8 decoys; each rung contains the decoys of the previous one.

    Shortest plans have the same length on every tiling.

    Args:
        kinds: kinds of decoys, joined by "+": idle_switch, wrong_key, dead_end. With eight keys to carry and drop
            anywhere, many tasks are too large to be certified.
    """

    base: str = "open_rooms:depth=2"
    kinds: str = "idle_switch"

    @property
    def given(self) -> Mapping[str, object]:
        """Parameters for the decoys of the last rung."""
        return {"decoys": RUNGS[-1], "decoy_kinds": self.kinds}

    def draw(self, seed: int) -> Drawing:
        """Draw the rungs, from no decoys to the most."""
        tasks = [self.base_task(seed, decoys=count) for count in RUNGS]
        if not all(_contains(more, fewer) for fewer, more in pairwise(tasks)):
            raise NothingDrawn("the decoys do not include those of the previous rung")
        variants = tuple(variant_of(task, f"decoys_{count}") for task, count in zip(tasks, RUNGS, strict=True))
        return Drawing(variants, held=("length", "chain", "size"), stated={"decoys": RUNGS})


def _contains(more: TaskSpecification, fewer: TaskSpecification) -> bool:
    """Whether a task has all mechanisms, decoys and floor of another in place; it may have additional dead ends."""
    specs = [spec for _, group in more.mechanisms.groups() for spec in group]
    same = all(spec in specs for _, group in fewer.mechanisms.groups() for spec in group)
    walls = more.maze.wall_cells() <= fewer.maze.wall_cells()
    return same and walls and set(fewer.distractors) <= set(more.distractors)
