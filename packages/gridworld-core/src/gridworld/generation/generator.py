"""The base class of generators: what a plugin implements to add a family of tasks."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any

import attrs

from gridworld.errors import GridworldError
from gridworld.task_spec import TaskSpecification

__all__ = ["Drawing", "Generator", "NothingDrawn"]


class NothingDrawn(GridworldError):
    """A seed for which a generator has no task; the message says in a few words why, such as ``no room for a key``."""


@attrs.frozen
class Drawing:
    """What a generator makes of one seed: a task, or several that belong together.

    Measures are named as in `gridworld.generation.measures.MEASURES`. A drawing of which a claim is not so on a tiling
    that it is certified on is thrown away.
    """

    tasks: tuple[TaskSpecification, ...]
    """At least one. Each of several says in ``metadata.variant`` which one it is."""
    held: tuple[str, ...] = ()
    """Names of measures that are equal in all tasks, on every tiling."""
    held_on: Mapping[str, tuple[str, ...]] = attrs.field(factory=dict)
    """Tiling to names of measures that are equal in all tasks on that one."""
    varied: tuple[str, ...] = ()
    """Names of measures that differ between any two tasks, on every tiling."""
    stated: Mapping[str, tuple[int | str, ...]] = attrs.field(factory=dict)
    """Name of a measure to its value in each task, in their order, on every tiling."""


@attrs.frozen
class Generator(ABC):
    """Draws tasks from seeds.

    A subclass is a frozen attrs class whose fields are its parameters: whole numbers, truth values, words (`Literal`)
    or texts, each with a default. Its docstring is the documentation of the family. Its constructor raises ValueError
    for parameters that contradict each other, so that this is said before anything is drawn.
    """

    @abstractmethod
    def draw(self, seed: int) -> Drawing:
        """The task of a seed, or several that belong together; always the same ones for the same parameters.

        It depends on nothing else: not on the time, the platform or the version of Python. Tasks need not be solvable:
        whatever cannot be certified is thrown away. Their ids are replaced.

        Args:
            seed: at least 0, below 2**63.

        Raises:
            NothingDrawn: there is no task for this seed.
        """

    @property
    def parameters(self) -> dict[str, Any]:
        """Parameter to its value."""
        return attrs.asdict(self, recurse=False)
