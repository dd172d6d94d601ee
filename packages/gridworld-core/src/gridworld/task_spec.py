"""Task specifications: the attrs classes behind a task file.

`gridworld.task.reading` reads files, `gridworld.task.validation` defines valid tasks, and `gridworld.world` runs them.
`TaskSpecification.from_json`, `from_dict` and `validate` use the mechanism and goal types of the installed plugins; the
functions behind them take any others.
"""

from collections.abc import Iterable, Iterator, Mapping
from operator import index
from os import PathLike
from typing import Any, NamedTuple

import attrs

from gridworld.support.wording import nearest_hint, shorten

__all__ = [
    "LEFT_OUT_IF_NONE",
    "OBSERVABILITY_MODES",
    "SWITCH_TYPES",
    "DependencyChain",
    "DependencyStep",
    "Distractor",
    "GoalSpec",
    "MazeLayout",
    "MechanismSet",
    "OneOf",
    "Position",
    "Rules",
    "TaskSpecification",
    "one_of",
    "to_ids",
    "to_position",
    "to_positions",
]

SWITCH_TYPES = ("toggle", "hold", "one_shot")
"""Values of ``rules.switch_type`` and of a switch's own ``switch_type``."""
OBSERVABILITY_MODES = ("full", "view_cone", "fog_of_war")
"""Values of ``rules.observability``."""

LEFT_OUT_IF_NONE = "left_out_if_none"
"""Metadata key of an attrs field of a mechanism that is omitted from task files if its value is None."""


class Position(NamedTuple):
    """A lattice cell; (0, 0) is the top left one, x grows to the right and y downwards."""

    x: int
    y: int

    def to_tuple(self) -> tuple[int, int]:
        """Return a plain tuple (x, y)."""
        return (self.x, self.y)


def to_position(pair: Iterable[int]) -> Position:
    """Convert a pair of integers to a `Position`; raises TypeError for anything else, booleans included."""
    if type(pair) is Position and type(pair[0]) is int and type(pair[1]) is int:
        return pair
    return Position(*_to_pair(pair, "a position (x, y)"))


def to_dimensions(pair: Iterable[int]) -> tuple[int, int]:
    """Convert a pair of integers to (width, height); raises as `to_position`."""
    return _to_pair(pair, "dimensions (width, height)")


def _to_pair(pair: Iterable[int], expected: str) -> tuple[int, int]:
    """Convert a pair of integers, NumPy integers included; `expected` describes it in the error."""
    try:
        first, second = pair
        if type(first) is int and type(second) is int:
            return (first, second)
        if not isinstance(first, bool) and not isinstance(second, bool):
            return (index(first), index(second))
    except (TypeError, ValueError):
        pass
    raise TypeError(f"expected {expected} of two integers, got {shorten(repr(pair))}") from None


def to_ids(ids: Iterable[str]) -> tuple[str, ...]:
    """Convert mechanism ids to a tuple; raises TypeError for a single string, or an id that is not a string."""
    if not isinstance(ids, str | bytes):
        read = tuple(ids)
        if all(isinstance(each, str) for each in read):
            return read
    raise TypeError(f"expected a list of ids, got {shorten(repr(ids))}")


def to_floor(cells: Iterable[Iterable[int]] | None) -> tuple[Position, ...] | None:
    """Convert pairs to a tuple of `Position`; None for None and for an empty list."""
    return to_positions(cells) if cells else None


def to_optional_position(pair: Iterable[int] | None) -> Position | None:
    """Convert a pair to a `Position`; None stays None."""
    return None if pair is None else to_position(pair)


def to_positions(pairs: Iterable[Iterable[int]]) -> tuple[Position, ...]:
    """Convert pairs to a tuple of `Position`."""
    return tuple(map(to_position, pairs))


@attrs.frozen
class OneOf:
    """An attrs validator that accepts only the given words, and suggests the nearest one."""

    choices: tuple[str, ...]

    def __call__(self, instance: object, attribute: "attrs.Attribute[str]", value: str) -> None:
        """Raise ValueError unless the value is one of the choices."""
        if value not in self.choices:
            raise ValueError(
                f"{attribute.name} '{value}' is unknown{nearest_hint(str(value), self.choices)}; "
                f"expected one of {', '.join(self.choices)}"
            )


def one_of(*choices: str) -> Any:
    """Make an attrs validator that accepts only the given strings, which the task file schema lists.

    The validator raises TypeError for a value that is not a string, and ValueError for any other string.
    """
    return attrs.validators.and_(attrs.validators.instance_of(str), OneOf(choices))


