"""A picture of a grid that is kept between steps and redrawn only where something changed."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from gridworld_minigrid.tiles import Tile

__all__ = ["Canvas"]


class Canvas:
    """A kept picture of `width` x `height` cells, each `tile_size` pixels wide."""

    def __init__(self, width: int, height: int, tile_size: int) -> None:
        self._width, self._height, self._tile_size = width, height, tile_size
        self._pixels = np.zeros((height * tile_size, width * tile_size, 3), dtype=np.uint8)
        self.pixels = self._pixels.view()
        """The picture, shape (height, width, 3) in pixels, uint8: read-only, and changed by what is drawn next."""
        self.pixels.flags.writeable = False
        self._drawn: list[Tile | None] = [None] * (width * height)
        # A row of a tile is one element: so copied, a tile takes a third of the time that it takes byte by byte.
        self._row = np.dtype((np.void, 3 * tile_size))
        self._cells = self._pixels.reshape(height, tile_size, -1).view(self._row)
        self._places: dict[int, np.ndarray] = {}
        """Cell to its rows, of those that have been drawn."""
        self._tiles: dict[int, tuple[np.ndarray, Tile]] = {}
        """The identity of a tile that has been drawn to its rows, and to itself, that nothing else has its identity."""

    def __reduce__(self) -> tuple[Callable[..., Canvas], tuple[Any, ...]]:
        """Rows are views and identities, which a copy has of its own."""
        return _drawn_again, (self._width, self._height, self._tile_size, self._drawn)

    def draw(self, tiles: Iterable[tuple[int, Tile]]) -> None:
        """Draw the tiles of some cells; a cell that shows its tile already is left alone."""
        drawn, places, known = self._drawn, self._places, self._tiles
        for cell, tile in tiles:
            if drawn[cell] is not tile:
                drawn[cell] = tile
                place, rows = places.get(cell), known.get(id(tile))
                if place is None:
                    place = places[cell] = self._cells[cell // self._width, :, cell % self._width]
                if rows is None:
                    rows = known[id(tile)] = tile.reshape(self._tile_size, -1).view(self._row)[:, 0], tile
                place[...] = rows[0]

    def copy(self) -> np.ndarray:
        """`pixels`, as the caller's own."""
        return self._pixels.copy()


def _drawn_again(width: int, height: int, tile_size: int, drawn: list[Tile | None]) -> Canvas:
    canvas = Canvas(width, height, tile_size)
    canvas.draw((cell, tile) for cell, tile in enumerate(drawn) if tile is not None)
    return canvas
