"""How much memory may be taken at a stroke."""

from __future__ import annotations

from gridworld.errors import ArgumentError

__all__ = ["MOST_BYTES", "refuse_too_large"]

MOST_BYTES = 4 << 30
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
        told = f"{what} take {needed / 1e9:,.1f} GB, more than {most / 1e9:,.1f} GB"
        raise ArgumentError(f"{told}; {advice}")
