"""Pictures of single cells, identical to MiniGrid's tiles, drawn once and cached."""

import math
from collections.abc import Hashable
from enum import Enum

import attrs
import numpy as np
from minigrid.core.world_object import WorldObj
from minigrid.utils.rendering import downsample, highlight_img

from gridworld.backends.pictures import PictureStyle
from gridworld.drawing.glyphs import RGB, Glyph
from gridworld.support.caches import BoundedCache, bounded
from gridworld_minigrid.objects import DrawnObject
from gridworld_minigrid.painting import FLOOR, Samples, paint, render

Tile = np.ndarray
"""Picture of one cell, shape (tile_size, tile_size, 3), uint8."""


def look_key(thing: WorldObj | None) -> Hashable:
    """Return a key that is equal for objects with equal pictures."""
    if thing is None:
        return None
    return thing.look if isinstance(thing, DrawnObject) else thing.encode()


class Shade(Enum):
    """Shading of a cell's picture."""

    PLAIN = "plain"
    LIT = "lit"
    """Within the agent's field of view, if that is highlighted."""
    REMEMBERED = "remembered"
    """Out of view, drawn as last seen."""


@attrs.frozen(eq=False)
class TileStyle:
    """Colours of cells, apart from the objects on them."""

    agent: RGB = (255, 0, 0)
    remembered_tint: RGB = (5, 5, 44)
    """Colour added to remembered cells, so that black floor also differs from floor in view."""
    unseen: tuple[RGB, RGB] = ((18, 18, 24), (42, 42, 54))
    """Colours of the diagonal stripes, which occur nowhere else in a picture."""


MINIGRIDS_OWN = TileStyle()
BRIGHT = TileStyle(agent=(255, 255, 255), remembered_tint=(0, 0, 70), unseen=((30, 30, 80), (120, 110, 200)))
STYLES: dict[PictureStyle, TileStyle] = {"own": MINIGRIDS_OWN, "contrast": BRIGHT, "letters": MINIGRIDS_OWN}
"""Picture style to tile style."""
REMEMBERED_BRIGHTNESS = 0.7

HELD_FRAME = (255, 255, 255)
SUBSAMPLES = 3
"""Samples along a side of a pixel, as in MiniGrid."""
AGENT = ((0.12, 0.19), (0.87, 0.50), (0.12, 0.81))
"""MiniGrid's triangle for an agent facing right."""

_tiles: BoundedCache[Hashable, Tile] = BoundedCache()
BYTES_PER_ARRAY = 512
"""Memory of an array without its elements, and of its key, in bytes."""


def draw_tile(
    thing: WorldObj | None,
    agent_direction: int | None,
    shade: Shade,
    tile_size: int,
    style: TileStyle = MINIGRIDS_OWN,
) -> Tile:
    """Return the picture of one cell; read-only and shared."""
    key = (look_key(thing), agent_direction, shade, tile_size, style)
    tile = _tiles.get(key)
    if tile is None:
        samples = _floor(tile_size).copy()
        if thing is not None:
            render(thing, samples)
        if agent_direction is not None:
            samples[_under_agent(agent_direction, tile_size)] = style.agent
        if shade is Shade.LIT:
            highlight_img(samples)
        pixels = downsample(samples, SUBSAMPLES)
        if shade is Shade.REMEMBERED:
            pixels = pixels * REMEMBERED_BRIGHTNESS + style.remembered_tint
        tile = _tiles.put(key, _frozen(pixels), BYTES_PER_ARRAY + 3 * tile_size**2)
    return tile


@bounded(lambda samples, _: BYTES_PER_ARRAY + samples.nbytes)
def _floor(tile_size: int) -> Tile:
    """Return the samples of an empty cell; read-only."""
    samples = np.zeros((tile_size * SUBSAMPLES, tile_size * SUBSAMPLES, 3), dtype=np.uint8)
    paint(samples, FLOOR)
    return _frozen(samples)


@bounded(lambda samples, *_: BYTES_PER_ARRAY + samples.nbytes)
def _under_agent(direction: int, tile_size: int) -> np.ndarray:
    """Return a mask of the samples covered by the agent; shape (`SUBSAMPLES` * tile_size,) * 2, bool."""
    side = tile_size * SUBSAMPLES
    return Samples(side, side).in_turned_triangle(*AGENT, 0.5 * math.pi * direction)


@bounded(lambda tile, *_: BYTES_PER_ARRAY + tile.nbytes)
def draw_unseen_tile(tile_size: int, style: TileStyle = MINIGRIDS_OWN) -> Tile:
    """Return the picture of a cell that may not be shown; read-only."""
    rows, columns = np.indices((tile_size, tile_size))
    stripes = (rows + columns) * 8 // tile_size % 2
    return _frozen(np.array(style.unseen)[stripes])


def draw_sign(glyph: Glyph, side: int) -> np.ndarray:
    """Return the picture of a glyph on a black background, in a square of `side` pixels."""
    samples = np.zeros((side * SUBSAMPLES, side * SUBSAMPLES, 3), dtype=np.uint8)
    paint(samples, glyph)
    sign: np.ndarray = downsample(samples, SUBSAMPLES).astype(np.uint8)
    return sign


def draw_held_tile(thing: WorldObj, tile_size: int) -> Tile:
    """Return the picture of an object in the agent's hand, with a distinctive frame; read-only."""
    key = (look_key(thing), "held", tile_size)
    tile = _tiles.get(key)
    if tile is None:
        frame = max(1, tile_size // 16)
        pixels = np.full((tile_size, tile_size, 3), HELD_FRAME, dtype=np.uint8)
        inner = tile_size - 2 * frame
        if inner > 0:
            image = np.zeros((inner * SUBSAMPLES, inner * SUBSAMPLES, 3), dtype=np.uint8)
            render(thing, image)
            pixels[frame:-frame, frame:-frame] = downsample(image, SUBSAMPLES)
        tile = _tiles.put(key, _frozen(pixels), BYTES_PER_ARRAY + 3 * tile_size**2)
    return tile


def _frozen(pixels: np.ndarray) -> Tile:
    tile = pixels.astype(np.uint8)
    tile.flags.writeable = False
    return tile
