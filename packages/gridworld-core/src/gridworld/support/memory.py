"""How much memory may be taken at a stroke."""

from __future__ import annotations

import math

from gridworld.errors import ArgumentError

__all__ = ["MOST_BYTES", "gigabytes", "refuse_too_large"]

MOST_BYTES = 4_000_000_000
"""The most memory that arrays may take whose size somebody asks for."""


def refuse_too_large(what: str, needed: int, advice: str, most: int = MOST_BYTES) -> None:
    """Make sure that something fits, before any of it is made.

    Args:
        what: the things, as a message begins.
        needed: how many bytes they take.
        advice: what to do instead, as a message ends.
        most: how many bytes they may take.

    Raises:
        ArgumentError: they take more than `most`.
    """
    if needed > most:
        raise ArgumentError(f"{what} take {gigabytes(needed)}, more than {gigabytes(most)}; {advice}")


def gigabytes(count: int) -> str:
    """A number of bytes in GB, of 10^9 bytes each: rounded up to a tenth, so that what is more is not told as equal."""
    tenths = math.ceil(count / 1e8)
    return f"{tenths / 10:,.1f}".removesuffix(".0") + " GB"
