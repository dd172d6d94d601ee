"""The mechanism and goal types that a task is read, validated and compiled with, by name.

A `gridworld.plugins.Registry` is a `Catalogs`; so is a `Vocabulary`, which needs no plugin to be installed.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

import attrs

from gridworld.errors import UnknownNameError

if TYPE_CHECKING:
    from gridworld.world.goal_type import GoalType
    from gridworld.world.mechanism_type import MechanismType

__all__ = ["Catalogs", "NamedTypes", "Vocabulary"]

Named = TypeVar("Named")
Named_co = TypeVar("Named_co", covariant=True)


class NamedTypes(Protocol[Named_co]):
    """The types of one kind, by name."""

    def names(self) -> list[str]:
        """All names, sorted."""
        ...

    def get(self, name: str) -> Named_co:
        """The type of a name.

        Raises:
            UnknownNameError: there is no such type.
            AmbiguousNameError: there is more than one such type.
        """
        ...

    def normal_name(self, name: str) -> str:
        """The name under which files keep the type; the name itself if it means none, or several."""
        ...

    def describe(self, name: str) -> str:
        """What messages call the type of a name, such as ``mechanism 'ice' (my-distribution)``; raises as `get`."""
        ...

    def entries(self) -> Iterator[tuple[tuple[str, ...], Named_co]]:
        """Each type after the names by which task files may call it, the shortest first."""
        ...


class Catalogs(Hashable, Protocol):
    """The mechanism and goal types that a task may use; two are equal only if they are the same object."""

    @property
    def mechanisms(self) -> NamedTypes[MechanismType]:
        """The mechanism types."""
        ...

    @property
    def goals(self) -> NamedTypes[GoalType]:
        """The goal types."""
        ...


@attrs.frozen
class _GivenTypes(Generic[Named]):
    kind: str
    types: Mapping[str, Named]
    owners: Mapping[str, str] = attrs.Factory(dict)

    def names(self) -> list[str]:
        return sorted(self.types)

    def get(self, name: str) -> Named:
        if name not in self.types:
            raise UnknownNameError(self.kind, name, self.names())
        return self.types[name]

    def normal_name(self, name: str) -> str:
        return name

    def describe(self, name: str) -> str:
        self.get(name)
        return self.owners.get(name, f"{self.kind} '{name}'")

    def entries(self) -> Iterator[tuple[tuple[str, ...], Named]]:
        return (((name,), self.types[name]) for name in self.names())


class Vocabulary:
    """`Catalogs` of given types, each under the name by which tasks call it.

    Args:
        mechanisms: name to mechanism type.
        goals: name to goal type.
        owners: name to what messages call a mechanism type; by default by its name alone.
    """

    def __init__(
        self,
        mechanisms: Mapping[str, MechanismType],
        goals: Mapping[str, GoalType],
        owners: Mapping[str, str] | None = None,
    ) -> None:
        self.mechanisms: NamedTypes[MechanismType] = _GivenTypes("mechanism", dict(mechanisms), dict(owners or {}))
        self.goals: NamedTypes[GoalType] = _GivenTypes("goal", dict(goals))
