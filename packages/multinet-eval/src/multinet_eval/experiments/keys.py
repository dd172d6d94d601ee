"""Which keys the tables of an experiment's file may have, and how the value of each is read.

They are the fields of `RunSettings` and of `Presentation`, so that whatever a run can be asked for is a key, and the
few that stand for several runs or are no field.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import attrs

from gridworld.errors import ArgumentError, describe_value
from gridworld.runner.presentation import Presentation
from gridworld.support.suggestions import nearest_hint
from multinet_eval.asking.policies import FaultPolicy
from multinet_eval.runs.settings import FOUND, RunSettings

__all__ = ["SPANS", "arguments_of", "check_keys", "fields_of", "has_default", "is_arguments", "read_value"]

SPANS: Mapping[str, str] = {"models": "model", "backends": "backend", "suites": "suite", "seeds": "seed"}
"""The keys with a list for which a condition has a run each, and the key that each entry stands for."""
ARGUMENTS = "_arguments"
"""How the names of keys end that hold arguments."""
NO_FIELDS: Mapping[str, Any] = {"suite": str, "name": str}
"""Keys that are no fields, and their types."""
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


@cache
def _types() -> Mapping[str, Any]:
    return {**fields_of(RunSettings), **fields_of(Presentation), **NO_FIELDS}


def arguments_of(key: str) -> str | None:
    """The key with the arguments of what another key names, such as ``model_arguments``; None where there is none."""
    arguments = f"{key}{ARGUMENTS}"
    return arguments if arguments in _types() else None


def has_default(key: str) -> bool:
    """Whether a key that is left out stands for something all the same."""
    fields = attrs.fields_dict(RunSettings)
    return key not in fields or fields[key].default is not attrs.NOTHING


def is_arguments(key: str) -> bool:
    """Whether the value of a key is arguments of what another one names."""
    return key.endswith(ARGUMENTS)


def check_keys(table: Mapping[str, Any], place: str) -> None:
    """Make sure that a table has no other keys than there are.

    Args:
        table: as it is in the file.
        place: where it is, for messages.

    Raises:
        ArgumentError: it has one, or a key that stands for several runs beside the one that stands for one.
    """
    known = [*_types(), *SPANS]
    for key in table:
        if key not in known:
            raise ArgumentError(f"{place}: unknown key '{key}'{nearest_hint(key, known)}")
    for span, single in SPANS.items():
        if span in table and single in table:
            raise ArgumentError(f"{place}: '{span}' and '{single}' exclude each other")


def read_value(key: str, value: Any, place: str) -> Any:
    """The value of a key as its field has it; arguments stay a mapping from names to texts.

    Args:
        key: a known one, which does not stand for several runs.
        value: as it is in the file.
        place: where it is, for messages.

    Raises:
        ArgumentError: it is of another type; the place is named.
    """
    if is_arguments(key):
        return _read_arguments(value, place)
    return _read(_types()[key], value, place)


def _read(kind: Any, value: Any, place: str) -> Any:
    """A value of a type; raises ArgumentError if it is of another one."""
    origin = get_origin(kind)
    if origin in (Union, UnionType):
        (kind,) = (each for each in get_args(kind) if each is not NoneType)
        return _read(kind, value, place)
    if origin is tuple:
        entries = value if isinstance(value, list) else [value]
        return tuple(_read(get_args(kind)[0], each, f"{place}[{number}]") for number, each in enumerate(entries))
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
    read = {name: _read(types[name], each, f"{place}.{name}") for name, each in value.items()}
    try:
        return kind(**read)
    except (ArgumentError, ValueError) as error:
        raise ArgumentError(f"{place}: {error}") from error


def _read_arguments(value: Any, place: str) -> dict[str, str]:
    """Arguments from a table, or from texts ``key=value`` as on the command line."""
    if isinstance(value, list):
        pairs = [each.partition("=") for each in value if isinstance(each, str)]
        if len(pairs) < len(value) or not all(equals for _, equals, _ in pairs):
            raise ArgumentError(f"{place}: expected texts such as 'key=value', got {describe_value(value)}")
        return {name: text for name, _, text in pairs}
    if not isinstance(value, dict):
        raise ArgumentError(f"{place}: expected a table of arguments, got {describe_value(value)}")
    return {name: _text_of(each, f"{place}.{name}") for name, each in value.items()}


def _text_of(value: Any, place: str) -> str:
    """An argument as the command line has it."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str | int | float):
        return str(value)
    raise ArgumentError(f"{place}: expected a text, a number, true or false, got {describe_value(value)}")
