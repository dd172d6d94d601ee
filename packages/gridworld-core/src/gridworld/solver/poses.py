"""`Poses`: where an agent can stand and look, as arrays over (floor cell, heading)."""

from __future__ import annotations

from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from gridworld.world.topology import NO_CELL
from gridworld.world.world import World

__all__ = ["Poses", "Way"]


class Way(IntEnum):
    """How an action can change the pose alone."""

    STAY = 0
    LEFT = 1
    RIGHT = 2
    AHEAD = 3


class Poses:
    """The poses of a world: ``number = place * headings + heading``, where places number the cells that are no wall.

    Args:
        world: the compiled task.
    """

    def __init__(self, world: World) -> None:
        headings, cells = world.headings, world.topology.cell_count
        is_floor = np.ones(cells, dtype=bool)
        is_floor[list(world.walls)] = False
        floor = np.flatnonzero(is_floor)
        place_of = np.full(cells, -1, dtype=np.int64)
        place_of[floor] = np.arange(len(floor))
        self.headings = headings
        self.cells: list[int] = floor.tolist()
        """Place to cell."""
        self.place_of: list[int] = place_of.tolist()
        """Cell to place, -1 for a wall."""
        self.count = len(floor) * headings
        self.here: NDArray[np.int64] = np.repeat(np.arange(len(floor)), headings)
        """Pose to the place that the agent stands on."""
        exits = _rows(world.exits, cells)[floor].ravel()
        self.ahead: NDArray[np.int64] = np.where(exits == NO_CELL, -1, place_of[exits])
        """Pose to the place in front, -1 where there is none or a wall."""
        self.in_front: list[int] = self.ahead.tolist()
        """The same, to be looked up for one pose."""
        heading = np.tile(np.arange(headings), len(floor))
        same = np.arange(self.count)
        turned = [self.here * headings + _rows(turns, cells)[floor].ravel() for turns in (world.left, world.right)]
        onward = np.where(self.ahead < 0, same, self.ahead * headings + heading)
        self.after: NDArray[np.int64] = np.stack([same, *turned, onward])
        """`Way` and pose to the pose after it, shape (4, poses)."""

    def number(self, cell: int, heading: int) -> int:
        """The number of a pose."""
        return self.place_of[cell] * self.headings + heading

    def cell_and_heading(self, pose: int) -> tuple[int, int]:
        """The cell and the heading of a pose."""
        place, heading = divmod(pose, self.headings)
        return self.cells[place], heading


def _rows(table: tuple[int, ...], cells: int) -> NDArray[np.int64]:
    return np.array(table, dtype=np.int64).reshape(cells, -1)
