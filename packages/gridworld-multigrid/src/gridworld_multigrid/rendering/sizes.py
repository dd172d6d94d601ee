"""The sizes that a picture may have."""

from __future__ import annotations

from operator import index

__all__ = ["SMALLEST", "picture_size"]

SMALLEST = 64
"""The least width and height of a picture, in pixels."""


def picture_size(size: int | tuple[int, int]) -> tuple[int, int]:
    """Width and height in pixels of a size given as both, or as the side of a square.

    Raises:
        ValueError: it is neither, or a side has less than `SMALLEST` pixels.
    """
    sides = size if isinstance(size, (tuple, list)) else (size, size)
    try:
        width, height = map(index, sides)
    except (TypeError, ValueError):
        raise ValueError(f"image_size has to be a whole number or (width, height), got {size!r}") from None
    if min(width, height) < SMALLEST:
        raise ValueError(f"image_size has to be at least {SMALLEST} pixels each way, got {size!r}")
    return width, height
