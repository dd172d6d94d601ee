"""Pictures of the whole grid of a running episode, as the observability allows, redrawn only where they change."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, ClassVar, NamedTuple

import numpy as np
from minigrid.core.world_object import WorldObj

from gridworld.backends.pictures import PictureStyle
from gridworld.observations.labels import Lettering
from gridworld.world import Episode
from gridworld.world.knowledge import Snapshot, shown_differently
from gridworld.world.looks import CellLook, held_look
from gridworld_minigrid.objects import make_bright_object, make_object
from gridworld_minigrid.tiles import STYLES, Shade, Tile, draw_held_tile, draw_tile, draw_unseen_tile


class Canvas:
    """A picture of `width` x `height` cells, each `tile_size` pixels wide, that is redrawn in place."""

    def __init__(self, width: int, height: int, tile_size: int) -> None:
        self._width, self._height, self._tile_size = width, height, tile_size
        self._pixels = np.zeros((height * tile_size, width * tile_size, 3), dtype=np.uint8)
        self.pixels = self._pixels.view()
        """The picture, shape (height, width, 3) in pixels, uint8; read-only, and overwritten by the next drawing."""
        self.pixels.flags.writeable = False
        self._drawn: list[Tile | None] = [None] * (width * height)
        # A row of a tile is one element, which copies a tile three times faster than byte by byte.
        self._row = np.dtype((np.void, 3 * tile_size))
        self._cells = self._pixels.reshape(height, tile_size, -1).view(self._row)
        self._places: dict[int, np.ndarray] = {}
        """Views of the pixels of each drawn cell."""
        self._tiles: dict[int, tuple[np.ndarray, Tile]] = {}
        """Drawn tiles by `id`; holding the tile keeps its id unique."""

    def __reduce__(self) -> tuple[Callable[..., Canvas], tuple[Any, ...]]:
        """Rebuild copies by drawing, since views and ids do not survive copying."""
        return _redrawn, (self._width, self._height, self._tile_size, self._drawn)

    def draw(self, tiles: Iterable[tuple[int, Tile]]) -> None:
        """Draw the tiles of some cells, skipping cells that already show them."""
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
        """Return a new array equal to `pixels`."""
        return self._pixels.copy()


def _redrawn(width: int, height: int, tile_size: int, drawn: list[Tile | None]) -> Canvas:
    canvas = Canvas(width, height, tile_size)
    canvas.draw((cell, tile) for cell, tile in enumerate(drawn) if tile is not None)
    return canvas


FIRST_CELL = 0


class _Content(NamedTuple):
    """Content of a cell, apart from the agent."""

    look: CellLook
    letter: str
    in_view: bool
    """Whether the cell is in view; otherwise it is shown as last seen."""


class GridPicture:
    """A picture that is updated from step to step.

    Args:
        episode: the episode.
        tile_size: width of a cell in pixels.
        style: the picture style.
    """

    overlaid: ClassVar[frozenset[int]] = frozenset()
    """Cells that are always redrawn, since they may show more than their look."""

    def __init__(self, episode: Episode, tile_size: int, style: PictureStyle = "own") -> None:
        topology = episode.world.topology
        self._episode, self._tile_size, self._style = episode, tile_size, style
        self._tile_style = STYLES[style]
        self._canvas = Canvas(topology.width, topology.height, tile_size)
        self._contents: list[_Content | None] = [None] * topology.cell_count
        """Content of each cell; None if it is unseen."""
        self._lettering = Lettering(episode) if style == "letters" else None
        self._tiles: dict[tuple[_Content | None, int | None, bool], Tile] = {}
        """Pictures of cells by content, heading of the agent on it, and highlighting."""
        self._shown: Snapshot | None = None
        self._agent, self._heading = 0, 0
        self._lit: frozenset[int] = frozenset()

    @property
    def pixels(self) -> np.ndarray:
        """The picture as last drawn, shape (height, width, 3), uint8; read-only, overwritten by the next drawing."""
        return self._canvas.pixels

    def draw(self, lit: frozenset[int] = frozenset()) -> None:
        """Draw the current state, with the cells `lit` lighter than others."""
        stale, state = self._different(), self._episode.state
        for cell in stale:
            self._contents[cell] = self._content(cell)
        stale.update((self._agent, state.cell), self.overlaid)
        self._agent, self._heading = state.cell, state.heading
        if lit is not self._lit:
            stale |= lit ^ self._lit
            self._lit = lit
        self._canvas.draw((cell, self._tile(cell)) for cell in stale)

    def copy(self) -> np.ndarray:
        """Return a new array equal to `pixels`."""
        return self._canvas.copy()

    def _different(self) -> set[int]:
        """Advance to the current snapshot; return the cells that may have changed, apart from the agent."""
        now, before = self._episode.snapshot, self._shown
        self._shown = now
        relettered = () if self._lettering is None else self._lettering.update()
        if before is None:
            return set(range(len(self._contents)))
        different = shown_differently(self._episode.world, before, now)
        different.update(relettered)
        return different

    def _content(self, cell: int) -> _Content | None:
        look = self._episode.look(cell)
        if look is None:
            return None
        letter = "" if self._lettering is None else self._lettering.on(cell)
        return _Content(look, letter, cell in self._episode.knowledge.visible)

    def _thing(self, look: CellLook, letter: str = "") -> WorldObj | None:
        """Return the object drawn for a look; in some styles it differs from the one in MiniGrid's grid."""
        world = self._episode.world
        return make_bright_object(world, look) if self._style == "contrast" else make_object(world, look, letter)

    def _tile(self, cell: int) -> Tile:
        key = self._contents[cell], self._heading if cell == self._agent else None, cell in self._lit
        tile = self._tiles.get(key)
        if tile is None:
            tile = self._tiles[key] = self._make_tile(*key)
        return tile

    def _make_tile(self, content: _Content | None, heading: int | None, lit: bool) -> Tile:
        if content is None:
            return draw_unseen_tile(self._tile_size, self._tile_style)
        shade = Shade.REMEMBERED if not content.in_view else Shade.LIT if lit else Shade.PLAIN
        thing = self._thing(content.look, content.letter)
        return draw_tile(thing, heading, shade, self._tile_size, self._tile_style)


class GridPictureWithHand(GridPicture):
    """A picture whose first cell shows the held object, if any, in a frame."""

    overlaid = frozenset({FIRST_CELL})

    def _tile(self, cell: int) -> Tile:
        episode = self._episode
        look = held_look(episode.world, episode.state, episode.knowledge.met) if cell == FIRST_CELL else None
        held = None if look is None else self._thing(look)
        return super()._tile(cell) if held is None else draw_held_tile(held, self._tile_size)
