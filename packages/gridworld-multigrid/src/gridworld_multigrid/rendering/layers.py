"""Glyphs as layers of pixels with transparency, and the arrow that represents the agent."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import NamedTuple

import attrs
import numpy as np
from numpy.typing import NDArray

from gridworld.drawing.glyphs import RGB, Circle, Glyph, Line, Polygon, Rectangle, Shape, to_rgb
from gridworld.support.caches import bounded
from gridworld_multigrid.rendering.layout import Box, PlacedCell
from gridworld_multigrid.rendering.palette import HALO, PALETTE, Colors
from gridworld_multigrid.rendering.raster import SAMPLES, WHOLE, Picture, count_samples, rounded

Samples = NDArray[np.float64]
Mask = NDArray[np.bool_]
BYTES_PER_GLYPH = 2048
"""Memory of a glyph and of its layer, without the pixels, in bytes."""


@attrs.frozen(eq=False)
class Layer:
    """A square picture with transparency."""

    share: NDArray[np.int16]
    """Covered share of each pixel, 0 to 16; shape (size, size)."""
    color: NDArray[np.int16]
    """RGB of each pixel times the covered share; shape (size, size, 3)."""

    @property
    def size(self) -> int:
        """Side length in pixels."""
        return len(self.share)

    @property
    def nbytes(self) -> int:
        """Memory of the layer and of its key, a glyph, in bytes."""
        return BYTES_PER_GLYPH + self.share.nbytes + self.color.nbytes


@bounded(lambda layer, *_: layer.nbytes)
def draw_glyph(glyph: Glyph, side: float, rim: float = 0.0, rim_color: RGB = (0, 0, 0)) -> Layer:
    """Draw a glyph in the centre of a layer.

    Args:
        glyph: the glyph.
        side: side length of the unit cell in pixels.
        rim: width of a rim around the whole glyph in pixels; 0 for none.
        rim_color: colour of the rim.
    """
    size = math.ceil(side) + 2 * math.ceil(rim)
    places = ((np.arange(size * SAMPLES) + 0.5) / SAMPLES - size / 2) / side + 0.5
    x, y = places[np.newaxis, :], places[:, np.newaxis]
    covered = np.zeros((size * SAMPLES, size * SAMPLES), dtype=bool)
    color = np.zeros((size * SAMPLES, size * SAMPLES, 3), dtype=np.int32)
    if rim:
        for shape in glyph.shapes:
            covered |= _inside(shape, x, y, rim / side)
        color[covered] = rim_color
    for shape in glyph.shapes:
        inside = _inside(shape, x, y, 0.0)
        color[inside] = to_rgb(shape.color, PALETTE)
        covered |= inside
    return Layer(count_samples(covered).astype(np.int16), count_samples(color).astype(np.int16))


def _inside(shape: Shape, x: Samples, y: Samples, grown: float) -> Mask:
    """Return a mask of the samples inside a shape enlarged by a distance on all sides."""
    match shape:
        case Rectangle():
            left, right, top, bottom = shape.left - grown, shape.right + grown, shape.top - grown, shape.bottom + grown
            return (left <= x) & (x <= right) & (top <= y) & (y <= bottom)
        case Circle():
            return (x - shape.x) ** 2 + (y - shape.y) ** 2 <= (shape.radius + grown) ** 2
        case Line():
            return _near((shape.x0, shape.y0), (shape.x1, shape.y1), x, y, shape.radius + grown)
        case Polygon():
            return _inside_convex(shape.points, x, y, grown)


def _near(start: tuple[float, float], end: tuple[float, float], x: Samples, y: Samples, distance: float) -> Mask:
    """Return a mask of the samples within a distance of a line segment."""
    dx, dy = end[0] - start[0], end[1] - start[1]
    length = dx * dx + dy * dy
    along = np.clip(((x - start[0]) * dx + (y - start[1]) * dy) / length, 0, 1) if length else 0.0
    return (x - start[0] - along * dx) ** 2 + (y - start[1] - along * dy) ** 2 <= distance * distance


def _inside_convex(points: tuple[tuple[float, float], ...], x: Samples, y: Samples, grown: float) -> Mask:
    edges = list(pairwise([*points, points[0]]))
    sides = [(x1 - x0) * (y - y0) - (y1 - y0) * (x - x0) for (x0, y0), (x1, y1) in edges]
    inside: Mask = np.all([side >= 0 for side in sides], axis=0) | np.all([side <= 0 for side in sides], axis=0)
    if grown:
        inside |= np.logical_or.reduce([_near(start, end, x, y, grown) for start, end in edges])
    return inside


def lay_over(color: NDArray[np.int32], share: NDArray[np.int32], layer: Layer, left: int, top: int) -> None:
    """Blend a layer over part of a picture, in place, cropped to the picture.

    Args:
        color: RGB times share; shape (height, width, 3).
        share: share of each pixel that belongs to the part, 0 to 16; shape (height, width).
        layer: the layer.
        left: the column of the layer's first pixel.
        top: its row.
    """
    height, width = share.shape
    rows = slice(max(top, 0), min(top + layer.size, height))
    columns = slice(max(left, 0), min(left + layer.size, width))
    if rows.start >= rows.stop or columns.start >= columns.stop:
        return
    part = (slice(rows.start - top, rows.stop - top), slice(columns.start - left, columns.stop - left))
    below = color[rows, columns] * (WHOLE - layer.share[part])[..., np.newaxis]
    above = layer.color[part] * share[rows, columns][..., np.newaxis]
    color[rows, columns] = (below + above + WHOLE // 2) // WHOLE


TIP, LEFT, NOTCH, RIGHT = (0.5, 0.0), (-0.42, -0.38), (-0.22, 0.0), (-0.42, 0.38)
"""Corners of an arrow that points right, relative to its centre, as fractions of its length."""
ARROW, SHORTEST_ARROW = 1.7, 0.62
"""Length of the arrow as a fraction of its cell's radius, and minimum as a fraction of the lattice spacing."""
ARROW_RIM = 0.07
"""Width of the arrow's rim, as a fraction of its length."""


