"""Lattice cells: neighbours that touch on every tiling, and layouts stretched, rotated and mirrored."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache

from gridworld.task_spec import Position

NEIGHBORS = ((1, 0), (0, 1), (-1, 0), (0, -1))
"""Offsets of the four neighbours of a cell (right, down, left, up), which touch it on every tiling."""
AROUND = (*NEIGHBORS, (1, 1), (-1, 1), (-1, -1), (1, -1))
"""Offsets of the eight cells around a cell; no other cell touches it on any installed tiling."""


@lru_cache(maxsize=64)
def inner_cells(width: int, height: int) -> tuple[Position, ...]:
    """Return all cells inside the border, row by row."""
    return tuple(Position(x, y) for y in range(1, height - 1) for x in range(1, width - 1))


@lru_cache(maxsize=64)
def neighbors(width: int, height: int) -> Mapping[Position, tuple[Position, ...]]:
    """Map each cell inside the border to its neighbours inside the border: right, down, left, up."""
    return _within(width, height, NEIGHBORS)


@lru_cache(maxsize=64)
def around(width: int, height: int) -> Mapping[Position, tuple[Position, ...]]:
    """Map each cell inside the border to those of its eight surrounding cells that are inside the border."""
    return _within(width, height, AROUND)


def _within(width: int, height: int, steps: tuple[tuple[int, int], ...]) -> dict[Position, tuple[Position, ...]]:
    cells = inner_cells(width, height)
    inside = frozenset(cells)
    return {
        cell: tuple(there for dx, dy in steps if (there := Position(cell.x + dx, cell.y + dy)) in inside)
        for cell in cells
    }


def stretch_columns(floor: Iterable[Position], column: int) -> set[Position]:
    """Double one column of the floor and shift everything beyond it one cell to the right."""
    return {Position(x, cell.y) for cell in floor for x in _stretched(cell.x, column)}


def stretch_rows(floor: Iterable[Position], row: int) -> set[Position]:
    """Double one row of the floor and shift everything beyond it one cell down."""
    return {Position(cell.x, y) for cell in floor for y in _stretched(cell.y, row)}


def _stretched(place: int, doubled: int) -> tuple[int, ...]:
    if place == doubled:
        return (place, place + 1)
    return (place + 1,) if place > doubled else (place,)


SYMMETRIES = 8
"""Number of symmetries of a square."""


def turned(cells: Iterable[Position], size: int, symmetry: int) -> list[Position]:
    """Rotate cells of a square lattice clockwise by quarter turns; the second half of `SYMMETRIES` mirrors them first.

    Args:
        cells: cells of the lattice; their order is kept.
        size: lattice columns, as many as rows.
        symmetry: 0 to `SYMMETRIES` - 1; 0 changes nothing.
    """
    last = size - 1
    turns, mirrored = symmetry % 4, symmetry >= 4
    moved = [Position(last - x, y) if mirrored else Position(x, y) for x, y in cells]
    for _ in range(turns):
        moved = [Position(last - y, x) for x, y in moved]
    return moved
