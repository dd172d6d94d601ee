"""A kept picture: the sum of what its cells contribute, brought up to date where a cell's contribution changes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gridworld_multigrid.rendering.layout import Layout
from gridworld_multigrid.rendering.palette import BACKGROUND
from gridworld_multigrid.rendering.raster import WHOLE, WHOLE_BITS
from gridworld_multigrid.rendering.sprites import Sprite
from gridworld_multigrid.rendering.zones import zones_of

__all__ = ["Canvas", "Picture"]

Picture = NDArray[np.uint8]
"""RGB, shape (height, width, 3)."""


class Canvas:
    """A picture of all cells of a layout.

    Sums are exact integers, so that the picture depends on what is drawn now and not on what was drawn before.
    """

    def __init__(self, layout: Layout) -> None:
        self._boxes = [placed.box.slices for placed in layout.cells]
        self._sprites: list[Sprite | None] = [None] * len(layout.cells)
        self._sums = _background(layout)
        self._pixels = _rounded(self._sums)

    def draw(self, cell: int, sprite: Sprite) -> None:
        """Draw a cell; one that shows the same sprite already is left alone."""
        former = self._sprites[cell]
        if former is sprite:
            return
        self._sprites[cell] = sprite
        box = self._boxes[cell]
        sums = self._sums[box]
        sums += sprite if former is None else sprite - former
        self._pixels[box] = _rounded(sums)

    def copy(self) -> Picture:
        """The picture; the caller's own."""
        return self._pixels.copy()


def _background(layout: Layout) -> NDArray[np.int16]:
    """What no cell covers."""
    free = np.full((layout.height, layout.width), WHOLE, dtype=np.int16)
    for placed in layout.cells:
        zones = zones_of(placed.shape, frozenset())
        free[placed.box.slices] -= (zones.outline + zones.band + zones.middle).astype(np.int16)
    return free[..., np.newaxis] * np.array(BACKGROUND, dtype=np.int16)


def _rounded(sums: NDArray[np.int16]) -> Picture:
    return ((sums + WHOLE // 2) >> WHOLE_BITS).astype(np.uint8)
