"""Sprites: the contribution of one cell to a picture, its colours times its share of each pixel."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

import attrs
import numpy as np
from numpy.typing import NDArray

from gridworld.drawing.glyphs import RGB
from gridworld_multigrid.rendering.appearance import Appearance, PlacedGlyph
from gridworld_multigrid.rendering.layers import Layer, draw_glyph, lay_over
from gridworld_multigrid.rendering.layout import CellShape, Layout
from gridworld_multigrid.rendering.palette import HALO, Colors
from gridworld_multigrid.rendering.raster import WHOLE, Picture, Sums, rounded
from gridworld_multigrid.rendering.zones import zones_of


@attrs.frozen(eq=False)
class Sprite:
    """The contribution of one cell to a picture; both arrays have the size of its box, and are read-only."""

    sums: Sums
    """RGB times the cell's share of each pixel, 0 to 16 * 255."""
    pixels: Picture
    """The part of the picture if all pixels of the box belong to the cell alone."""

    @classmethod
    def of(cls, sums: NDArray[np.integer]) -> Self:
        """Make a sprite from its sums."""
        kept = sums.astype(np.int16)
        kept.flags.writeable = False
        return cls(kept, rounded(kept))


THING_SIZE, FILLING_SIZE = 0.95, 0.98
"""Sides of glyphs on a cell and of glyphs that fill a patch, as fractions of their circle's diameter.

Glyphs are cropped to the cell.
"""
RIM = 0.065
"""Width of the rim of glyphs, as a fraction of their size."""

REMEMBERED_BRIGHTNESS = 11
"""Brightness of remembered cells, in sixteenths."""

STRIPE_PERIOD = 8
"""Distance in pixels from one stripe to the next, across and down."""


@attrs.frozen
class Guest:
    """Glyphs on another cell of the same patch, which may extend onto this one."""

    shape: CellShape
    """Shape of the other cell."""
    left: int
    """Position of the other cell's box relative to this one's, in pixels."""
    top: int
    glyphs: tuple[PlacedGlyph, ...]


def draw_cell(
    shape: CellShape, sealed: frozenset[int], appearance: Appearance, colors: Colors, guests: Sequence[Guest] = ()
) -> Sprite:
    """Draw a cell in view.

    Args:
        shape: the cell.
        sealed: its edges that are sealed seams.
        appearance: its appearance.
        colors: the colours of the picture.
        guests: glyphs on the other cells of its patch.
    """
    zones = zones_of(shape, sealed)
    shares = (zones.hem, zones.band, zones.inset, zones.middle)
    fills = (appearance.hem, appearance.band, appearance.inset, appearance.fill)
    joints = fills if appearance.joint is None else [appearance.joint] * len(fills)
    parts = [*zip(shares, fills, strict=True), *zip(zones.joints, joints, strict=True)]
    inner = np.add.reduce([_times(share, color) for share, color in parts])
    share = np.add.reduce([share for share, _ in parts])
    for guest in (*guests, Guest(shape, 0, 0, appearance.glyphs)):
        for placed in guest.glyphs:
            layer, x, y = _layer(guest.shape, placed)
            left, top = round(x - layer.size / 2), round(y - layer.size / 2)
            lay_over(inner, share, layer, guest.left + left, guest.top + top)
    return Sprite.of(inner + _times(zones.rim, appearance.rim) + _times(zones.seam, colors.wall))


def _layer(shape: CellShape, placed: PlacedGlyph) -> tuple[Layer, float, float]:
    """Return the layer of a glyph, and the position of its centre."""
    x, y, radius = shape.hub if placed.fills else shape.spot
    side = (FILLING_SIZE if placed.fills else THING_SIZE) * 2 * radius
    return draw_glyph(placed.glyph, side, RIM * side if placed.rimmed else 0.0, HALO), x, y


def draw_remembered(sprite: Sprite, shape: CellShape, colors: Colors) -> Sprite:
    """Draw a cell out of view as last seen, darker and bluish."""
    share = zones_of(shape, frozenset()).whole
    dimmed = sprite.sums.astype(np.int32) * REMEMBERED_BRIGHTNESS
    return Sprite.of((dimmed + WHOLE * _times(share, colors.remembered_tint)) // WHOLE)


def draw_unseen(shape: CellShape, phase: int, colors: Colors) -> Sprite:
    """Draw an unseen cell with stripes.

    Args:
        shape: the cell.
        phase: the sum of the box's left and top, so that stripes continue from cell to cell.
        colors: the colours of the picture.
    """
    share = zones_of(shape, frozenset()).whole
    rows, columns = np.indices(share.shape)
    stripes = (rows + columns + phase) % STRIPE_PERIOD < STRIPE_PERIOD // 2
    return Sprite.of(share[..., np.newaxis] * np.array(colors.unseen)[stripes.astype(int)])


def _times(share: NDArray[np.int32], color: RGB | NDArray[np.int64]) -> NDArray[np.int32]:
    return np.multiply(share[..., np.newaxis], color, dtype=np.int32)


def ground_of(layout: Layout, color: RGB) -> Sums:
    """Fill the background not covered by cells with a colour."""
    free = np.full((layout.height, layout.width), WHOLE, dtype=np.int16)
    for placed in layout.cells:
        free[placed.box.slices] -= zones_of(placed.shape, frozenset()).whole.astype(np.int16)
    return free[..., np.newaxis] * np.array(color, dtype=np.int16)
