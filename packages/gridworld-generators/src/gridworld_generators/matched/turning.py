"""The same task turned and mirrored."""

import attrs

from gridworld.generation.generator import Drawing, NothingDrawn
from gridworld.task_spec import TaskSpecification
from gridworld_generators.matched.base import Matched, variant_of
from gridworld_generators.tools.changing import moved
from gridworld_generators.tools.symmetries import SYMMETRIES, turned

__all__ = ["Mirroring", "Turning"]

HELD = ("depth", "decoys", "contents", "chain", "observability", "tier")
UPSIDE_DOWN = 6
"""Mirrored left to right and turned by 180 degrees: mirrored top to bottom."""


@attrs.frozen(kw_only=True)
class Mirroring(Matched):
    """One task as it is and mirrored top to bottom.

    The agent starts facing right in both, so that shortest plans have the same length on squares; on other tilings
    lengths may differ, and are stated.
    """

    base: str = "perfect_maze:depth=2"

    def draw(self, seed: int) -> Drawing:
        """The task and its mirror image."""
        task = self.base_task(seed)
        both = (variant_of(task, "as_drawn"), variant_of(_turned(task, UPSIDE_DOWN), "upside_down"))
        return Drawing(both, held=HELD, held_on={"square": ("length",)})


@attrs.frozen(kw_only=True)
class Turning(Matched):
    """One task in all eight positions of a square: turned by 90, 180 and 270 degrees, mirrored, and both.

    The agent starts facing right in all of them, so that lengths differ, and are stated.
    """

    base: str = "perfect_maze:depth=2"

    def draw(self, seed: int) -> Drawing:
        """All eight."""
        task = self.base_task(seed)
        return Drawing(
            tuple(variant_of(_turned(task, symmetry), _name(symmetry)) for symmetry in range(SYMMETRIES)), held=HELD
        )


def _name(symmetry: int) -> str:
    degrees = 90 * (symmetry % 4)
    return f"mirrored_turned_{degrees}" if symmetry >= SYMMETRIES // 2 else f"turned_{degrees}"


def _turned(task: TaskSpecification, symmetry: int) -> TaskSpecification:
    size, height = task.maze.dimensions
    if size != height:
        raise NothingDrawn("the base is not square")
    return moved(task, lambda cell: turned([cell], size, symmetry)[0])
