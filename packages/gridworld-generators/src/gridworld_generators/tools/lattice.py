"""The lattice that tasks are drawn on: which cells there are, and which ones touch on every tiling."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from gridworld.task_spec import Position

__all__ = ["AROUND", "NEIGHBORS", "around", "inner_cells", "neighbors"]

NEIGHBORS = ((1, 0), (0, 1), (-1, 0), (0, -1))
"""The steps to the four neighbours of a cell: right, down, left, up. These touch on every tiling."""
AROUND = (*NEIGHBORS, (1, 1), (-1, 1), (-1, -1), (1, -1))
"""The steps to the eight cells around a cell: no other one touches it on any tiling of ours."""


@lru_cache(maxsize=64)
def inner_cells(width: int, height: int) -> tuple[Position, ...]:
    """All cells inside the border, row by row."""
    return tuple(Position(x, y) for y in range(1, height - 1) for x in range(1, width - 1))


@lru_cache(maxsize=64)
def neighbors(width: int, height: int) -> Mapping[Position, tuple[Position, ...]]:
    """Each cell inside the border with its neighbours inside the border: right, down, left, up."""
    return _within(width, height, NEIGHBORS)


@lru_cache(maxsize=64)
def around(width: int, height: int) -> Mapping[Position, tuple[Position, ...]]:
    """Each cell inside the border with those of the eight around it that are inside the border."""
    return _within(width, height, AROUND)


def _within(width: int, height: int, steps: tuple[tuple[int, int], ...]) -> dict[Position, tuple[Position, ...]]:
    cells = inner_cells(width, height)
    inside = frozenset(cells)
    return {
        cell: tuple(there for dx, dy in steps if (there := Position(cell.x + dx, cell.y + dy)) in inside)
        for cell in cells
    }
