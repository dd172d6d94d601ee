"""What vector environments are asked for, checked before anything large is made."""

from __future__ import annotations

from enum import Enum
from typing import TypeVar

from gridworld.errors import UnknownNameError
from gridworld.support.memory import refuse_too_large

__all__ = ["named_mode", "refuse_too_many"]

Mode = TypeVar("Mode", bound=Enum)

COPY = 160
"""Bytes that a copy takes beside what is observed of it, as measured: its place, rewards and flags, its share of the
spaces."""
OF_SEVERAL = 1800
"""Bytes more where it draws its tasks: its generator."""
TIMES_OBSERVED = 8
"""So many times the memory of the observations is taken: by the bounds of their space, and by copies of those."""


def named_mode(modes: type[Mode], given: object) -> Mode:
    """One of Gymnasium's autoreset modes, or the one of a name.

    Raises:
        UnknownNameError: there is no such mode.
    """
    try:
        return modes(given)
    except ValueError:
        names = [mode.value for mode in modes]
        raise UnknownNameError("autoreset_mode", str(given), names, listed_as="there are") from None


def refuse_too_many(count: int, observed: int, tasks: int) -> None:
    """Make sure that so many copies fit into memory.

    Args:
        count: how many.
        observed: the bytes of what is observed of one.
        tasks: how many tasks they play.

    Raises:
        ArgumentError: they do not, as far as can be told without making them.
    """
    each = COPY + TIMES_OBSERVED * observed + (OF_SEVERAL if tasks > 1 else 0)
    refuse_too_large(f"num_envs: {count:,} environments", count * each, "ask for fewer")
