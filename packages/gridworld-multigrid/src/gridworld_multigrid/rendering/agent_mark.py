"""The agent: an arrow that points exactly along its heading."""

from __future__ import annotations

import math

import numpy as np

from gridworld.drawing.glyphs import Glyph, Polygon
from gridworld.support.bounded_cache import bounded
from gridworld_multigrid.rendering.layers import Layer, draw_glyph
from gridworld_multigrid.rendering.palette import Colors
from gridworld_multigrid.rendering.raster import WHOLE
from gridworld_multigrid.rendering.sums import Picture

__all__ = ["arrow_length", "corner_of", "draw_arrow", "paint_over"]

TIP, LEFT, NOTCH, RIGHT = (0.5, 0.0), (-0.42, -0.38), (-0.22, 0.0), (-0.42, 0.38)
"""The corners of an arrow that points right, relative to its middle, as parts of its length."""
ARROW = 1.7
"""The length of the agent's arrow, as a part of the radius of its cell, ..."""
SHORTEST_ARROW = 0.62
"""... but at least this part of the lattice spacing: on small cells it reaches beyond them."""
RIM = 0.07
"""The width of its rim, as a part of its length."""


def arrow_length(radius: float, spacing: float) -> float:
    """How long the arrow is on a cell of an inner radius, in a tiling of a lattice spacing; all in pixels."""
    return max(ARROW * radius, SHORTEST_ARROW * spacing)


@bounded(lambda layer, *_: layer.nbytes)
def draw_arrow(heading: int, heading_count: int, length: float, colors: Colors) -> Layer:
    """The arrow of a heading; `length` in pixels."""
    tip, left, notch, right = (_turned(corner, 2 * math.pi * heading / heading_count) for corner in CORNERS)
    glyph = Glyph((Polygon((tip, left, notch), colors.agent), Polygon((tip, notch, right), colors.agent)))
    return draw_glyph(glyph, length, RIM * length, colors.agent_rim)


CORNERS = (TIP, LEFT, NOTCH, RIGHT)


def _turned(corner: tuple[float, float], angle: float) -> tuple[float, float]:
    x, y = corner
    cos, sin = math.cos(angle), math.sin(angle)
    return round(0.5 + x * cos - y * sin, 9), round(0.5 + x * sin + y * cos, 9)


def corner_of(layer: Layer, x: float, y: float) -> tuple[int, int]:
    """Where a layer begins whose middle is at (x, y), across and down; all in pixels."""
    return round(x - layer.size / 2), round(y - layer.size / 2)


def paint_over(picture: Picture, layer: Layer, left: int, top: int) -> None:
    """Lay a layer over a finished picture, in place, its corner at (left, top) in pixels; cut off at the edges."""
    height, width, _ = picture.shape
    rows, columns = _within(top, layer.size, height), _within(left, layer.size, width)
    part = (slice(rows.start - top, rows.stop - top), slice(columns.start - left, columns.stop - left))
    below = picture[rows, columns] * (WHOLE - layer.share[part])[..., np.newaxis]
    picture[rows, columns] = (below + layer.color[part] + WHOLE // 2) // WHOLE


def _within(start: int, length: int, whole: int) -> slice:
    """What is left of a range that is cut off at both ends of a whole; perhaps nothing."""
    first = min(max(start, 0), whole)
    return slice(first, max(first, min(start + length, whole)))
