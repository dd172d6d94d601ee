"""Painting of glyphs exactly as MiniGrid does, sample by sample, and of MiniGrid's own objects as glyphs.

MiniGrid tests each point separately, which takes a tenth of a second for one triangle on a tile. Here points far from
every edge, the great majority, are decided together; near an edge, where rounding matters, MiniGrid's own test decides.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any

import attrs
import numpy as np
from minigrid.core.constants import COLORS
from minigrid.core.world_object import Door, Goal, Key, Lava, Wall, WorldObj
from minigrid.utils.rendering import point_in_circle, point_in_line, point_in_rect, point_in_triangle, rotate_fn

from gridworld.drawing.contrast import lightened
from gridworld.drawing.glyphs import RGB, Circle, Glyph, Line, Polygon, Rectangle, Shape, in_palette
from gridworld.drawing.signs import PLATE
from gridworld.support.caches import bounded
from gridworld.task.colors import COLORS as COLOR_VALUES

BLACK: RGB = (0, 0, 0)
ORANGE: RGB = (255, 128, 0)
GRID_LINE: RGB = (100, 100, 100)
PALETTE: dict[str, RGB] = {name: lightened(color, PLATE) for name, color in COLOR_VALUES.items()}
"""The six colours of glyphs: MiniGrid's, lightened to stand out on dark plates and floor."""
UNCOLORED: RGB = (0, 0, 0)
BYTES_PER_SHAPE = 512
"""Memory of a shape, and of an array without its pixels, in bytes."""
FLOOR = Glyph((Rectangle(0, 0, 0.031, 1, GRID_LINE), Rectangle(0, 0, 1, 0.031, GRID_LINE)))
"""An empty cell, on a black background."""


def native_glyph(thing: WorldObj) -> Glyph | None:
    """Return the glyph of one of MiniGrid's own objects, or None if it is not in `NATIVE_SHAPES`."""
    shapes = NATIVE_SHAPES.get(type(thing))
    return None if shapes is None else Glyph(tuple(shapes(thing)))


def _color(thing: WorldObj, brightness: float = 1.0) -> RGB:
    red, green, blue = (int(brightness * part) for part in COLORS[thing.color])
    return red, green, blue


def _square(margin: float, color: RGB) -> Rectangle:
    return Rectangle(margin, margin, 1 - margin, 1 - margin, color)


def _full(thing: WorldObj) -> Iterator[Shape]:
    yield _square(0, _color(thing))


def _lava(thing: WorldObj) -> Iterator[Shape]:
    yield _square(0, ORANGE)
    for wave in range(3):
        low, high = 0.3 + 0.2 * wave, 0.4 + 0.2 * wave
        points = ((0.1, low), (0.3, high), (0.5, low), (0.7, high), (0.9, low))
        for (x0, y0), (x1, y1) in pairwise(points):
            yield Line(x0, y0, x1, y1, 0.03, BLACK)


def _door(thing: Any) -> Iterator[Shape]:
    color = _color(thing)
    if thing.is_open:
        yield Rectangle(0.88, 0, 1, 1, color)
        yield Rectangle(0.92, 0.04, 0.96, 0.96, BLACK)
    elif thing.is_locked:
        yield _square(0, color)
        yield _square(0.06, _color(thing, 0.45))
        yield Rectangle(0.52, 0.5, 0.75, 0.56, color)
    else:
        for margin, shade in ((0, color), (0.04, BLACK), (0.08, color), (0.12, BLACK)):
            yield _square(margin, shade)
        yield Circle(0.75, 0.5, 0.08, color)


def _key(thing: WorldObj) -> Iterator[Shape]:
    color = _color(thing)
    yield Rectangle(0.5, 0.31, 0.63, 0.88, color)
    yield Rectangle(0.38, 0.59, 0.5, 0.66, color)
    yield Rectangle(0.38, 0.81, 0.5, 0.88, color)
    yield Circle(0.56, 0.28, 0.19, color)
    yield Circle(0.56, 0.28, 0.064, BLACK)


NATIVE_SHAPES: dict[type[WorldObj], Callable[[Any], Iterator[Shape]]] = {
    Door: _door,
    Goal: _full,
    Key: _key,
    Lava: _lava,
    Wall: _full,
}
"""Shapes drawn by the ``render`` method of MiniGrid's types."""


InsideTest = Callable[[float, float], bool]
Corner = tuple[float, float]
"""Coordinates (x, y) in a tile of side 1."""

EDGE = 1e-3
"""Distance from an edge within which MiniGrid's own test decides; thousands of times the error of single precision."""
SLIVER = 1e-3
"""Squared sine of a triangle's angle below which MiniGrid's own test decides all points."""


