"""The mechanism and goal types that tasks may use, by name, reduced to what reading task files needs.

A `gridworld.plugins.Registry` is a `Catalogs`, as is a `gridworld.world.catalogs.Vocabulary`, which works without
installed plugins.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from importlib import import_module
from typing import Any, Protocol, TypeVar

from gridworld.errors import Problem
from gridworld.task_spec import Position, Rules, TaskSpecification

Named_co = TypeVar("Named_co", covariant=True)


class MechanismFormat(Protocol):
    """The task file format of a mechanism type, a part of `gridworld.world.mechanism_type.MechanismType`."""

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
        """Returns the lattice cells of an entry's mechanism, by field."""
        ...

    @property
    def controls(self) -> Callable[[Any], tuple[str, ...]]:
        """Returns the ids of the mechanisms that an entry's mechanism controls."""
        ...

    @property
    def validate(self) -> Callable[[Any, TaskSpecification], Iterable[Problem]]:
        """Returns the problems of an entry in its task."""
        ...

    def typed(self, spec: Any, rules: Rules) -> Any:
        """Pair an entry with this type, after completing it from the task's rules."""
        ...


class GoalFormat(Protocol):
    """The task file format of a goal type, a part of `gridworld.world.goal_type.GoalType`."""

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
        """The common goal fields that the type uses."""
        ...

    @property
    def parameters(self) -> type | None:
        """The attrs class of the type's own fields; None if it has none."""
        ...

    @property
    def validate(self) -> Callable[[TaskSpecification, Mapping[str, Any]], Iterable[Problem]]:
        """Returns the problems of a task's goal, given the task and its completed entries by id."""
        ...


class NamedTypes(Protocol[Named_co]):
    """The types of one kind, accessible by name."""

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
        """Return the canonical name for files; `name` itself if it is unknown or ambiguous."""
        ...

    def describe(self, name: str) -> str:
        """Return a type's name in messages, such as ``mechanism 'ice' (my-distribution)``; raises as `get`."""
        ...

    def entries(self) -> Iterator[tuple[tuple[str, ...], Named_co]]:
        """Yield each type with the names by which task files may refer to it, the shortest first."""
        ...


class Catalogs(Hashable, Protocol):
    """The mechanism and goal types that a task file may use; compared by identity."""

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
    """Set the function that returns the default `Catalogs`."""
    global _default
    _default = source


def default_catalogs() -> Catalogs:
    """Return the default `Catalogs`: the types of the installed plugins, unless others have been set."""
    if _default is None:
        import_module("gridworld.plugins.registry")  # sets itself as the default
    assert _default is not None
    return _default()
