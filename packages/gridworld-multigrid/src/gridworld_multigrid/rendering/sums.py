"""Pictures as sums of what cells add to them: exact integers, so that it does not matter what is added first."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gridworld.drawing.glyphs import RGB
from gridworld_multigrid.rendering.layout import Layout
from gridworld_multigrid.rendering.raster import WHOLE, WHOLE_BITS
from gridworld_multigrid.rendering.zones import zones_of

__all__ = ["Picture", "Sums", "ground", "rounded"]

Picture = NDArray[np.uint8]
"""RGB, shape (height, width, 3)."""
Sums = NDArray[np.int16]
"""RGB times 16, of the same shape."""


def ground(layout: Layout, color: RGB) -> Sums:
    """What no cell covers, in a colour."""
    free = np.full((layout.height, layout.width), WHOLE, dtype=np.int16)
    for placed in layout.cells:
        free[placed.box.slices] -= zones_of(placed.shape, frozenset()).whole.astype(np.int16)
    return free[..., np.newaxis] * np.array(color, dtype=np.int16)


def rounded(sums: Sums) -> Picture:
    """The picture of the sum of all cells and the ground."""
    return ((sums + WHOLE // 2) >> WHOLE_BITS).astype(np.uint8)
