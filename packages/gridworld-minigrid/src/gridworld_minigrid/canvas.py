"""A picture of a grid that is kept between steps and redrawn only where something changed."""

from collections.abc import Iterable

import numpy as np

from gridworld_minigrid.tiles import Tile

__all__ = ["Canvas"]


class Canvas:
    """A kept picture of `width` x `height` cells, each `tile_size` pixels wide."""

    def __init__(self, width: int, height: int, tile_size: int) -> None:
        self._width = width
        self._rows, self._columns = (
            [slice(place * tile_size, (place + 1) * tile_size) for place in range(count)] for count in (height, width)
        )
        self._pixels = np.zeros((height * tile_size, width * tile_size, 3), dtype=np.uint8)
        self._drawn: list[Tile | None] = [None] * (width * height)

    def draw(self, tiles: Iterable[tuple[int, Tile]]) -> None:
        """Draw the tiles of some cells; a cell that shows its tile already is left alone."""
        width, rows, columns, drawn, pixels = self._width, self._rows, self._columns, self._drawn, self._pixels
        for cell, tile in tiles:
            if drawn[cell] is not tile:
                drawn[cell] = tile
                pixels[rows[cell // width], columns[cell % width]] = tile

    @property
    def pixels(self) -> np.ndarray:
        """The picture, shape (height, width, 3) in pixels, uint8: read-only, and changed by what is drawn next."""
        pixels = self._pixels.view()
        pixels.flags.writeable = False
        return pixels

    def copy(self) -> np.ndarray:
        """`pixels`, as the caller's own."""
        return self._pixels.copy()
