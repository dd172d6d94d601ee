"""Ladders: one task at several depths, or with several numbers of decoys."""

from collections.abc import Mapping
from itertools import pairwise

import attrs

from gridworld.generation.generator import Drawing, NothingDrawn
from gridworld.task_spec import TaskSpecification
from gridworld_generators.matched.base import Matched, variant_of, with_chain, without


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


RUNGS = (0, 1, 2, 4, 8)


@attrs.frozen(kw_only=True)
class DecoyLadder(Matched):
    """One task with 0, 1, 2, 4 and 8 decoys; those of each rung contain the ones of the rung before.

    Shortest plans have the same length on every tiling.

    Args:
        kinds: what decoys are, joined by "+": idle_switch, wrong_key, dead_end. With eight keys that can be carried and
            dropped anywhere, many tasks are too large to be certified.
    """

    base: str = "open_rooms:depth=2"
    kinds: str = "idle_switch"

    @property
    def given(self) -> Mapping[str, object]:
        """Decoys: as many as there are at most."""
        return {"decoys": RUNGS[-1], "decoy_kinds": self.kinds}

    def draw(self, seed: int) -> Drawing:
        """The rungs, from none to the most."""
        tasks = [self.base_task(seed, decoys=count) for count in RUNGS]
        if not all(_contains(more, fewer) for fewer, more in pairwise(tasks)):
            raise NothingDrawn("decoys do not contain those of the rung before")
        variants = tuple(variant_of(task, f"decoys_{count}") for task, count in zip(tasks, RUNGS, strict=True))
        return Drawing(variants, held=("length", "chain", "size"), stated={"decoys": RUNGS})


def _contains(more: TaskSpecification, fewer: TaskSpecification) -> bool:
    """Whether a task has all that another one has, where that has it; its walls may have new dead ends in them."""
    specs = [spec for _, group in more.mechanisms.groups() for spec in group]
    same = all(spec in specs for _, group in fewer.mechanisms.groups() for spec in group)
    walls = more.maze.wall_cells() <= fewer.maze.wall_cells()
    return same and walls and set(fewer.distractors) <= set(more.distractors)
