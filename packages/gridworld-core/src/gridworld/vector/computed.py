"""`Computed`: what follows from rows of states or from their settings, computed once for each."""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gridworld.vector.growing_array import GrowingArray
from gridworld.vector.state_rows import StateRows

__all__ = ["Computed", "of_rows", "of_settings"]

AT_ONCE, BYTES_AT_ONCE = 16_384, 4 << 20
"""So many, and so many bytes of values, are computed together at most, which bounds the memory that it takes meanwhile:
it may be a hundred times as much."""

Counts = Callable[[], tuple[int, int]]
"""How many things there are now, and how many of them stay when rows are forgotten."""
Compute = Callable[[NDArray[np.intp]], NDArray[Any]]
"""Numbers of rows, or of settings, to the value of each; shape (numbers, *shape of a value)."""


class Computed:
    """A value of one shape and type for each of a growing number of things.

    The functions are methods, or of a module: those inside others would be of the original in a copy.

    Args:
        rows: the rows of states that they belong to.
        counts: counts the things.
        shape: that of a value.
        dtype: its type.
        compute: computes values.
    """

    def __init__(
        self,
        rows: StateRows,
        counts: Counts,
        shape: tuple[int, ...],
        dtype: Any,
        compute: Compute,
    ) -> None:
        self._rows, self._counts, self._compute = rows, counts, compute
        self._values = GrowingArray(shape, dtype)
        self._at_once = max(1, min(AT_ONCE, BYTES_AT_ONCE // (prod(shape) * np.dtype(dtype).itemsize)))
        self._generation = rows.generation

    @property
    def values(self) -> NDArray[Any]:
        """The values of all there are now, shape (things, *shape): the memory itself, until there are more."""
        stop, kept = self._counts()
        if self._generation != self._rows.generation:
            self._values.cut(kept)
            self._generation = self._rows.generation
        first = len(self._values)
        while first < stop:
            self._values.extend(self._compute(np.arange(first, min(first + self._at_once, stop))))
            first = len(self._values)
        return self._values.rows


def of_rows(rows: StateRows, shape: tuple[int, ...], dtype: Any, compute: Compute) -> Computed:
    """What is computed of each row."""
    return Computed(rows, rows.row_counts, shape, dtype, compute)


def of_settings(rows: StateRows, shape: tuple[int, ...], dtype: Any, compute: Compute) -> Computed:
    """What is computed of each setting."""
    return Computed(rows, rows.setting_counts, shape, dtype, compute)
