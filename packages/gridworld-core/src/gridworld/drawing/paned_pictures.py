"""`PanedPictures`: many equally large pictures in one array, where only changed panes are redrawn."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gridworld.support.checks import refuse_too_large

AT_ONCE = 1 << 22
"""Maximum number of bytes drawn at once, to bound temporary memory."""

Pixels = NDArray[np.uint8]
Numbers = NDArray[np.intp]


class PanedPictures:
    """Pictures divided into panes, rectangles of one size in rows and columns.

    Args:
        count: number of pictures.
        size: width and height in pixels.
        pane: width and height of panes in pixels.
        offset: offset of the picture in the first pane, across and down.

    Raises:
        ArgumentError: the pictures need more memory than `gridworld.support.checks.MOST_BYTES`.
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
        """The only stored array of pictures: after copying the object, stored views would not share its memory."""
        self._place = np.divmod(np.arange(self._rows * self._columns), self._columns)
        """Row and column of each pane."""
        self._row = np.dtype((np.void, 3 * pane[0]))
        """dtype of one pane row as a single element, which is 1.5 times faster to move than single bytes."""
        self._together = max(1, AT_ONCE // (3 * pane[0] * pane[1]))

    @property
    def pictures(self) -> Pixels:
        """Read-only view of all pictures, shape (count, height, width, 3); drawing updates it."""
        (left, top), (width, height) = self._offset, self._size
        shown = self._room[:, top : top + height, left : left + width]
        shown.flags.writeable = False
        return shown

    def draw(self, copies: Numbers, panes: Numbers, numbers: Numbers, contents: NDArray[Any]) -> None:
        """Redraw the given panes.

        Args:
            copies: picture indices; shape (n,).
            panes: pane indices, row by row; shape (n,).
            numbers: content indices; shape (n,).
            contents: shape (contents, pane height, pane width, 3), uint8, in C order.
        """
        (width, height), row = self._pane, self._row
        by_pane = self._room.reshape(-1, self._rows, height, self._columns * width * 3).view(row)
        drawn = contents.reshape(-1, height, width * 3).view(row)[..., 0]
        rows, columns = (each.take(panes) for each in self._place)
        for first in range(0, len(copies), self._together):
            part = slice(first, first + self._together)
            by_pane[copies[part], rows[part], :, columns[part]] = drawn.take(numbers[part], axis=0)
