"""The mechanism and goal types, by name, with which worlds are compiled."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Generic, Protocol, TypeVar

import attrs

from gridworld.errors import UnknownNameError
from gridworld.task.catalogs import Catalogs, NamedTypes
from gridworld.world.goal_type import GoalType
from gridworld.world.mechanism_type import MechanismType

Named = TypeVar("Named")


class WorldCatalogs(Catalogs, Protocol):
    """`Catalogs` whose types have rules and looks; compared by identity."""

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
    """`WorldCatalogs` of given types, each under the name that tasks use for it.

    Args:
        mechanisms: mechanism types by name.
        goals: goal types by name.
        owners: display names of mechanism types in messages, by name; by default the name itself.
    """

    def __init__(
        self,
        mechanisms: Mapping[str, MechanismType],
        goals: Mapping[str, GoalType],
        owners: Mapping[str, str] | None = None,
    ) -> None:
        self.mechanisms: NamedTypes[MechanismType] = _GivenTypes("mechanism", dict(mechanisms), dict(owners or {}))
        self.goals: NamedTypes[GoalType] = _GivenTypes("goal", dict(goals))
