"""Spirals: one corridor that winds to the middle."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from gridworld.task_spec import Position

__all__ = ["spiral_floor", "spiral_order"]


def spiral_order(columns: int, rows: int) -> Iterator[Position]:
    """All cells of a grid from the top left corner inwards: along the top, down, back along the bottom, up."""
    left, top, right, bottom = 0, 0, columns - 1, rows - 1
    while left <= right and top <= bottom:
        yield from (Position(x, top) for x in range(left, right + 1))
        yield from (Position(right, y) for y in range(top + 1, bottom + 1))
        if bottom > top:
            yield from (Position(x, bottom) for x in range(right - 1, left - 1, -1))
        if right > left:
            yield from (Position(left, y) for y in range(bottom - 1, top, -1))
        left, top, right, bottom = left + 1, top + 1, right - 1, bottom - 1


def spiral_floor(columns: int, rows: int, lane: int = 1) -> set[Position]:
    """The floor of a spiral whose turns are one wall apart, the outermost along the border.

    It is a lattice of `columns` * (`lane` + 1) + 1 by `rows` * (`lane` + 1) + 1 cells.

    Args:
        columns: how many turns' lanes lie side by side.
        rows: how many lie one below the other.
        lane: the width of the corridor in cells.
    """
    pitch = lane + 1
    blocks = [Position(1 + column * pitch, 1 + row * pitch) for column, row in spiral_order(columns, rows)]
    floor = {Position(block.x + dx, block.y + dy) for block in blocks for dx in range(lane) for dy in range(lane)}
    for here, there in pairwise(blocks):
        floor |= {
            Position(x, y)
            for x in range(min(here.x, there.x), max(here.x, there.x) + lane)
            for y in range(min(here.y, there.y), max(here.y, there.y) + lane)
        }
    return floor
