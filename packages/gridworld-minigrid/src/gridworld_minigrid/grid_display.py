"""How MiniGrid's squares are shown in vector environments: `FieldDisplay`, and `GridDisplay` for whole grids."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from gymnasium import spaces

from gridworld.vector.missions import Missions as CopyMissions
from gridworld.vector.one_size import one_size
from gridworld.vector.state_rows import StateRows
from gridworld.world import World
from gridworld_minigrid.image_observer import ImageObserver
from gridworld_minigrid.missions import Missions
from gridworld_minigrid.pictures_observer import PicturesObserver
from gridworld_minigrid.sizes import asked_tile_size
from gridworld_minigrid.task_sets import grid_size, image_size, mission_of, view_size
from gridworld_minigrid.vector_views import FieldViews, GridViews, SymbolicViews

__all__ = ["FieldDisplay", "GridDisplay"]

CODE = 3
"""Bytes of the symbolic encoding of a cell."""


class FieldDisplay:
    """Shows some tasks as `CustomMiniGridEnv` does; views are of what the agent has in view.

    Args:
        worlds: the compiled tasks.
        agent_view_size: cells along a side of the symbolic view; None for each task's own.
        tile_size: the width of a cell of pictures in pixels; less where they would be larger than `max_side`.
        highlight: whether pictures show the agents' fields of view lighter.
        max_side: the largest width and height of pictures in pixels; a cell has at least one.

    Raises:
        ArgumentError: `agent_view_size` is even or out of range.
        ValueError: a size is not a whole number, or `tile_size` or `max_side` is less than 1.
    """

    def __init__(
        self,
        worlds: Sequence[World],
        agent_view_size: int | None,
        tile_size: int,
        highlight: bool,
        max_side: int,
    ) -> None:
        self._worlds, self._highlight = worlds, highlight
        self._view_sizes = [view_size(world, agent_view_size) for world in worlds]
        self._image_size = image_size(worlds, agent_view_size)
        self._tile_size = asked_tile_size(tile_size, *grid_size(worlds), max_side)

    def space(self) -> spaces.Dict:
        """That of the views."""
        columns, rows = self._view_shape()
        return spaces.Dict(
            direction=spaces.Discrete(4),
            image=spaces.Box(0, 255, (columns, rows, CODE), np.uint8),
            mission=Missions(map(mission_of, self._worlds)),
        )

    def picture_shape(self) -> tuple[int, int, int]:
        """That of one picture."""
        columns, rows = one_size(self._worlds)
        return rows * self._tile_size, columns * self._tile_size, 3

    def view_bytes(self) -> int:
        """The bytes of the symbolic image of one copy."""
        columns, rows = self._view_shape()
        return CODE * columns * rows

    def bytes_of_state(self) -> int:
        """The bytes that are kept of each state."""
        return self.view_bytes()

    def _view_shape(self) -> tuple[int, int]:
        return self._image_size, self._image_size

    def _symbolic_views(self, rows: StateRows) -> SymbolicViews:
        return FieldViews(rows, self._view_sizes, self._image_size)

    def views(self, rows: StateRows, count: int, copy: bool) -> ImageObserver:
        """Symbolic images with directions and missions."""
        views = self._symbolic_views(rows)
        out = None if copy else np.zeros((count, *views.shape), dtype=np.uint8)
        return ImageObserver(rows, views, CopyMissions(rows, map(mission_of, rows.worlds)), out)

    def pictures(self, rows: StateRows, count: int, copy: bool) -> PicturesObserver:
        """What the single environments render."""
        return PicturesObserver(rows, count, self._tile_size, self._view_sizes if self._highlight else None, copy)


class GridDisplay(FieldDisplay):
    """The same with views of the whole grid."""

    def bytes_of_state(self) -> int:
        """None: whole grids are not kept of states that differ in the agent's pose alone."""
        return 0

    def _view_shape(self) -> tuple[int, int]:
        return grid_size(self._worlds)

    def _symbolic_views(self, rows: StateRows) -> SymbolicViews:
        return GridViews(rows)
