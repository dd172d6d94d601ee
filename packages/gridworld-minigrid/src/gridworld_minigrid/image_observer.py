"""`ImageObserver`: what `CustomMiniGridEnv` observes, of many copies of tasks at once."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gridworld.vector.missions import Missions
from gridworld.vector.state_rows import StateRows
from gridworld_minigrid.vector_views import SymbolicViews

__all__ = ["ImageObserver"]


class ImageObserver:
    """Symbolic images with directions and missions.

    Args:
        rows: the rows of states.
        views: the images.
        missions: the missions.
        out: is filled with the images in every step, shape (copies, *shape of an image), uint8; None for an array of
            its own in each.
    """

    def __init__(
        self, rows: StateRows, views: SymbolicViews, missions: Missions, out: NDArray[np.uint8] | None = None
    ) -> None:
        self._rows, self._views, self._missions, self._out = rows, views, missions, out

    def observe(self, rows: NDArray[np.intp], begun: NDArray[np.bool_] | None) -> dict[str, Any]:
        """``image``, ``direction`` (shape (copies,), int64) and ``mission`` (a tuple)."""
        return {
            "direction": self._rows.heading[rows],
            "image": self._views.of(rows, self._out),
            "mission": self._missions.of(rows, begun),
        }

    def last(self, rows: NDArray[np.intp], over: NDArray[np.intp]) -> list[dict[str, Any]]:
        """The same, as of single environments."""
        ended = rows[over]
        headings, images, missions = self._rows.heading[ended], self._views.of(ended), self._missions.at(ended)
        shown = zip(headings.tolist(), images, missions, strict=True)
        return [{"image": image, "direction": heading, "mission": mission} for heading, image, mission in shown]
