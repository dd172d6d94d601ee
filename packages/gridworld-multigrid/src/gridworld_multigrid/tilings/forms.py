"""Forms of cells: which cells of a tiling have the same cells around them, moved by so much."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from gridworld.task_spec import Position

__all__ = ["cell_forms"]

SAME_PLACE = 1e-7
"""Lattice spacings by which two equal places may differ through rounding."""
Point = tuple[float, float]
Places = NDArray[np.float64]


def cell_forms(
    polygons: Sequence[Sequence[Point]], patches: Mapping[Position, Sequence[int]], dimensions: tuple[int, int]
) -> tuple[int, ...]:
    """Cell to a number, the same for cells with the same tiling around them.

    From one such cell to another, all polygons move by the same amount, as far as both have them, and all numbers of
    cells by the same difference. Where cells are not numbered patch by patch and row by row, as many in each, every one
    has a form of its own.

    Args:
        polygons: cell to its corners.
        patches: lattice cell to its cells.
        dimensions: lattice columns and rows.
    """
    width, height = dimensions
    size, rest = divmod(len(polygons), width * height)
    numbered = all(
        tuple(patches.get(Position(x, y), ())) == tuple(range((y * width + x) * size, (y * width + x + 1) * size))
        for y in range(height)
        for x in range(width)
    )
    if rest or not numbered:
        return tuple(range(len(polygons)))
    most = max(map(len, polygons))
    filled = [[*polygon, *[polygon[-1]] * (most - len(polygon))] for polygon in polygons]
    corners = np.array(filled).reshape(height, width, size * most, 2)
    down, right = _period(corners), _period(corners.swapaxes(0, 1))
    return tuple(
        ((y % down) * right + x % right) * size + place
        for y in range(height)
        for x in range(width)
        for place in range(size)
    )


def _period(corners: Places) -> int:
    """After how many rows all is the same again, moved by so much; as many as there are if it never is.

    Args:
        corners: shape (rows, columns, corners, 2).
    """
    rows = len(corners)
    for period in range(1, rows):
        moved = corners[period:] - corners[:-period]
        if np.abs(moved - moved[0, 0, 0]).max() < SAME_PLACE:
            return period
    return rows
