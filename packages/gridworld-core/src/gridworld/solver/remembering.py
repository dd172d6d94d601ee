"""`RememberingExpansion`: an expansion that is shared by several searches, and works nothing out twice for them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gridworld.solver.configurations import doubled
from gridworld.solver.expansion import Expansion, Outcomes
from gridworld.solver.spaces import StateSpace

__all__ = ["RememberingExpansion"]

CAPACITY = 1 << 18
"""So many states are remembered, which takes about 25 MB; what is met later is worked out whenever it is asked for."""


class RememberingExpansion(Expansion):
    """What actions lead to, remembered; a single search, which looks at each state once, is quicker without.

    Args:
        space: the space.
    """

    def __init__(self, space: StateSpace) -> None:
        super().__init__(space)
        self._memo = _Memo(len(space.slots))

    @property
    def memory(self) -> int:
        """Bytes that are kept of configurations, of what the kernel has said, and of outcomes, about."""
        return super().memory + self._memo.memory

    def outcomes(self, indices: NDArray[np.int64]) -> Outcomes:
        """What actions lead to in states, as of any expansion."""
        rows = self._memo.rows(indices)
        new = indices[rows < 0]
        if len(new) == 0:
            return self._memo.at(rows)
        worked_out = super().outcomes(new)
        self._memo.add(new, *worked_out)
        if len(new) == len(indices):
            return worked_out
        targets, kinds = self._memo.at(rows)
        targets[rows < 0], kinds[rows < 0] = worked_out
        return targets, kinds

    def foreseen(self, indices: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.uint32], NDArray[np.bool_]]:
        """The same as far as it is known without asking the kernel, as of any expansion."""
        targets, kinds, known = super().foreseen(indices)
        rows = self._memo.rows(indices)
        told = rows >= 0
        targets[told], kinds[told] = self._memo.at(rows[told])
        known[told] = True
        return targets, kinds, known


class _Memo:
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

    def at(self, rows: NDArray[np.int32]) -> Outcomes:
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
