"""Values that are given as arguments, of which there are only some."""

from __future__ import annotations

from collections.abc import Sequence

from gridworld.support.suggestions import nearest_hint
from gridworld.support.wording import listed, shorten

__all__ = ["check_choice"]


def check_choice(name: str, value: object, choices: Sequence[str | None]) -> None:
    """Make sure that the value of an argument is one of some, at least two.

    Args:
        name: the argument's.
        value: what is given.
        choices: what it may be.

    Raises:
        ValueError: it is another; all that it may be are told, and the nearest.
    """
    if any(value is choice or (isinstance(value, str) and value == choice) for choice in choices):
        return
    hint = nearest_hint(value, filter(None, choices)) if isinstance(value, str) else ""
    raise ValueError(
        f"{name} has to be {listed([repr(each) for each in choices], 'or')}, got {shorten(repr(value))}{hint}"
    )
