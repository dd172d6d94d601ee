"""A ladder of decoys."""

from collections.abc import Mapping
from itertools import pairwise

import attrs

from gridworld.generation.generator import Drawing, NothingDrawn
from gridworld.task_spec import TaskSpecification
from gridworld_generators.matched.base import Matched, variant_of

__all__ = ["DecoyLadder"]

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