class ArrowPlace(NamedTuple):
    """Centre of the arrow on a cell, and its length, in pixels."""

    x: float
    y: float
    length: float


def arrow_place(placed: PlacedCell, spacing: float) -> ArrowPlace:
    """Place the arrow on a cell of a picture with some distance between the columns of the lattice."""
    shape, box = placed.shape, placed.box
    x, y = shape.centre
    return ArrowPlace(box.left + x, box.top + y, max(ARROW * shape.inner_radius, SHORTEST_ARROW * spacing))


@bounded(lambda layer, *_: layer.nbytes)
def draw_arrow(heading: int, heading_count: int, length: float, colors: Colors) -> Layer:
    """Draw an arrow that points in a heading; `length` is in pixels."""
    tip, left, notch, right = (
        _turned(corner, 2 * math.pi * heading / heading_count) for corner in (TIP, LEFT, NOTCH, RIGHT)
    )
    glyph = Glyph((Polygon((tip, left, notch), colors.agent), Polygon((tip, notch, right), colors.agent)))
    return draw_glyph(glyph, length, ARROW_RIM * length, colors.agent_rim)


def _turned(corner: tuple[float, float], angle: float) -> tuple[float, float]:
    x, y = corner
    cos, sin = math.cos(angle), math.sin(angle)
    return round(0.5 + x * cos - y * sin, 9), round(0.5 + x * sin + y * cos, 9)


def corner_of(layer: Layer, x: float, y: float) -> tuple[int, int]:
    """Return the top left corner of a layer centred at (x, y), across and down, in pixels."""
    return round(x - layer.size / 2), round(y - layer.size / 2)


def paint_over(picture: Picture, layer: Layer, left: int, top: int) -> None:
    """Blend a layer over a finished picture, in place, with its corner at (left, top), cropped to the picture."""
    height, width, _ = picture.shape
    rows, columns = _within(top, layer.size, height), _within(left, layer.size, width)
    part = (slice(rows.start - top, rows.stop - top), slice(columns.start - left, columns.stop - left))
    below = picture[rows, columns] * (WHOLE - layer.share[part])[..., np.newaxis]
    picture[rows, columns] = rounded(below + layer.color[part])


def _within(start: int, length: int, whole: int) -> slice:
    """Clip a range to ``0 <= i < whole``; the result may be empty."""
    first = min(max(start, 0), whole)
    return slice(first, max(first, min(start + length, whole)))


HELD, HELD_RIM = 0.8, 0.03
"""Size of the held object and of its rim, as fractions of its frame."""


@bounded(lambda picture, *_: BYTES_PER_GLYPH + picture.nbytes)
def draw_hand(frame: Box, glyph: Glyph, colors: Colors) -> Picture:
    """Draw a glyph in the frame of the held object; read-only."""
    x, y, width = frame.left + frame.width / 2, frame.top + frame.height / 2, frame.width
    picture = np.zeros((frame.height, width, 3), dtype=np.uint8)
    # The ground of the frame stands out from the wall below.
    ground = Glyph((Rectangle(0, 0, 1, 1, HALO), Rectangle(0.06, 0.06, 0.94, 0.94, colors.floor)))
    for layer in (draw_glyph(ground, width), draw_glyph(glyph, HELD * width, HELD_RIM * width, HALO)):
        left, top = corner_of(layer, x, y)
        paint_over(picture, layer, left - frame.left, top - frame.top)
    picture.flags.writeable = False
    return picture
