"""Meanings of fields of mechanisms, rules and goals: directions, colours or ids.

Positions have a type of their own. Other fields are either made by the functions of this module:

    @attrs.frozen
    class ArrowSpec(Placed):
        direction: int = direction_field()
        color: str = color_field(default="red")
        controls: tuple[str, ...] = references_field()

or declare their meaning in their metadata, or by a converter such as `parse_color`.
"""

from enum import Enum
from typing import Any

import attrs

from gridworld.support.wording import nearest_hint, shorten
from gridworld.task.colors import parse_any_color, parse_color, parse_optional_any_color, parse_optional_color
from gridworld.task_spec import Position, to_ids, to_position

MEANING = "meaning"
"""Metadata key of an attrs field: the `Meaning` of its value, or of each of its values."""
ORDERED = "ordered"
"""Metadata key of an attrs field with several ids whose order matters."""
DIRECTION_WORDS = ("right", "down", "left", "up")
"""Words for the directions 0 to 3."""
VECTORS = ((1, 0), (0, 1), (-1, 0), (0, -1))
STEPS: dict[int | str, tuple[int, int]] = dict(zip((*range(4), *DIRECTION_WORDS), VECTORS * 2, strict=True))
"""Lattice vectors of the directions, by number and by word; y grows downwards."""


class Meaning(Enum):
    """Meaning of a field that its Python type does not express."""

    DIRECTION = "direction"
    """A direction on the lattice: 0 right, 1 down, 2 left or 3 up, or one of `DIRECTION_WORDS`."""
    COLOR = "color"
    """A colour name; implied by converters such as `parse_color`."""
    REFERENCE = "reference"
    """The id of a mechanism; implied by the converter `to_ids`."""


def parse_direction(value: Any) -> int:
    """Convert 0 to 3, or one of `DIRECTION_WORDS`, to the number of the direction; raises ValueError otherwise."""
    if isinstance(value, str) and value in DIRECTION_WORDS:
        return DIRECTION_WORDS.index(value)
    if type(value) is int and value in range(len(DIRECTION_WORDS)):
        return value
    hint = nearest_hint(value, DIRECTION_WORDS) if isinstance(value, str) else ""
    named = ", ".join(f"{number} or '{word}'" for number, word in enumerate(DIRECTION_WORDS))
    raise ValueError(f"expected a direction, {named}, got {shorten(repr(value))}{hint}")


OF_CONVERTERS: dict[Any, Meaning] = {
    parse_color: Meaning.COLOR,
    parse_optional_color: Meaning.COLOR,
    parse_any_color: Meaning.COLOR,
    parse_optional_any_color: Meaning.COLOR,
    parse_direction: Meaning.DIRECTION,
    to_ids: Meaning.REFERENCE,
}


def meaning_of(field: "attrs.Attribute[Any]") -> Meaning | None:
    """Return the declared meaning of a field's value, or of each of its values; None without a declaration."""
    declared = field.metadata.get(MEANING, OF_CONVERTERS.get(field.converter))
    return None if declared is None else Meaning(declared)


@attrs.frozen
class Placed:
    """Base class of mechanism specifications with an id and one lattice cell."""

    id: str
    position: Position = attrs.field(converter=to_position)


def direction_field(*, default: Any = attrs.NOTHING) -> Any:
    """Make an attrs field for a lattice direction, which rotates and mirrors with the maze.

    Task files may give the number or the word; the field holds the number: 0 right, 1 down, 2 left, 3 up.

    Args:
        default: the field's default; without one, the field is required.
    """
    return attrs.field(default=default, converter=parse_direction)


def color_field(*, css: bool = False, default: Any = attrs.NOTHING) -> Any:
    """Make an attrs field for a colour name.

    Args:
        css: accept all CSS colours, not only MiniGrid's six.
        default: the field's default; None makes the field optional. Without one, the field is required.
    """
    if default is None:
        return attrs.field(default=None, converter=parse_optional_any_color if css else parse_optional_color)
    return attrs.field(default=default, converter=parse_any_color if css else parse_color)


def reference_field(*, default: Any = attrs.NOTHING) -> Any:
    """Make an attrs field for the id of an existing mechanism; required unless a default is given."""
    return attrs.field(default=default, metadata={MEANING: Meaning.REFERENCE})


def references_field(*, ordered: bool = False, default: Any = ()) -> Any:
    """Make an attrs field for a tuple of ids of existing mechanisms.

    `MechanismType.controls` uses a field called ``controls`` by default.

    Args:
        ordered: whether the order of the ids matters.
        default: the field's default.
    """
    return attrs.field(default=default, converter=to_ids, metadata={ORDERED: True} if ordered else {})
