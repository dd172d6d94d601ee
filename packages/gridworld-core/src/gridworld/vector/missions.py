"""`Missions`: the sentences that tell the agents of many copies what to do."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from gridworld.vector.state_rows import StateRows

__all__ = ["Missions"]


class Missions:
    """The missions of many copies; they are gathered anew only when an episode has begun.

    Args:
        rows: the rows where copies can be.
        texts: task to its mission.
    """

    def __init__(self, rows: StateRows, texts: Iterable[str]) -> None:
        self._rows, self._texts = rows, tuple(texts)
        self._last: tuple[str, ...] = ()

    def at(self, rows: NDArray[np.intp]) -> tuple[str, ...]:
        """The missions of the tasks that rows belong to."""
        return tuple(map(self._texts.__getitem__, self._rows.tasks(rows).tolist()))

    def of(self, rows: NDArray[np.intp], begun: NDArray[np.bool_] | None) -> tuple[str, ...]:
        """The mission of each copy.

        Args:
            rows: where the copies are; shape (copies,).
            begun: whose episodes have begun since it was asked last, shape (copies,); None for none.
        """
        if not self._last or (len(self._texts) > 1 and begun is not None and begun.any()):
            self._last = self.at(rows)
        return self._last
