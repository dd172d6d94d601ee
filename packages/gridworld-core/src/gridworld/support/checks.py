"""Checks of arguments and of structured data, with uniform messages."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import wraps
from operator import index
from typing import TYPE_CHECKING, Any, SupportsIndex, TypeVar, cast

import attrs

from gridworld.errors import ArgumentError
from gridworld.support.wording import listed, nearest_hint, shorten

if TYPE_CHECKING:
    import cattrs

MOST_SAID = 1000
"""Maximum length of a description of problems in data, in characters."""
MOST_BYTES = 4_000_000_000
"""Maximum size of arrays that a user may request, in bytes."""


Described = TypeVar("Described")


def named_fields(kind: type[Described]) -> type[Described]:
    """Make an attrs class refuse a misspelt field with the nearest one; a decorator for what authors make.

    The constructor raises TypeError, as it does without the decorator.
    """
    make, names = kind.__init__, [field.alias for field in attrs.fields(cast("Any", kind))]

    @wraps(make)
    def checked(self: Described, *arguments: Any, **given: Any) -> None:
        for name in given:
            if name not in names:
                raise TypeError(f"{kind.__name__} has no field '{name}'{nearest_hint(name, names)}")
        make(self, *arguments, **given)

    type.__setattr__(kind, "__init__", checked)
    return kind


def check_bool(name: str, value: object) -> bool:
    """Return argument `name` as a `bool`; raise ValueError for anything but Python's and NumPy's booleans."""
    import numpy as np

    if not isinstance(value, bool | np.bool_):
        raise ValueError(f"{name} must be True or False, got {value!r}")
    return bool(value)


def check_int(name: str, value: object, least: int | None, unit: str = "") -> int:
    """Return the value of an argument as an `int`.

    Args:
        name: the argument's name.
        value: any integer, NumPy's included; booleans are refused.
        least: the minimum; None for none.
        unit: the unit of the minimum, in the message, such as ``pixels``.

    Raises:
        ValueError: the value is not a whole number, or is too small.
    """
    try:
        number = index(value) if isinstance(value, SupportsIndex) and not isinstance(value, bool) else None
    except TypeError:
        number = None
    if number is None:
        raise ValueError(f"{name} must be a whole number, got {value!r}")
    if least is not None and number < least:
        raise ValueError(f"{name} must be at least {least}{unit and f' {unit}'}, got {value}")
    return number


def check_choice(name: str, value: object, choices: Sequence[str | None]) -> None:
    """Raise ValueError, listing the choices and the nearest one, unless the value of argument `name` is one of them."""
    if any(value is choice or (isinstance(value, str) and value == choice) for choice in choices):
        return
    hint = nearest_hint(value, filter(None, choices)) if isinstance(value, str) else ""
    raise ValueError(
        f"{name} must be {listed([repr(each) for each in choices], 'or')}, got {shorten(repr(value))}{hint}"
    )


def check_instance(name: str, value: object, kind: type, how: str) -> None:
    """Raise TypeError unless the value of an argument is an instance of a class.

    Passing the class itself gets a message of its own.

    Args:
        name: the argument's name.
        value: its value.
        kind: the class.
        how: how to get an instance, as the end of the message.
    """
    if isinstance(value, kind):
        return
    if isinstance(value, type) and issubclass(value, kind):
        raise TypeError(f"{name} must be an instance of {kind.__name__}, got the class {value.__name__} itself")
    got = repr(value) if isinstance(value, str | int | float | None) else f"a {type(value).__name__}"
    raise TypeError(f"{name} must be an instance of {kind.__name__}, got {got}; {how}")


def refuse_too_large(what: str, needed: int, advice: str, most: int = MOST_BYTES) -> None:
    """Raise ArgumentError, before anything is allocated, if more than `most` bytes are needed.

    Args:
        what: what needs the memory, as a plural that begins the message.
        needed: required size in bytes.
        advice: what to do instead, as the end of the message.
        most: the limit in bytes.
    """
    if needed > most:
        raise ArgumentError(f"{what} take {gigabytes(needed)}, more than {gigabytes(most)}; {advice}")


def gigabytes(count: int) -> str:
    """Format a number of bytes in GB (10^9), rounded up to a tenth so that a size above a limit exceeds it visibly."""
    tenths = math.ceil(count / 1e8)
    return f"{tenths / 10:,.1f}".removesuffix(".0") + " GB"


def describe_structure_error(error: cattrs.BaseValidationError, path: str) -> str:
    """Describe all problems that cattrs found in data, each with its field path; `path` names the outermost object."""
    import cattrs

    def message(problem: BaseException, kind: Any) -> str:
        if isinstance(problem, AttributeError):  # keys were requested of a value that is not an object
            return "expected an object"
        if isinstance(problem, KeyError | cattrs.ForbiddenExtraKeysError):
            return cattrs.v.format_exception(problem, kind)
        return str(problem)

    return shorten("; ".join(cattrs.transform_error(error, path=path, format_exception=message)), MOST_SAID)
