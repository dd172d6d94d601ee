"""`Computed`: what follows from rows of states or from their settings, computed once for each."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gridworld.vector.growing_array import GrowingArray
from gridworld.vector.state_rows import StateRows

__all__ = ["Computed", "of_rows", "of_settings"]

AT_ONCE = 16_384
"""So many are computed together at most, which bounds the memory that it takes meanwhile."""

Compute = Callable[[NDArray[np.intp]], NDArray[Any]]
"""Numbers of rows, or of settings, to the value of each; shape (numbers, *shape of a value)."""


class Computed:
    """A value of one shape and type for each of a growing number of things.

    Args:
        rows: the rows of states that they belong to.
        count: how many things there are now.
        kept: how many of them stay when rows are forgotten.
        shape: that of a value.
        dtype: its type.
        compute: computes values.
    """

    def __init__(
        self,
        rows: StateRows,
        count: Callable[[], int],
        kept: Callable[[], int],
        shape: tuple[int, ...],
        dtype: Any,
        compute: Compute,
    ) -> None:
        self._rows, self._count, self._kept, self._compute = rows, count, kept, compute
        self._values = GrowingArray(shape, dtype)
        self._generation = rows.generation

    @property
    def values(self) -> NDArray[Any]:
        """The values of all there are now, shape (things, *shape): the memory itself, until there are more."""
        if self._generation != self._rows.generation:
            self._values.cut(self._kept())
            self._generation = self._rows.generation
        first, stop = len(self._values), self._count()
        while first < stop:
            self._values.extend(self._compute(np.arange(first, min(first + AT_ONCE, stop))))
            first = len(self._values)
        return self._values.rows


def of_rows(rows: StateRows, shape: tuple[int, ...], dtype: Any, compute: Compute) -> Computed:
    """What is computed of each row."""
    return Computed(rows, lambda: len(rows), lambda: rows.kept[0], shape, dtype, compute)


def of_settings(rows: StateRows, shape: tuple[int, ...], dtype: Any, compute: Compute) -> Computed:
    """What is computed of each setting."""
    return Computed(rows, lambda: len(rows.settings), lambda: rows.kept[1], shape, dtype, compute)
