"""A picture of a grid that is kept between steps and redrawn only where something changed."""

from collections.abc import Iterable

import numpy as np

from gridworld_minigrid.tiles import Tile

__all__ = ["Canvas"]


class Canvas:
    """A kept picture of `width` x `height` cells, each `tile_size` pixels wide."""

    def __init__(self, width: int, height: int, tile_size: int) -> None:
        self._width = width
        self._size = tile_size
        self._pixels = np.zeros((height * tile_size, width * tile_size, 3), dtype=np.uint8)
        self._drawn: list[Tile | None] = [None] * (width * height)

    def draw(self, tiles: Iterable[tuple[int, Tile]]) -> None:
        """Draw the tiles of some cells; a cell that shows its tile already is left alone."""
        size = self._size
        for cell, tile in tiles:
            if self._drawn[cell] is tile:
                continue
            self._drawn[cell] = tile
            y, x = divmod(cell, self._width)
            self._pixels[y * size : (y + 1) * size, x * size : (x + 1) * size] = tile

    @property
    def pixels(self) -> np.ndarray:
        """The picture, shape (height, width, 3) in pixels, uint8: read-only, and changed by what is drawn next."""
        pixels = self._pixels.view()
        pixels.flags.writeable = False
        return pixels

    def copy(self) -> np.ndarray:
        """`pixels`, as the caller's own."""
        return self._pixels.copy()
