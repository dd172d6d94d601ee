"""Values of TOML files as the fields of attrs classes have them, and messages that say what is wrong, and where."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import attrs

from gridworld.errors import ArgumentError, describe_value
from gridworld.support.suggestions import nearest_hint
from multinet_eval.settings.policies import FaultPolicy
from multinet_eval.settings.run_settings import FOUND

__all__ = ["fields_of", "read_value_of"]

TYPES: Mapping[Any, Sequence[type]] = {
    str: (str,),
    int: (int,),
    float: (float, int),
    bool: (bool,),
    FaultPolicy: (str,),
}
"""The types whose values are single ones in TOML, and what these are there."""
WORDS: Mapping[type, str] = {str: "a text", int: "a whole number", float: "a number", bool: "true or false"}


@cache
def fields_of(kind: type) -> Mapping[str, Any]:
    """The fields of a class that can be written down, and their types; nothing by which two objects do not differ."""
    hints = get_type_hints(kind)
    return {each.name: hints[each.name] for each in attrs.fields(kind) if FOUND not in each.metadata}


def read_value_of(kind: Any, value: Any, place: str) -> Any:
    """A value of a type: a single one, a word of a literal, a tuple from a list, or an attrs class from a table.

    Raises:
        ArgumentError: it is of another type, or a table has a key that is no field, lacks one, or has one that the
            class refuses; the place is named.
    """
    origin = get_origin(kind)
    if origin in (Union, UnionType):
        (kind,) = (each for each in get_args(kind) if each is not NoneType)
        return read_value_of(kind, value, place)
    if origin is tuple:
        entries = value if isinstance(value, list) else [value]
        return tuple(
            read_value_of(get_args(kind)[0], each, f"{place}[{number}]") for number, each in enumerate(entries)
        )
    if origin is Literal:
        return _read_word(get_args(kind), value, place)
    if kind in TYPES:
        return _read_plain(TYPES[kind], value, place)
    return _read_object(kind, value, place)


def _read_word(words: Sequence[Any], value: Any, place: str) -> Any:
    if value not in words:
        hint = nearest_hint(value, words) if isinstance(value, str) else ""
        raise ArgumentError(f"{place}: expected one of {', '.join(words)}, got {describe_value(value)}{hint}")
    return value


def _read_plain(kinds: Sequence[type], value: Any, place: str) -> Any:
    if type(value) not in kinds:
        advice = f': write "{value}"' if str in kinds and type(value) in (int, float) else ""
        raise ArgumentError(f"{place}: expected {WORDS[kinds[0]]}, got {describe_value(value)}{advice}")
    return value


def _read_object(kind: Any, value: Any, place: str) -> Any:
    """An object from a table with its fields."""
    if not isinstance(value, dict):
        raise ArgumentError(f"{place}: expected a table, got {describe_value(value)}")
    types = fields_of(kind)
    for name in value:
        if name not in types:
            raise ArgumentError(f"{place}: unknown key '{name}'{nearest_hint(name, types)}")
    missing = [name for name in types if name not in value and attrs.fields_dict(kind)[name].default is attrs.NOTHING]
    if missing:
        raise ArgumentError(f"{place}: {', '.join(missing)} is missing")
    read = {name: read_value_of(types[name], each, f"{place}.{name}") for name, each in value.items()}
    try:
        return kind(**read)
    except (ArgumentError, ValueError) as error:
        raise ArgumentError(f"{place}: {error}") from error
