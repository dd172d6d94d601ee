"""What one cell contributes to a picture: its colours times its share of each pixel."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gridworld.drawing.glyphs import RGB
from gridworld_multigrid.rendering.appearance import Appearance, PlacedGlyph
from gridworld_multigrid.rendering.layers import Layer, draw_glyph, lay_over
from gridworld_multigrid.rendering.layout import CellShape
from gridworld_multigrid.rendering.palette import HALO, OUTLINE, UNSEEN, WALL
from gridworld_multigrid.rendering.raster import WHOLE
from gridworld_multigrid.rendering.zones import Zones, zones_of

__all__ = ["STRIPE_PERIOD", "Sprite", "draw_cell", "draw_remembered", "draw_unseen"]

Sprite = NDArray[np.int16]
"""RGB times the cell's share of each pixel, 0 to 16 * 255; shape (height, width, 3) of the cell's box. Read-only."""

THING_SIZE, FILLING_SIZE = 1.3, 1.05
"""The sides of glyphs, as parts of the largest axis-parallel square inside the cell; what reaches out is cut off."""
LARGEST_THING, LARGEST_FILLING = 0.95, 1.0
"""The same, as parts of the diameter of the largest disc inside it."""
RIM = 0.065
"""The width of the rim of things, as a part of their size."""

REMEMBERED_BRIGHTNESS = 8
"""Sixteenths."""
REMEMBERED_TINT = np.array((16, 20, 48))

STRIPE_PERIOD = 8
"""Pixels from one stripe to the next, across and down."""


def draw_cell(shape: CellShape, sealed: frozenset[int], appearance: Appearance) -> Sprite:
    """A cell in view; `sealed` are its edges that are sealed seams."""
    zones = zones_of(shape, sealed)
    inner = _times(zones.middle, appearance.fill) + _times(zones.band, appearance.band or appearance.fill)
    share = zones.middle + zones.band
    for placed in appearance.glyphs:
        layer = _layer(shape, placed)
        x, y = shape.centre
        lay_over(inner, share, layer, round(x - layer.size / 2), round(y - layer.size / 2))
    return _frozen(inner + _times(zones.outline, OUTLINE) + _times(zones.seam, WALL))


def _layer(shape: CellShape, placed: PlacedGlyph) -> Layer:
    square, diameter = shape.inner_square, 2 * shape.inner_radius
    if placed.fills:
        side = min(FILLING_SIZE * square, LARGEST_FILLING * diameter)
    else:
        side = min(THING_SIZE * square, LARGEST_THING * diameter)
    return draw_glyph(placed.glyph, side, RIM * side if placed.rimmed else 0.0, HALO)


def draw_remembered(sprite: Sprite, shape: CellShape) -> Sprite:
    """A cell that is not in view, drawn as last seen: darker and bluish."""
    share = _whole_share(zones_of(shape, frozenset()))
    dimmed = sprite.astype(np.int32) * REMEMBERED_BRIGHTNESS
    return _frozen((dimmed + WHOLE * _times(share, REMEMBERED_TINT)) // WHOLE)


def draw_unseen(shape: CellShape, phase: int) -> Sprite:
    """A cell that may not be shown, striped.

    Args:
        shape: the cell.
        phase: the sum of the box's left and top, which makes stripes run on from cell to cell.
    """
    share = _whole_share(zones_of(shape, frozenset()))
    rows, columns = np.indices(share.shape)
    stripes = (rows + columns + phase) % STRIPE_PERIOD < STRIPE_PERIOD // 2
    return _frozen(share[..., np.newaxis] * np.array(UNSEEN)[stripes.astype(int)])


def _whole_share(zones: Zones) -> NDArray[np.int32]:
    share: NDArray[np.int32] = zones.outline + zones.seam + zones.band + zones.middle
    return share


def _times(share: NDArray[np.int32], color: RGB | NDArray[np.int64]) -> NDArray[np.int32]:
    return np.multiply(share[..., np.newaxis], color, dtype=np.int32)


def _frozen(pixels: NDArray[np.integer]) -> Sprite:
    sprite = pixels.astype(np.int16)
    sprite.flags.writeable = False
    return sprite
