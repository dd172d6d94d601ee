"""`PanedPictures`: many pictures of one size in one array, kept from step to step and redrawn in rectangles."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gridworld.support.checks import refuse_too_large

__all__ = ["PanedPictures"]

AT_ONCE = 1 << 22
"""So many bytes are drawn together at most, which bounds the memory that it takes meanwhile."""

Pixels = NDArray[np.uint8]
Numbers = NDArray[np.intp]


class PanedPictures:
    """Pictures that are cut into panes, rectangles of one size in rows and columns.

    Args:
        count: how many pictures.
        size: their width and height in pixels.
        pane: the width and height of panes, in pixels.
        offset: where in the first pane the picture begins, across and down.

    Raises:
        ArgumentError: the pictures take more than `gridworld.support.checks.MOST_BYTES`.
    """

    def __init__(
        self, count: int, size: tuple[int, int], pane: tuple[int, int], offset: tuple[int, int] = (0, 0)
    ) -> None:
        width, height = size
        told = f"{count} pictures of {width} x {height} pixels"
        refuse_too_large(told, count * height * width * 3, "ask for smaller ones, or for fewer")
        self._size, self._pane, self._offset = size, pane, offset
        self._columns, self._rows = (
            -(-(before + length) // side) for before, length, side in zip(offset, size, pane, strict=True)
        )
        self._room = np.zeros((count, self._rows * pane[1], self._columns * pane[0], 3), dtype=np.uint8)
        """The only array that is kept: another one that shares its memory would not do so in a copy of the object."""
        self._place = np.divmod(np.arange(self._rows * self._columns), self._columns)
        """Pane to its row, and to its column."""
        self._row = np.dtype((np.void, 3 * pane[0]))
        """A row of a pane is one element, and moved as such: byte by byte it takes half as long again."""
        self._together = max(1, AT_ONCE // (3 * pane[0] * pane[1]))

    @property
    def pictures(self) -> Pixels:
        """All pictures, shape (count, height, width, 3): the memory itself, read-only, which drawing changes."""
        (left, top), (width, height) = self._offset, self._size
        shown = self._room[:, top : top + height, left : left + width]
        shown.flags.writeable = False
        return shown

    def draw(self, copies: Numbers, panes: Numbers, numbers: Numbers, contents: NDArray[Any]) -> None:
        """Replace panes.

        Args:
            copies: the pictures in which to do so; shape (n,).
            panes: which panes of them, numbered row by row; shape (n,).
            numbers: which of the contents each of them gets; shape (n,).
            contents: shape (contents, pane height, pane width, 3), uint8, in C order.
        """
        (width, height), row = self._pane, self._row
        by_pane = self._room.reshape(-1, self._rows, height, self._columns * width * 3).view(row)
        drawn = contents.reshape(-1, height, width * 3).view(row)[..., 0]
        rows, columns = (each.take(panes) for each in self._place)
        for first in range(0, len(copies), self._together):
            part = slice(first, first + self._together)
            by_pane[copies[part], rows[part], :, columns[part]] = drawn.take(numbers[part], axis=0)
