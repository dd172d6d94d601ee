"""`OutcomeMemo`: what actions lead to in states that the kernel was asked about, so that no search asks again."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gridworld.solver.configurations import doubled

__all__ = ["OutcomeMemo"]

CAPACITY = 1 << 18
"""So many states are remembered, which takes about 25 MB; what is met later is worked out whenever it is asked for."""


class OutcomeMemo:
    """Outcomes by the indices of states, of the first `CAPACITY` states that are told.

    Args:
        slots: how many outcomes a state has.
    """

    def __init__(self, slots: int) -> None:
        self._count = 0
        self._row_of = np.full(1024, -1, dtype=np.int32)
        self._targets = np.zeros((64, slots), dtype=np.int64)
        self._kinds = np.zeros((64, slots), dtype=np.uint32)

    @property
    def memory(self) -> int:
        """Bytes of what is remembered."""
        return self._row_of.nbytes + self._targets.nbytes + self._kinds.nbytes

    def rows(self, indices: NDArray[np.int64]) -> NDArray[np.int32]:
        """Where the outcomes of states are, -1 for what is not remembered; shape (states,)."""
        if not self._count:
            return np.full(len(indices), -1, dtype=np.int32)
        met = indices < len(self._row_of)
        if met.all():
            return self._row_of[indices]
        return np.where(met, self._row_of[np.where(met, indices, 0)], np.int32(-1))

    def at(self, rows: NDArray[np.int32]) -> tuple[NDArray[np.int64], NDArray[np.uint32]]:
        """The targets and the kinds of events in rows, each of shape (rows, slots)."""
        return self._targets[rows], self._kinds[rows]

    def add(self, indices: NDArray[np.int64], targets: NDArray[np.int64], kinds: NDArray[np.uint32]) -> None:
        """Remember the outcomes of states, as long as there is room."""
        first, last = self._count, self._count + len(indices)
        if last > CAPACITY or not len(indices):
            return
        while last > len(self._targets):
            self._targets, self._kinds = doubled(self._targets), doubled(self._kinds)
        while indices.max() >= len(self._row_of):
            self._row_of = np.concatenate([self._row_of, np.full_like(self._row_of, -1)])
        self._targets[first:last], self._kinds[first:last] = targets, kinds
        self._row_of[indices] = np.arange(first, last)
        self._count = last