@attrs.frozen
class MazeLayout:
    """The lattice of a maze: dimensions, start, walls and floor.

    Border cells are always walls. If `floor` is a list, all other cells are walls too; an empty list is read as None.
    """

    dimensions: tuple[int, int] = attrs.field(converter=to_dimensions)
    start: Position = attrs.field(converter=to_position)
    goal: Position = attrs.field(converter=to_position)
    walls: tuple[Position, ...] = attrs.field(default=(), converter=to_positions)
    floor: tuple[Position, ...] | None = attrs.field(default=None, converter=to_floor)

    @property
    def width(self) -> int:
        """Number of lattice columns, border included."""
        return self.dimensions[0]

    @property
    def height(self) -> int:
        """Number of lattice rows, border included."""
        return self.dimensions[1]

    def contains(self, position: Position) -> bool:
        """Whether the position lies on the lattice."""
        return 0 <= position.x < self.width and 0 <= position.y < self.height

    def on_border(self, position: Position) -> bool:
        """Whether the position lies on the outermost ring of the lattice."""
        x, y = position
        return x in (0, self.width - 1) or y in (0, self.height - 1)

    def wall_cells(self) -> frozenset[Position]:
        """Return all wall cells: listed, on the border, or missing from `floor`."""
        walls = {wall for wall in self.walls if self.contains(wall)}
        walls.update(Position(x, y) for x in range(self.width) for y in (0, self.height - 1))
        walls.update(Position(x, y) for y in range(self.height) for x in (0, self.width - 1))
        if self.floor is not None:
            everywhere = {Position(x, y) for y in range(self.height) for x in range(self.width)}
            walls |= everywhere.difference(self.floor)
        return frozenset(walls)


@attrs.frozen
class Rules:
    """The rules that a task can choose.

    `key_consumption` is whether unlocking a door uses up the key. `hidden_mechanisms` holds mechanism ids. `view_size`
    is the side of the agent's view in cells, an odd number of at least 3.
    """

    key_consumption: bool = True
    switch_type: str = attrs.field(default="toggle", validator=one_of(*SWITCH_TYPES))
    hidden_mechanisms: tuple[str, ...] = attrs.field(default=(), converter=to_ids)
    observability: str = attrs.field(default="full", validator=one_of(*OBSERVABILITY_MODES))
    view_size: int = 7


@attrs.frozen
class GoalSpec:
    """The goal of a task; `type` names a goal type that a plugin provides.

    `parameters` holds the fields of a third-party goal type, which stand directly under ``goal`` in a task file.
    """

    type: str
    target: Position | None = attrs.field(default=None, converter=to_optional_position)
    target_ids: tuple[str, ...] = attrs.field(default=(), converter=to_ids)
    target_positions: tuple[Position, ...] = attrs.field(default=(), converter=to_positions)
    parameters: Mapping[str, Any] = attrs.field(factory=dict, hash=False)

    @property
    def goal_type(self) -> str:
        """Older name of `type`."""
        return self.type


@attrs.frozen
class DependencyStep:
    """One link of a dependency chain: `element` must be used before `unlocks` can be."""

    step: int
    type: str
    element: str
    unlocks: str


def to_steps(steps: Iterable[DependencyStep]) -> tuple[DependencyStep, ...]:
    """Convert a chain's steps to a tuple."""
    return tuple(steps)


@attrs.frozen
class DependencyChain:
    """The order in which a task's mechanisms depend on each other, as stated by its author."""

    depth: int
    sequence: tuple[DependencyStep, ...] = attrs.field(default=(), converter=to_steps)
    notation: str = ""


@attrs.frozen
class Distractor:
    """A mechanism that looks useful but is not.

    `element_id` is a mechanism's id or, for the type ``distractor_chain``, a label for a whole branch.
    """

    type: str
    element_id: str
    description: str = ""


def to_distractors(distractors: Iterable[Distractor]) -> tuple[Distractor, ...]:
    """Convert distractors to a tuple."""
    return tuple(distractors)


