"""The sizes that a picture may have."""

from __future__ import annotations

from operator import index

from gridworld.support.whole_numbers import whole_number

__all__ = ["MAX_SIDE", "SMALLEST", "picture_size"]

MAX_SIDE = 1536
"""The largest width and height of a picture in pixels, unless another is asked for."""

SMALLEST = 64
"""The least width and height of a picture, in pixels."""


def picture_size(size: int | tuple[int, int], max_side: int = MAX_SIDE) -> tuple[int, int]:
    """Width and height in pixels of a size given as both, or as the side of a square.

    Args:
        size: what is asked for.
        max_side: what neither of them is larger than.

    Raises:
        ValueError: it is neither, or a side or `max_side` has less than `SMALLEST` pixels.
    """
    largest = whole_number("max_side", max_side, SMALLEST, "pixels")
    sides = size if isinstance(size, (tuple, list)) else (size, size)
    try:
        width, height = map(index, sides)
    except (TypeError, ValueError):
        raise ValueError(f"image_size has to be a whole number or (width, height), got {size!r}") from None
    if min(width, height) < SMALLEST:
        raise ValueError(f"image_size has to be at least {SMALLEST} pixels each way, got {size!r}")
    return min(width, largest), min(height, largest)
