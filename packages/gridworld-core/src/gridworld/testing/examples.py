"""Example entries for task files, made from nothing but the attrs class that a plugin reads them into.

A field with a default is left out or varied; a required one gets a value that its type allows. Which of the entries
are valid is for the plugin itself to say.
"""

from __future__ import annotations

import types
from collections.abc import Iterator, Sequence
from itertools import islice, product
from typing import Any, Literal, Union, get_args, get_origin

import attrs

from gridworld.task_spec import Position
from gridworld.testing.conformance import NeedsExamples
from gridworld.testing.stage import COMPANION_IDS, ENTRY_CELLS

__all__ = ["derive_entries"]

MAX_TRIES = 300
"""How many entries are made at most."""

LEFT_OUT = object()
"""Stands for a field that an entry does not have."""


def derive_entries(kind: type, words: Sequence[str] = ()) -> Iterator[dict[str, Any]]:
    """Entries that an attrs class might read, the plainest first; not all of them need be valid.

    Args:
        kind: the attrs class.
        words: texts to try where any text is allowed.

    Raises:
        NeedsExamples: a required field has a type for which nothing can be made.
    """
    fields = attrs.fields(attrs.resolve_types(kind))
    cells = iter([list(cell) for cell in ENTRY_CELLS])
    choices = {field.name: _choices(field, cells, words) for field in fields}
    for values in islice(product(*choices.values()), MAX_TRIES):
        yield {name: value for name, value in zip(choices, values, strict=True) if value is not LEFT_OUT}


def _choices(field: attrs.Attribute[Any], cells: Iterator[list[int]], words: Sequence[str]) -> list[Any]:
    if field.name == "id":
        return ["example"]
    required = field.default is attrs.NOTHING
    options = _options_of_validator(field)
    made = options or _values_of(field.type, cells if required else iter(()), words)
    if required and not made:
        raise NeedsExamples(
            f"no example can be made: nothing is known about the required field `{field.name}: {field.type}`",
            "subclass the kit in your tests and set `examples`",
        )
    return made if required else [LEFT_OUT, *made]


def _options_of_validator(field: attrs.Attribute[Any]) -> list[Any]:
    """What `attrs.validators.in_` lets pass, if that is the field's validator."""
    validator: Any = field.validator
    known: Any = type(attrs.validators.in_(()))
    return list(validator.options) if isinstance(validator, known) else []


def _values_of(kind: Any, cells: Iterator[list[int]], words: Sequence[str]) -> list[Any]:
    if get_origin(kind) is Literal:
        return list(get_args(kind))
    if get_origin(kind) in (Union, types.UnionType):
        return [value for option in get_args(kind) for value in _values_of(option, cells, words)]
    if get_origin(kind) is tuple:
        return _tuples_of(get_args(kind), cells, words)
    if kind is Position:
        return list(islice(cells, 1))
    texts = ["red", *words, *COMPANION_IDS]
    plain: dict[Any, list[Any]] = {str: texts, int: [1, 2], float: [1.0], bool: [False, True]}
    return plain.get(kind, [])


def _tuples_of(items: tuple[Any, ...], cells: Iterator[list[int]], words: Sequence[str]) -> list[Any]:
    """Lists of one item, and the empty one, where any length is allowed."""
    if len(items) != 2 or items[1] is not Ellipsis:
        return []
    return [[], *([value] for value in _values_of(items[0], cells, words))]
