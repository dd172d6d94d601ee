"""Tiles side by side in one picture."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    import numpy as np

__all__ = ["Picture", "arrange"]

Picture: TypeAlias = "np.ndarray"
"""RGB, shape (height, width, 3), uint8."""
GAP = 4
"""Pixels between two tiles, and around all of them."""
PAPER = 255
"""White, between the tiles."""


def arrange(rows: Sequence[Sequence[Picture | None]]) -> Picture:
    """Tiles in rows, the first at the top.

    Args:
        rows: at least one row, each with one tile at least, all tiles of the same size; nothing is drawn for None.
    """
    import numpy as np

    height, width, _ = next(tile for row in rows for tile in row if tile is not None).shape
    columns = max(map(len, rows))
    shape = (GAP + len(rows) * (height + GAP), GAP + columns * (width + GAP), 3)
    sheet = np.full(shape, PAPER, dtype=np.uint8)
    for number, row in enumerate(rows):
        for place, tile in enumerate(row):
            if tile is not None:
                top, left = GAP + number * (height + GAP), GAP + place * (width + GAP)
                sheet[top : top + height, left : left + width] = tile
    return sheet
