"""Layouts turned and mirrored."""

from __future__ import annotations

from collections.abc import Iterable

from gridworld.task_spec import Position

__all__ = ["SYMMETRIES", "turned"]

SYMMETRIES = 8
"""How many ways there are to turn and to mirror a square."""


def turned(cells: Iterable[Position], size: int, symmetry: int) -> list[Position]:
    """Cells of a square lattice after quarter turns clockwise, and mirrored for the second half of `SYMMETRIES`.

    Args:
        cells: any cells of the lattice, in an order that is kept.
        size: lattice columns, as many as rows.
        symmetry: below `SYMMETRIES`; 0 leaves all as it is.
    """
    last = size - 1
    turns, mirrored = symmetry % 4, symmetry >= 4
    moved = [Position(last - x, y) if mirrored else Position(x, y) for x, y in cells]
    for _ in range(turns):
        moved = [Position(last - y, x) for x, y in moved]
    return moved
