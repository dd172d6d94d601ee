"""The mechanism and goal types that tasks may use, by name, as far as task files go.

A `gridworld.plugins.Registry` is a `Catalogs`; so is a `gridworld.world.catalogs.Vocabulary`, which needs no plugin to
be installed.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from importlib import import_module
from typing import Any, Protocol, TypeVar

from gridworld.errors import Problem
from gridworld.task_spec import Position, Rules, TaskSpecification

Named_co = TypeVar("Named_co", covariant=True)


class MechanismFormat(Protocol):
    """The entries of a mechanism type in task files, a part of `gridworld.world.mechanism_type.MechanismType`."""

    @property
    def name(self) -> str:
        """Name of the type in task files."""
        ...

    @property
    def summary(self) -> str:
        """One sentence about the type."""
        ...

    @property
    def spec(self) -> type:
        """The attrs class of the type's entries."""
        ...

    @property
    def controllable(self) -> bool:
        """Whether other mechanisms may control mechanisms of this type."""
        ...

    @property
    def positions(self) -> Callable[[Any], dict[str, Position]]:
        """Function from an entry to the lattice cells that the mechanism takes, by field."""
        ...

    @property
    def controls(self) -> Callable[[Any], tuple[str, ...]]:
        """Function from an entry to the ids of the mechanisms that the mechanism controls."""
        ...

    @property
    def validate(self) -> Callable[[Any, TaskSpecification], Iterable[Problem]]:
        """Function from an entry and its task to the problems of the entry."""
        ...

    def typed(self, spec: Any, rules: Rules) -> Any:
        """Return an entry with this type, completed by the task's rules."""
        ...


class GoalFormat(Protocol):
    """The fields of a goal type in task files, a part of `gridworld.world.goal_type.GoalType`."""

    @property
    def name(self) -> str:
        """Name of the type in task files."""
        ...

    @property
    def summary(self) -> str:
        """One sentence about the type."""
        ...

    @property
    def fields(self) -> tuple[str, ...]:
        """The common fields of goals that the type uses."""
        ...

    @property
    def parameters(self) -> type | None:
        """The attrs class of the type's further fields."""
        ...

    @property
    def validate(self) -> Callable[[TaskSpecification, Mapping[str, Any]], Iterable[Problem]]:
        """Function from a task and its completed entries by id to the problems of the goal."""
        ...


class NamedTypes(Protocol[Named_co]):
    """The types of one kind, by name."""

    def names(self) -> list[str]:
        """Return all names, sorted."""
        ...

    def get(self, name: str) -> Named_co:
        """Return the type with this name.

        Raises:
            UnknownNameError: no type has this name.
            AmbiguousNameError: several types have this name.
        """
        ...

    def normal_name(self, name: str) -> str:
        """Return the name under which files keep the type; `name` itself if it means no type, or several types."""
        ...

    def describe(self, name: str) -> str:
        """Return a type's name in messages, such as ``mechanism 'ice' (my-distribution)``; raises as `get`."""
        ...

    def entries(self) -> Iterator[tuple[tuple[str, ...], Named_co]]:
        """Yield each type after the names by which task files may call it, the shortest first."""
        ...


class Catalogs(Hashable, Protocol):
    """The mechanism and goal types that a task file may use; catalogs are equal only if they are the same object."""

    @property
    def mechanisms(self) -> NamedTypes[MechanismFormat]:
        """The mechanism types."""
        ...

    @property
    def goals(self) -> NamedTypes[GoalFormat]:
        """The goal types."""
        ...


_default: Callable[[], Catalogs] | None = None


def set_default_catalogs(source: Callable[[], Catalogs]) -> None:
    """Set the function that returns the `Catalogs` to use where none are given."""
    global _default
    _default = source


def default_catalogs() -> Catalogs:
    """Return the default `Catalogs`: the types of the installed plugins, unless others have been set."""
    if _default is None:
        import_module("gridworld.plugins.registry")  # sets itself as the default
    assert _default is not None
    return _default()
