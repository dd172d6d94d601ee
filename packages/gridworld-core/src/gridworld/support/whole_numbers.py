"""Whole numbers that are given as arguments."""

from __future__ import annotations

from operator import index
from typing import SupportsIndex

__all__ = ["whole_number"]


def whole_number(name: str, value: object, least: int | None, unit: str = "") -> int:
    """The value of an argument as an `int`.

    Args:
        name: the argument's.
        value: what is given; NumPy's whole numbers are some too, truth values are none.
        least: the least that it may be; None for any.
        unit: what is counted, as it is called after `least`; empty for nothing in particular.

    Raises:
        ValueError: it is not a whole number, or too small.
    """
    try:
        number = index(value) if isinstance(value, SupportsIndex) and not isinstance(value, bool) else None
    except TypeError:
        number = None
    if number is None:
        raise ValueError(f"{name} has to be a whole number, got {value!r}")
    if least is not None and number < least:
        raise ValueError(f"{name} has to be at least {least}{unit and f' {unit}'}, got {value}")
    return number