class Samples:
    """Sample points of an image of one cell with sides of length 1.

    Each method returns a mask of the samples inside a shape; shape (height, width), bool.
    """

    def __init__(self, height: int, width: int) -> None:
        self._x, self._y = np.meshgrid((np.arange(width) + 0.5) / width, (np.arange(height) + 0.5) / height)

    def in_rectangle(self, left: float, right: float, top: float, bottom: float) -> np.ndarray:
        """Return a mask of the samples in an axis-parallel rectangle."""
        x, y = self._x, self._y
        depth = np.minimum(np.minimum(x - left, right - x), np.minimum(y - top, bottom - y))
        return self._decided(depth, point_in_rect(left, right, top, bottom))

    def in_circle(self, x: float, y: float, radius: float) -> np.ndarray:
        """Return a mask of the samples in a disc around (`x`, `y`)."""
        depth = radius - np.hypot(self._x - x, self._y - y)
        return self._decided(depth, point_in_circle(x, y, radius))

    def in_line(self, start: Corner, end: Corner, radius: float) -> np.ndarray:
        """Return a mask of the samples at most `radius` from a line segment."""
        (x0, y0), (x1, y1) = start, end
        dx, dy = x1 - x0, y1 - y0
        length = math.hypot(dx, dy)
        inside = point_in_line(x0, y0, x1, y1, radius)
        if length < EDGE:
            return self._decided(np.zeros_like(self._x), inside)
        along = np.clip(((self._x - x0) * dx + (self._y - y0) * dy) / length**2, 0, 1)
        depth = radius - np.hypot(self._x - x0 - along * dx, self._y - y0 - along * dy)
        return self._decided(depth, inside)

    def in_triangle(self, a: Corner, b: Corner, c: Corner) -> np.ndarray:
        """Return a mask of the samples in a triangle."""
        return self._between(self._x, self._y, (a, b, c), point_in_triangle(a, b, c))

    def in_turned_triangle(self, a: Corner, b: Corner, c: Corner, turn: float) -> np.ndarray:
        """Return a mask of the samples in a triangle rotated clockwise by `turn` radians around the cell's centre."""
        right, down, cos, sin = self._x - 0.5, self._y - 0.5, math.cos(turn), math.sin(turn)
        inside = rotate_fn(point_in_triangle(a, b, c), 0.5, 0.5, turn)
        return self._between(0.5 + right * cos + down * sin, 0.5 + down * cos - right * sin, (a, b, c), inside)

    def _between(
        self, x: np.ndarray, y: np.ndarray, corners: tuple[Corner, Corner, Corner], inside: InsideTest
    ) -> np.ndarray:
        (ax, ay), b, c = corners
        (bx, by), (cx, cy) = (b[0] - ax, b[1] - ay), (c[0] - ax, c[1] - ay)
        area = bx * cy - by * cx
        if area**2 <= SLIVER * (bx**2 + by**2) * (cx**2 + cy**2):
            return self._decided(np.zeros_like(x), inside)
        right, down = x - ax, y - ay
        along_b, along_c = (right * cy - down * cx) / area, (down * bx - right * by) / area
        return self._decided(np.minimum(np.minimum(along_b, along_c), 1 - along_b - along_c), inside)

    def _decided(self, depth: np.ndarray, inside: InsideTest) -> np.ndarray:
        """Return a mask of the samples inside, from their depth (negative outside) and the exact test near the edge."""
        taken = depth > 0
        for place in zip(*np.nonzero(np.abs(depth) < EDGE), strict=True):
            taken[place] = inside(self._x[place], self._y[place])
        return taken


def render(thing: WorldObj, image: np.ndarray) -> None:
    """Draw an object onto an image of one cell, in place, exactly as its own ``render`` would."""
    glyph = native_glyph(thing)
    if glyph is None:
        thing.render(image)
    else:
        paint(image, glyph)


def paint(image: np.ndarray, glyph: Glyph) -> None:
    """Draw a glyph onto an image of one cell, shape (height, width, 3), in place."""
    height, width, _ = image.shape
    for shape in in_palette(glyph, PALETTE).shapes:
        image[_covered(attrs.evolve(shape, color=UNCOLORED), height, width)] = shape.color


@bounded(lambda pixels, *_: BYTES_PER_SHAPE + pixels.nbytes)
def _covered(shape: Shape, height: int, width: int) -> np.ndarray:
    """Return a mask of the samples covered by a shape."""
    samples = Samples(height, width)
    pixels: np.ndarray = np.logical_or.reduce(_parts(shape, samples))
    pixels.flags.writeable = False
    return pixels


def _parts(shape: Shape, samples: Samples) -> list[np.ndarray]:
    match shape:
        case Rectangle():
            return [samples.in_rectangle(shape.left, shape.right, shape.top, shape.bottom)]
        case Circle():
            return [samples.in_circle(shape.x, shape.y, shape.radius)]
        case Line():
            return [samples.in_line((shape.x0, shape.y0), (shape.x1, shape.y1), shape.radius)]
        case Polygon():
            first, *rest = shape.points
            return [samples.in_triangle(first, left, right) for left, right in pairwise(rest)]
