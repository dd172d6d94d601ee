"""The base class of importers: what a plugin implements to make tasks of levels in another form."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator

import attrs

from gridworld.task_spec import TaskSpecification

__all__ = ["Importer", "Inexpressible", "Level", "Unreadable"]


@attrs.frozen
class Inexpressible:
    """A level that cannot be said as a task."""

    level: str
    """What the source calls it, such as a line number or a seed."""
    reason: str
    """What in it has no counterpart, and where."""


@attrs.frozen
class Unreadable:
    """One of several files that cannot be read, which is no reason not to read the others."""

    file: str
    """Its path."""
    reason: str
    """What is wrong in it, and where."""


Level = TaskSpecification | Inexpressible | Unreadable
"""What an importer says of a level."""


class Importer(ABC):
    """Reads levels. The parameters of the constructor are its options; it raises ValueError for wrong ones."""

    @abstractmethod
    def levels(self, source: str) -> Iterator[Level]:
        """The levels of a source, in their order.

        Args:
            source: what the user named: a file, or an id, as the importer's docstring says.

        Raises:
            ArgumentError, TaskError: there is no such source, or it cannot be read; with file, line and column if there
                are any.
        """
