"""`MomentNotes`: of which kept panes a picture consisted at moments that it has shown."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gridworld.support.bounded_cache import BoundedCache

__all__ = ["Moment", "MomentNotes"]

MOST_CELL_BYTES = 1 << 15
"""Of a picture with more cells, it takes longer to look a moment up than to redraw a few panes."""
NOTE_BYTES = 512
"""What a note takes besides its arrays, at most."""


class Moment(NamedTuple):
    """All that a picture depends on, in a form that can be looked up quickly."""

    cells: bytes
    """The numbers of `EpisodeLooks`."""
    pose: tuple[int, int]
    """The agent's cell and heading."""
    held: int
    """The number of the look of what it holds."""


class MomentNotes:
    """Notes which kept panes were shown at a moment, which is all that is needed to show it again."""

    def __init__(self) -> None:
        self._kept_at: BoundedCache[Moment, NDArray[np.intp]] = BoundedCache()

    def find(self, moment: Moment) -> NDArray[np.intp] | None:
        """Pane to the number of the kept one, shape (panes,), not to be changed; None for a moment not noted."""
        return None if len(moment.cells) > MOST_CELL_BYTES else self._kept_at.get(moment)

    def add(self, moment: Moment, kept: NDArray[np.intp]) -> None:
        """Note a moment, unless it has too many cells.

        Args:
            moment: one that is not noted.
            kept: pane to the number of the kept one, shape (panes,), not to be changed any more.
        """
        if len(moment.cells) > MOST_CELL_BYTES:
            return
        self._kept_at.put(moment, kept, len(moment.cells) + kept.nbytes + NOTE_BYTES)

    def clear(self) -> None:
        """Forget all."""
        self._kept_at.clear()
