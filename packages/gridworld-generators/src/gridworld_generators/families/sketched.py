"""What all families have in common: size and sight, and that a seed has more than one try."""

# No postponed annotations: arguments are read by the types of constructors that subclasses inherit.
from collections.abc import Callable
from typing import ClassVar, Literal

import attrs

from gridworld.generation.generator import Generator, NothingDrawn
from gridworld.task_spec import Rules
from gridworld_generators.tools.sketch import Sketch

__all__ = ["Sketched", "first_sketch"]

ATTEMPTS = 16
"""How many sketches are drawn for a seed before it is given up."""


@attrs.frozen(kw_only=True)
class Sketched(Generator):
    """A family whose tasks are sketched on a square lattice.

    Args:
        size: lattice columns and rows, border included.
        observability: what is shown.
        view_size: how far one sees where sight is limited; odd, at least 3.
    """

    size: int = 9
    observability: Literal["full", "view_cone", "fog_of_war"] = "full"
    view_size: int = 7

    LEAST_SIZE: ClassVar[int] = 5
    MOST_SIZE: ClassVar[int] = 41

    def __attrs_post_init__(self) -> None:
        """Refuse a size and a reach of sight that cannot be.

        Raises:
            ValueError: naming them.
        """
        if not self.LEAST_SIZE <= self.size <= self.MOST_SIZE:
            raise ValueError(f"size must be {self.LEAST_SIZE} to {self.MOST_SIZE}, got {self.size}")
        if self.view_size < 3 or self.view_size % 2 == 0:
            raise ValueError(f"view_size must be odd and at least 3, got {self.view_size}")

    @property
    def rules(self) -> Rules:
        """Those of its tasks, as far as sight goes."""
        return Rules(observability=self.observability, view_size=self.view_size)


def first_sketch(draw: Callable[[], Sketch]) -> Sketch:
    """The first of a few sketches that comes to something.

    Raises:
        NothingDrawn: none did; with all reasons.
    """
    reasons = set()
    for _ in range(ATTEMPTS):
        try:
            return draw()
        except NothingDrawn as nothing:
            reasons.add(str(nothing))
    raise NothingDrawn("; ".join(sorted(reasons)))
