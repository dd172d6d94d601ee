"""`PicturesObserver`: what `MultiGridEnv` renders, of many copies of tasks at once."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gridworld.backends.looks import NOT_SHOWN, LookNumbers
from gridworld.vector.computed import of_settings
from gridworld.vector.kept_pictures import KeptPictures
from gridworld.vector.one_size import one_size
from gridworld.vector.shown_looks import ShownLooks
from gridworld.vector.state_rows import Setting, StateRows
from gridworld.world.looks import held_look
from gridworld_multigrid.rendering.layout import lay_out
from gridworld_multigrid.rendering.palette import OWN
from gridworld_multigrid.rendering.pane_grid import NOTHING_SEEN
from gridworld_multigrid.rendering.pane_pictures import PanePictures

__all__ = ["PicturesObserver"]

Rows = NDArray[np.intp]
Flags = NDArray[np.bool_]
Pictures = NDArray[np.uint8]


class PicturesObserver(KeptPictures):
    """The pictures of many copies, each redrawn where it is shown differently.

    Args:
        rows: the rows of states.
        count: how many copies.
        size: the largest width and height of a picture, in pixels.
        copy: whether each observation is an array of its own; otherwise one array is brought up to date.

    Raises:
        ArgumentError: the tasks are not of one size, or the pictures would take too much memory.
    """

    def __init__(self, rows: StateRows, count: int, size: tuple[int, int], copy: bool) -> None:
        super().__init__(copy)
        one_size(rows.worlds)
        self._rows = rows
        topology, self._numbers = rows.worlds[0].topology, LookNumbers()
        self._pictures = PanePictures(count, topology, lay_out(topology, size), OWN, self._numbers)
        self._looks = ShownLooks(rows, count, self._numbers)
        self._held_in = of_settings(rows, (), np.intp, self._compute_held)
        grid = self._pictures.grid
        self._cells, self._headings, self._held = (np.zeros(count, dtype=np.intp) for _ in range(3))
        self._arrows, self._hands = (np.full((count, grid.count + 1), NOTHING_SEEN) for _ in range(2))
        """What is seen of agents and of hands; shape (copies, panes + 1)."""
        self._stale = np.ones((count, grid.count + 1), dtype=np.bool_)

    @property
    def pictures(self) -> Pictures:
        """Those that are kept, shape (copies, height, width, 3); read-only."""
        return self._pictures.pictures

    def update(self, rows: Rows, begun: Flags | None) -> None:
        """Redraw what is shown differently."""
        stale, grid, numbers = self._stale, self._pictures.grid, self._pictures.numbers
        shown = self._looks.at(rows, begun)
        copies, cells = np.nonzero(shown != numbers[:, :-1])
        stale[copies[:, None], grid.of_cell[cells]] = True
        numbers[:, :-1] = shown
        self._move_agents(self._rows.cell[rows], self._rows.heading[rows])
        self._change_hands(self._held_in.values[self._rows.setting[rows]])
        copies, panes = np.nonzero(stale[:, :-1])
        self._pictures.redraw(copies, panes, self._arrows[copies, panes], self._hands[copies, panes])
        stale[copies, panes] = False

    def _move_agents(self, cells: Rows, headings: Rows) -> None:
        grid, moved = self._pictures.grid, np.flatnonzero((cells != self._cells) | (headings != self._headings))
        left = moved[:, None], grid.of_arrow[self._cells[moved]]
        entered = moved[:, None], grid.of_arrow[cells[moved]]
        self._arrows[left] = NOTHING_SEEN
        self._arrows[entered] = grid.arrows(cells[moved], headings[moved])
        self._stale[left] = self._stale[entered] = True
        self._cells, self._headings = cells, headings

    def _change_hands(self, held: Rows) -> None:
        changed = np.flatnonzero(held != self._held)[:, None]
        of_hand = np.array(self._pictures.grid.of_hand)
        self._hands[changed, of_hand] = self._pictures.grid.hands(held[changed[:, 0]])
        self._stale[changed, of_hand] = True
        self._held = held

    def _compute_held(self, numbers: Rows) -> Rows:
        """The number of the look of what is held alone, in some settings."""
        return np.array([self._held_look(self._rows.settings[number]) for number in numbers.tolist()], dtype=np.intp)

    def _held_look(self, setting: Setting) -> int:
        world = self._rows.worlds[setting.task]
        look = held_look(world, setting.state, setting.met)
        return NOT_SHOWN if look is None else self._numbers.in_view(world, look)
