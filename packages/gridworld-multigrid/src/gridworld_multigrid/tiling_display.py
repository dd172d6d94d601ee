"""`TilingDisplay`: how tasks on a tiling are shown in vector environments."""

from __future__ import annotations

from collections.abc import Sequence

from gridworld.vector.one_size import one_size
from gridworld.vector.state_rows import StateRows
from gridworld.world import World
from gridworld_multigrid.cells_observer import CellsObserver
from gridworld_multigrid.codes import CODE_LENGTH
from gridworld_multigrid.pictures_observer import PicturesObserver
from gridworld_multigrid.rendering.layout import fit
from gridworld_multigrid.task_sets import most_cells

__all__ = ["TilingDisplay"]


class TilingDisplay:
    """Shows some tasks as `MultiGridEnv` does.

    Args:
        worlds: the compiled tasks.
        picture_size: the largest width and height of pictures, in pixels.
    """

    def __init__(self, worlds: Sequence[World], picture_size: tuple[int, int]) -> None:
        self._worlds, self._picture_size = worlds, picture_size

    def picture_shape(self) -> tuple[int, int, int]:
        """That of one picture."""
        one_size(self._worlds)
        fitted = fit(self._worlds[0].topology, self._picture_size)
        return fitted.height, fitted.width, 3

    def view_bytes(self) -> int:
        """The bytes of the codes of the cells of one copy."""
        return most_cells(self._worlds) * CODE_LENGTH

    def bytes_of_state(self) -> int:
        """One for each cell: whether it is seen."""
        return most_cells(self._worlds)

    def views(self, rows: StateRows, count: int, copy: bool) -> CellsObserver:
        """Codes of cells, with where the agents are, and missions."""
        return CellsObserver(rows, count, copy)

    def pictures(self, rows: StateRows, count: int, copy: bool) -> PicturesObserver:
        """What the single environments render."""
        return PicturesObserver(rows, count, self._picture_size, copy)
