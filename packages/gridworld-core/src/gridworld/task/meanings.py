"""Meanings of the fields of mechanisms, rules and goals: which of them hold directions, colours or ids.

A position says by its type what it is. Other fields are made by the functions of this module:

    @attrs.frozen
    class ArrowSpec(Placed):
        direction: int = direction_field()
        color: str = color_field(default="red")
        controls: tuple[str, ...] = references_field()

or they say in their metadata what they hold, or by a converter that makes nothing else.
"""

from enum import Enum
from typing import Any

import attrs

from gridworld.task.colors import parse_any_color, parse_color, parse_optional_any_color, parse_optional_color
from gridworld.task_spec import Position, one_of, to_ids, to_position

__all__ = [
    "DIRECTION_WORDS",
    "MEANING",
    "ORDERED",
    "STEPS",
    "Meaning",
    "Placed",
    "color_field",
    "direction_field",
    "meaning_of",
    "reference_field",
    "references_field",
]

MEANING = "meaning"
"""The key, in the metadata of an attrs field, of the `Meaning` of its value, or of each of its values."""
ORDERED = "ordered"
"""The key, in the metadata of an attrs field of several ids, that says that their order matters."""
DIRECTION_WORDS = ("right", "down", "left", "up")
"""The words for the directions 0 to 3."""
VECTORS = ((1, 0), (0, 1), (-1, 0), (0, -1))
STEPS: dict[int | str, tuple[int, int]] = dict(zip((*range(4), *DIRECTION_WORDS), VECTORS * 2, strict=True))
"""Direction, as a number or a word, to the lattice vector of a step in it; y grows downwards."""


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


@attrs.frozen
class Placed:
    """An entry of a task file that takes one lattice cell: the base of the specs of most mechanisms."""

    id: str
    position: Position = attrs.field(converter=to_position)


def direction_field(*, words: bool = False, default: Any = attrs.NOTHING) -> Any:
    """An attrs field with a direction on the lattice, which turns and is mirrored with the maze.

    Args:
        words: hold one of `DIRECTION_WORDS` instead of 0 right, 1 down, 2 left or 3 up.
        default: the field's default; by default it has to be given.
    """
    validator: Any = one_of(*DIRECTION_WORDS) if words else attrs.validators.in_(range(4))
    return attrs.field(default=default, validator=validator, metadata={MEANING: Meaning.DIRECTION})


def color_field(*, css: bool = False, default: Any = attrs.NOTHING) -> Any:
    """An attrs field with the name of a colour.

    Args:
        css: accept all colours of CSS, not only the six of MiniGrid.
        default: the field's default; None makes it optional. By default it has to be given.
    """
    if default is None:
        return attrs.field(default=None, converter=parse_optional_any_color if css else parse_optional_color)
    return attrs.field(default=default, converter=parse_any_color if css else parse_color)


def reference_field(*, default: Any = attrs.NOTHING) -> Any:
    """An attrs field with the id of a mechanism; a task in which nothing has this id is refused.

    Args:
        default: the field's default; by default it has to be given.
    """
    return attrs.field(default=default, metadata={MEANING: Meaning.REFERENCE})


def references_field(*, ordered: bool = False, default: Any = ()) -> Any:
    """An attrs field with a tuple of ids of mechanisms; a task in which nothing has one of them is refused.

    A field called ``controls`` says what the mechanism controls, as `MechanismType.controls` does.

    Args:
        ordered: their order matters.
        default: the field's default.
    """
    return attrs.field(default=default, converter=to_ids, metadata={ORDERED: True} if ordered else {})
