"""The base class of generators, for plugins that add a family of tasks."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any

import attrs

from gridworld.errors import GridworldError
from gridworld.task_spec import TaskSpecification


class NothingDrawn(GridworldError):
    """A generator cannot draw a task from a seed; the message is a short reason, such as ``no room for a key``."""


@attrs.frozen
class Drawing:
    """The task, or set of related tasks, drawn from a seed, with claims about the set.

    Measures are named as in `gridworld.generation.measures.MEASURES`. A drawing is rejected if a claim is false on a
    tiling for which it is certified.
    """

    tasks: tuple[TaskSpecification, ...]
    """The drawn tasks, at least one; each task of a set has its name in ``metadata.variant``."""
    held: tuple[str, ...] = ()
    """Measures that are equal in all tasks, on every tiling."""
    held_on: Mapping[str, tuple[str, ...]] = attrs.field(factory=dict)
    """Measures that are equal in all tasks on a given tiling."""
    varied: tuple[str, ...] = ()
    """Measures that differ between any two tasks, on every tiling."""
    stated: Mapping[str, tuple[int | str, ...]] = attrs.field(factory=dict)
    """Value of a measure in each task, in order, on every tiling."""


@attrs.frozen
class Generator(ABC):
    """Draws tasks from seeds.

    A subclass is a frozen attrs class whose fields are its parameters: integers, booleans, words (`Literal`) or
    strings, each with a default. Its docstring is the documentation of the family. Its constructor raises ValueError
    for parameters that contradict each other, before anything is drawn.
    """

    @abstractmethod
    def draw(self, seed: int) -> Drawing:
        """Draw the task, or set of tasks, for a seed.

        The result must depend only on the parameters and the seed, not on the time, the platform or the version of
        Python. Tasks need not be solvable, since those that cannot be certified are rejected. Their ids are replaced.

        Args:
            seed: at least 0, below 2**63.

        Raises:
            NothingDrawn: no task can be drawn from this seed.
        """

    @property
    def parameters(self) -> dict[str, Any]:
        """Return the parameters by name."""
        return attrs.asdict(self, recurse=False)
