"""`GrowingArray`: an array to which rows are added at its end."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["GrowingArray"]

LEAST_ROOM = 64
"""Rows for which there is room from the beginning."""


class GrowingArray:
    """Rows of one shape and type; adding one takes constant time on average.

    Args:
        row_shape: the shape of a row.
        dtype: the type of the elements.
    """

    def __init__(self, row_shape: tuple[int, ...], dtype: Any) -> None:
        self._room = np.empty((LEAST_ROOM, *row_shape), dtype=dtype)
        self._count = 0

    def __len__(self) -> int:
        return self._count

    @property
    def rows(self) -> NDArray[Any]:
        """All rows, shape (rows, *row_shape): the memory itself, until the next row is added."""
        return self._room[: self._count]

    def extend(self, rows: ArrayLike) -> None:
        """Add rows, shape (new rows, *row_shape)."""
        added = np.asarray(rows, dtype=self._room.dtype).reshape(-1, *self._room.shape[1:])
        count = self._count + len(added)
        if count > len(self._room):
            larger = np.empty((max(count, 2 * len(self._room)), *self._room.shape[1:]), dtype=self._room.dtype)
            larger[: self._count] = self.rows
            self._room = larger
        self._room[self._count : count] = added
        self._count = count

    def cut(self, count: int) -> None:
        """Remove all rows but the first."""
        self._count = min(count, self._count)