class MechanismSet:
    """The mechanisms of a task by type: ``task.mechanisms.keys`` is a tuple of key specifications.

    A type that the task does not use is an empty tuple. A set that was read from a file knows the types that it might
    have, and raises AttributeError for any other name.
    """

    __slots__ = ("_groups", "_types")

    _groups: dict[str, tuple[Any, ...]]
    _types: tuple[str, ...] | None
    """Known types; None in a set made by hand."""

    def __init__(self, **groups: Iterable[Any]) -> None:
        for name in groups:
            if name in RESERVED_NAMES:
                raise TypeError(f"no mechanism type can be called '{name}': the name is reserved")
        filled = {name: tuple(specs) for name, specs in groups.items()}
        self._groups = {name: filled[name] for name in sorted(filled) if filled[name]}
        self._types = None

    def __getattr__(self, name: str) -> tuple[Any, ...]:
        if name.startswith("_"):
            raise AttributeError(name)
        if name in self._groups:
            return self._groups[name]
        if self._types is not None and name not in self._types:
            raise AttributeError(f"no mechanism type is called '{name}'{nearest_hint(name, self._types)}")
        return ()

    def groups(self) -> Iterator[tuple[str, tuple[Any, ...]]]:
        """Yield the mechanism types in use and their specifications, sorted by type name."""
        return iter(self._groups.items())

    def ids(self) -> tuple[str, ...]:
        """Return the ids of all mechanisms, in the order of `groups`."""
        return tuple(spec.id for _, specs in self.groups() for spec in specs)

    def __len__(self) -> int:
        return sum(len(specs) for specs in self._groups.values())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, MechanismSet) and self._groups == other._groups

    def __hash__(self) -> int:
        return hash(tuple(self._groups.items()))

    def __repr__(self) -> str:
        inner = ", ".join(f"{name}={list(specs)!r}" for name, specs in self._groups.items())
        return f"MechanismSet({inner})"

    def __reduce__(self) -> tuple[Any, ...]:
        return mechanism_set_of, (self._groups, self._types)


def mechanism_set_of(groups: Mapping[str, Iterable[Any]], types: tuple[str, ...] | None) -> MechanismSet:
    """Make a `MechanismSet` from specifications grouped by mechanism type.

    Args:
        groups: the specifications.
        types: all known mechanism types; None to accept any.
    """
    mechanisms = MechanismSet(**groups)
    mechanisms._types = types
    return mechanisms


RESERVED_NAMES = frozenset(dir(MechanismSet))
"""Attribute names of `MechanismSet`, which no mechanism type may have."""


def to_mechanism_set(mechanisms: MechanismSet | Mapping[str, Iterable[Any]]) -> MechanismSet:
    """Convert a dictionary of specifications, grouped by mechanism type, to a `MechanismSet`."""
    return mechanisms if isinstance(mechanisms, MechanismSet) else MechanismSet(**mechanisms)


def to_rules(rules: Rules | Mapping[str, Any]) -> Rules:
    """Convert a dictionary of fields to `Rules`."""
    return rules if isinstance(rules, Rules) else Rules(**rules)


@attrs.frozen(kw_only=True)
class TaskSpecification:
    """One puzzle, as read from a task file.

    `seed` seeds models (the kernel is deterministic); `max_steps` is the number of actions after which an episode is
    truncated.
    """

    task_id: str
    seed: int
    difficulty_tier: int
    maze: MazeLayout
    goal: GoalSpec
    max_steps: int
    version: str = "1.0"
    description: str = ""
    mechanisms: MechanismSet = attrs.field(factory=MechanismSet, converter=to_mechanism_set)
    rules: Rules = attrs.field(factory=Rules, converter=to_rules)
    dependency_chain: DependencyChain | None = None
    distractors: tuple[Distractor, ...] = attrs.field(default=(), converter=to_distractors)
    metadata: Mapping[str, Any] = attrs.field(factory=dict, hash=False)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> "TaskSpecification":
        """Read a task from the contents of a task file.

        Obsolete fields of older files that have no effect cause one `gridworld.errors.TaskFileWarning`;
        `gridworld.task.reading.read_task` returns them instead.

        Raises:
            TaskFormatError: a field is wrong, missing or unknown; the error lists every such field with its path.
        """
        from gridworld.plugins.registry import get_registry
        from gridworld.task.reading import task_from_dict

        return task_from_dict(data, get_registry())

    @classmethod
    def from_json(cls, path: str | PathLike[str]) -> "TaskSpecification":
        """Read a task from a JSON file (UTF-8); warns as `from_dict` does.

        Raises:
            OSError: the file cannot be read.
            TaskFormatError: the file is not a regular file or not JSON (the error gives line and column), or
                `from_dict` rejects its contents.
        """
        from gridworld.plugins.registry import get_registry
        from gridworld.task.reading import task_from_json

        return task_from_json(path, get_registry())

    def to_dict(self) -> dict[str, Any]:
        """Return the contents of a task file; ``from_dict(task.to_dict()) == task``."""
        from gridworld.task.writing import task_to_dict

        return task_to_dict(self)

    def to_json(self, path: str | PathLike[str]) -> None:
        """Write a task file atomically; raises OSError if that fails."""
        from gridworld.task.writing import task_to_json

        task_to_json(self, path)

    def validate(self) -> tuple[bool, list[str]]:
        """Return whether this task is valid, and the list of all problems as ``path: message``."""
        from gridworld.plugins.registry import get_registry
        from gridworld.task.validation import find_problems

        problems = find_problems(self, get_registry())
        return not problems, [str(problem) for problem in problems]
