"""Conversion of settings: JSON to attrs classes and back, and TOML tables to attrs classes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache, partial
from typing import Any, Literal, get_args, get_origin, get_type_hints

import attrs
import cattrs
from cattrs.gen import make_dict_structure_fn, make_dict_unstructure_fn, override

from gridworld.errors import ArgumentError, describe_value
from gridworld.support.wording import nearest_hint
from multinet_eval.settings.asking import FaultPolicy

FOUND = "found"
"""Metadata key of fields that are derived or hold fields of their own, and so cannot be set."""


# --- JSON ------------------------------------------------------------------------------------------------------

converter = cattrs.Converter(forbid_extra_keys=True)
"""Converts settings to JSON-ready dictionaries and back; raises `cattrs.BaseValidationError`."""

_structure_policy = make_dict_structure_fn(FaultPolicy, converter)
converter.register_structure_hook(
    FaultPolicy,
    lambda data, kind: FaultPolicy.parse(data) if isinstance(data, str) else _structure_policy(data, kind),
)


def leave_out(kind: type, *fields: str) -> None:
    """Omit some fields of an attrs class, which must have defaults, from its JSON."""
    omitted: Any = {name: override(omit=True) for name in fields}
    converter.register_structure_hook(kind, make_dict_structure_fn(kind, converter, **omitted))
    converter.register_unstructure_hook(kind, make_dict_unstructure_fn(kind, converter, **omitted))


# --- TOML ------------------------------------------------------------------------------------------------------

PLAIN: Mapping[Any, Sequence[type]] = {
    str: (str,),
    int: (int,),
    float: (float, int),
    bool: (bool,),
    FaultPolicy: (str,),
}
"""TOML types accepted for each scalar type."""
WORDS: Mapping[type, str] = {str: "a string", int: "a whole number", float: "a number", bool: "true or false"}


@attrs.frozen
class _MisfitError(Exception):
    """A TOML value has the wrong type."""

    message: str
    place: str = ""
    """Path within the value being read."""


@cache
def fields_of(kind: type) -> Mapping[str, Any]:
    """Map the settable fields of a class to their types."""
    hints = get_type_hints(kind)
    return {each.name: hints[each.name] for each in attrs.fields(kind) if FOUND not in each.metadata}


def read_value_of(kind: Any, value: Any, place: str) -> Any:
    """Read a TOML value: a scalar, a literal word, a tuple from a list, or an attrs class from a table.

    Raises:
        ArgumentError: the value has another type; or a table has an unknown key, lacks one, or has a value that the
            class rejects; the message names the place.
    """
    try:
        return _strict.structure(value, kind)
    except _MisfitError as error:
        raise ArgumentError(f"{place}{error.place}: {error.message}") from error


def _is_of(origin: Any, kind: Any) -> bool:
    return get_origin(kind) is origin


def _read_word(value: Any, kind: Any) -> Any:
    words = get_args(kind)
    if value not in words:
        hint = nearest_hint(value, words) if isinstance(value, str) else ""
        raise _MisfitError(f"expected one of {', '.join(words)}, got {describe_value(value)}{hint}")
    return value


def _read_plain(value: Any, kind: Any) -> Any:
    kinds = PLAIN[kind]
    if type(value) not in kinds:
        advice = f': write "{value}"' if str in kinds and type(value) in (int, float) else ""
        raise _MisfitError(f"expected {WORDS[kinds[0]]}, got {describe_value(value)}{advice}")
    return value


def _read_tuple(value: Any, kind: Any) -> tuple[Any, ...]:
    """Read the entries of a list; a scalar counts as a list with one entry."""
    entries = value if isinstance(value, list) else [value]
    return tuple(_read_at(f"[{place}]", each, get_args(kind)[0]) for place, each in enumerate(entries))


def _read_object(value: Any, kind: Any) -> Any:
    """Read an attrs object from a table of its fields."""
    if not isinstance(value, dict):
        raise _MisfitError(f"expected a table, got {describe_value(value)}")
    types = fields_of(kind)
    for name in value:
        if name not in types:
            raise _MisfitError(f"unknown key '{name}'{nearest_hint(name, types)}")
    missing = [name for name in types if name not in value and attrs.fields_dict(kind)[name].default is attrs.NOTHING]
    if missing:
        raise _MisfitError(f"{', '.join(missing)} is missing")
    read = {name: _read_at(f".{name}", each, types[name]) for name, each in value.items()}
    try:
        return kind(**read)
    except (ArgumentError, ValueError) as error:
        raise _MisfitError(str(error)) from error


def _read_at(place: str, value: Any, kind: Any) -> Any:
    try:
        return _strict.structure(value, kind)
    except _MisfitError as error:
        raise _MisfitError(error.message, place + error.place) from error


_strict = cattrs.Converter(detailed_validation=False)
_strict.register_structure_hook_func(attrs.has, _read_object)
for _origin, _read in ((tuple, _read_tuple), (Literal, _read_word)):
    _strict.register_structure_hook_func(partial(_is_of, _origin), _read)
for _kind in PLAIN:
    _strict.register_structure_hook(_kind, _read_plain)
