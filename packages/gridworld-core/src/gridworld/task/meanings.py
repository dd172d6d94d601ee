"""Meanings of the fields of mechanisms, rules and goals: which of them hold directions, colours or ids.

A position says by its type what it is. Of other fields, the metadata say it, or a converter that makes nothing else:

    direction: int = attrs.field(validator=attrs.validators.in_(range(4)), metadata={MEANING: Meaning.DIRECTION})
"""

from enum import Enum
from typing import Any

import attrs

from gridworld.task.colors import parse_any_color, parse_color, parse_optional_any_color, parse_optional_color
from gridworld.task_spec import to_ids

__all__ = ["DIRECTION_WORDS", "MEANING", "ORDERED", "Meaning", "meaning_of"]

MEANING = "meaning"
"""The key, in the metadata of an attrs field, of the `Meaning` of its value, or of each of its values."""
ORDERED = "ordered"
"""The key, in the metadata of an attrs field of several ids, that says that their order matters."""
DIRECTION_WORDS = ("right", "down", "left", "up")
"""The words for the directions 0 to 3."""


class Meaning(Enum):
    """Meanings that a type does not tell."""

    DIRECTION = "direction"
    """A direction on the lattice: 0 right, 1 down, 2 left or 3 up, or one of `DIRECTION_WORDS`."""
    COLOR = "color"
    """The name of a colour; fields with a converter such as `parse_color` are of this meaning."""
    REFERENCE = "reference"
    """The id of a mechanism; fields with the converter `to_ids` are of this meaning."""


OF_CONVERTERS: dict[Any, Meaning] = {
    parse_color: Meaning.COLOR,
    parse_optional_color: Meaning.COLOR,
    parse_any_color: Meaning.COLOR,
    parse_optional_any_color: Meaning.COLOR,
    to_ids: Meaning.REFERENCE,
}


def meaning_of(field: "attrs.Attribute[Any]") -> Meaning | None:
    """The meaning of a field's value, or of each of its values; None if nothing declares one."""
    declared = field.metadata.get(MEANING, OF_CONVERTERS.get(field.converter))
    return None if declared is None else Meaning(declared)
