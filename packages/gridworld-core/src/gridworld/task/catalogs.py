"""The mechanism and goal types that tasks may use, by name.

A `gridworld.plugins.Registry` is a `Catalogs`, as is a `GivenTypes`, which works without installed plugins. The types
are `gridworld.world.mechanism_type.MechanismType` and `gridworld.world.goal_type.GoalType`.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from typing import Any, Protocol

import attrs

from gridworld.errors import UnknownNameError


class NamedTypes(Protocol):
    """The types of one kind, accessible by name."""

    def names(self) -> list[str]:
        """Return all names, sorted."""
        ...

    def get(self, name: str) -> Any:
        """Return the type with this name.

        Raises:
            UnknownNameError: no type has this name.
            AmbiguousNameError: several types have this name.
        """
        ...

    def normal_name(self, name: str) -> str:
        """Return the canonical name for files; `name` itself if it is unknown or ambiguous."""
        ...

    def entries(self) -> Iterator[tuple[tuple[str, ...], Any]]:
        """Yield each type with the names by which task files may refer to it, the shortest first."""
        ...


class Catalogs(Hashable, Protocol):
    """The mechanism and goal types that a task may use; compared by identity."""

    @property
    def mechanisms(self) -> NamedTypes:
        """The mechanism types."""
        ...

    @property
    def goals(self) -> NamedTypes:
        """The goal types."""
        ...


@attrs.frozen
class _Given:
    kind: str
    types: Mapping[str, Any]

    def names(self) -> list[str]:
        return sorted(self.types)

    def get(self, name: str) -> Any:
        if name not in self.types:
            raise UnknownNameError(self.kind, name, self.names())
        return self.types[name]

    def normal_name(self, name: str) -> str:
        return name

    def entries(self) -> Iterator[tuple[tuple[str, ...], Any]]:
        return (((name,), self.types[name]) for name in self.names())


class GivenTypes:
    """`Catalogs` of given types, each under the name that tasks use for it.

    Args:
        mechanisms: mechanism types by name.
        goals: goal types by name.
    """

    def __init__(self, mechanisms: Mapping[str, Any], goals: Mapping[str, Any]) -> None:
        self.mechanisms: NamedTypes = _Given("mechanism", dict(mechanisms))
        self.goals: NamedTypes = _Given("goal", dict(goals))
