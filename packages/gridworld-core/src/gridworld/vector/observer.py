"""`Observer`: what is shown of many copies at once, said by those who know how worlds are shown."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

__all__ = ["NothingObserver", "Observation", "Observer", "StateObserver"]

Observation = Any
"""An array with a row for each copy, or a dictionary of such arrays and of tuples with as many objects."""


class Observer(Protocol):
    """What is shown of many copies at once.

    What it returns never changes later, except where arrays are to be filled again and again.
    """

    def observe(self, rows: NDArray[np.intp], begun: NDArray[np.bool_] | None) -> Observation:
        """What is shown after a step or a reset.

        Args:
            rows: where the copies are; shape (copies,).
            begun: whose episodes have just begun, shape (copies,); None for none.
        """
        ...

    def last(self, rows: NDArray[np.intp], over: NDArray[np.intp]) -> list[Observation]:
        """What is shown at the end of some episodes, each as of a single environment; asked before `observe`.

        Args:
            rows: where the copies are after the step; shape (copies,).
            over: the copies whose episodes have ended, ascending.
        """
        ...


class NothingObserver:
    """Shows a zero, whatever happens."""

    def observe(self, rows: NDArray[np.intp], begun: NDArray[np.bool_] | None) -> NDArray[np.int64]:
        """Zeros, shape (copies,)."""
        return np.zeros(len(rows), dtype=np.int64)

    def last(self, rows: NDArray[np.intp], over: NDArray[np.intp]) -> list[np.int64]:
        """A zero of each."""
        return [np.int64(0)] * len(over)


class StateObserver:
    """Shows the number of the state, that of its row in the table."""

    def observe(self, rows: NDArray[np.intp], begun: NDArray[np.bool_] | None) -> NDArray[np.int64]:
        """The numbers, shape (copies,)."""
        return rows.astype(np.int64)

    def last(self, rows: NDArray[np.intp], over: NDArray[np.intp]) -> list[np.int64]:
        """The numbers of some."""
        return list(rows[over].astype(np.int64))
