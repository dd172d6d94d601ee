"""Entries of task files that a mechanism type can have, made from the fields of its attrs class."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import TYPE_CHECKING, Any

import attrs

from gridworld.task.attrs_schema import Definitions, Schema
from gridworld.task.colors import COLOR_NAMES
from gridworld.task_spec import Position

if TYPE_CHECKING:
    from gridworld.world.mechanism_type import MechanismType

__all__ = ["SAMPLE_COLOR", "Entries", "Entry"]

SAMPLE_COLOR = "blue"
"""The colour of entries that can have any of the six."""
MOST_ENTRIES = 500
"""Of one type."""


@attrs.frozen
class Entry:
    """One entry."""

    spec: Any
    fields: dict[str, Any]
    """Those that have few choices, and the colour."""
    color_field: str | None
    """The field that can have any of the six colours; None if there is none."""


class Entries:
    """Entries of a mechanism type that differ in fields with few choices.

    Args:
        kind: the type.
    """

    def __init__(self, kind: MechanismType) -> None:
        self._kind = kind
        defaults = {field.name: field.default for field in attrs.fields(kind.spec)}
        schemas, required = Definitions({}, {}).fields(kind.spec)
        self._choices: dict[str, list[Any]] = {}
        self._color_field: str | None = None
        for name, schema in schemas.items():
            choices = list(_choices(schema))
            if set(COLOR_NAMES) <= set(filter(_is_word, choices)):
                self._color_field = name
            elif choices:
                self._choices[name] = sorted(choices, key=lambda choice: choice != defaults[name])
        self.position_fields = tuple(name for name in required if schemas[name] == POSITION)
        """The required fields that hold a lattice cell."""

    def listed(self) -> Iterator[Entry]:
        """The entries, the most usual first; none of a type that needs more than ids, places and choices."""
        color = {} if self._color_field is None else {self._color_field: SAMPLE_COLOR}
        places = dict.fromkeys(self.position_fields, Position(0, 0))
        combinations = product(*self._choices.values())
        for values, _ in zip(combinations, range(MOST_ENTRIES), strict=False):
            fields = dict(zip(self._choices, values, strict=True))
            try:
                spec = self._kind.spec(id="x", **places, **fields, **color)
            except (TypeError, ValueError):
                return
            yield Entry(spec, {**fields, **color}, self._color_field)


POSITION: Schema = {"$ref": "#/$defs/Position"}


def _choices(schema: Schema) -> Iterator[Any]:
    """The values that a field may have, if they are few."""
    for option in schema.get("anyOf", [schema]):
        if "enum" in option:
            yield from option["enum"]
        elif option.get("type") == "boolean":
            yield from (True, False)
        elif option.get("type") == "null":
            yield None


def _is_word(choice: Any) -> bool:
    return isinstance(choice, str)
