"""Pictures of single cells, drawn once by MiniGrid's own tile renderer and kept."""

from collections.abc import Hashable
from typing import ClassVar

import numpy as np
from minigrid.core.grid import Grid
from minigrid.core.world_object import WorldObj

from gridworld_minigrid.objects import GlyphObject

__all__ = ["Tile", "draw_tile", "look_key"]

Tile = np.ndarray
"""One cell, shape (tile_size, tile_size, 3), uint8."""


class _Renderer(Grid):
    """MiniGrid's tile renderer with a cache of its own.

    `Grid.render_tile` takes objects of equal encoding for the same picture, which holds for MiniGrid's objects only.
    """

    tile_cache: ClassVar[dict[tuple[object, ...], np.ndarray]] = {}


def look_key(thing: WorldObj | None) -> Hashable:
    """What tells the pictures of two objects apart."""
    if thing is None:
        return None
    return thing.glyph if isinstance(thing, GlyphObject) else thing.encode()


_tiles: dict[Hashable, Tile] = {}


def draw_tile(thing: WorldObj | None, agent_direction: int | None, highlight: bool, tile_size: int) -> Tile:
    """The picture of one cell; read-only, shared by all that ask for the same."""
    key = (look_key(thing), agent_direction, highlight, tile_size)
    tile = _tiles.get(key)
    if tile is None:
        _Renderer.tile_cache.clear()
        tile = _Renderer.render_tile(thing, agent_direction, highlight, tile_size).astype(np.uint8)
        tile.flags.writeable = False
        _tiles[key] = tile
    return tile
