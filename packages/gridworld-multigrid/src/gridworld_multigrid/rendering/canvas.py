"""A kept picture: the sum of what its cells contribute, brought up to date where a cell's contribution changes."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from gridworld.drawing.glyphs import RGB
from gridworld_multigrid.rendering.layout import Layout
from gridworld_multigrid.rendering.raster import WHOLE, WHOLE_BITS
from gridworld_multigrid.rendering.sprites import Sprite
from gridworld_multigrid.rendering.zones import zones_of

__all__ = ["Canvas", "Picture"]

Picture = NDArray[np.uint8]
"""RGB, shape (height, width, 3)."""


class Canvas:
    """A picture of all cells of a layout.

    Sums are exact integers, so that the picture depends on what is drawn now and not on what was drawn before.

    Args:
        layout: the layout.
        background: the colour of what no cell covers.
    """

    def __init__(self, layout: Layout, background: RGB) -> None:
        self._boxes = [placed.box for placed in layout.cells]
        self._sprites: list[Sprite | None] = [None] * len(layout.cells)
        self._sums = _background(layout, background)
        self._pixels = _rounded(self._sums)

    def draw(self, sprites: Iterable[tuple[int, Sprite]]) -> None:
        """Draw cells; one that shows the same sprite already is left alone."""
        changed = [cell for cell, sprite in sprites if self._add(cell, sprite)]
        if not changed:
            return
        boxes = [self._boxes[cell] for cell in changed]
        rows = slice(min(box.top for box in boxes), max(box.top + box.height for box in boxes))
        columns = slice(min(box.left for box in boxes), max(box.left + box.width for box in boxes))
        self._pixels[rows, columns] = _rounded(self._sums[rows, columns])

    def _add(self, cell: int, sprite: Sprite) -> bool:
        """Put a sprite in the place of a cell's former one; returns whether it is another one."""
        former = self._sprites[cell]
        if former is sprite:
            return False
        self._sprites[cell] = sprite
        sums = self._sums[self._boxes[cell].slices]
        sums += sprite
        if former is not None:
            sums -= former
        return True

    def copy(self) -> Picture:
        """The picture; the caller's own."""
        return self._pixels.copy()


def _background(layout: Layout, color: RGB) -> NDArray[np.int16]:
    """What no cell covers."""
    free = np.full((layout.height, layout.width), WHOLE, dtype=np.int16)
    for placed in layout.cells:
        free[placed.box.slices] -= zones_of(placed.shape, frozenset()).whole.astype(np.int16)
    return free[..., np.newaxis] * np.array(color, dtype=np.int16)


def _rounded(sums: NDArray[np.int16]) -> Picture:
    return ((sums + WHOLE // 2) >> WHOLE_BITS).astype(np.uint8)
