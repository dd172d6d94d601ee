"""Layouts made a column wider or a row higher, so that those on a grid fit any size."""

from __future__ import annotations

from collections.abc import Iterable

from gridworld.task_spec import Position

__all__ = ["stretch_columns", "stretch_rows"]


def stretch_columns(floor: Iterable[Position], column: int) -> set[Position]:
    """The floor with a column of the lattice twice, and all beyond it one cell further right."""
    return {Position(x, cell.y) for cell in floor for x in _stretched(cell.x, column)}


def stretch_rows(floor: Iterable[Position], row: int) -> set[Position]:
    """The floor with a row of the lattice twice, and all beyond it one cell further down."""
    return {Position(cell.x, y) for cell in floor for y in _stretched(cell.y, row)}


def _stretched(place: int, doubled: int) -> tuple[int, ...]:
    if place == doubled:
        return (place, place + 1)
    return (place + 1,) if place > doubled else (place,)
