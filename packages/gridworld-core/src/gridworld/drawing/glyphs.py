"""Shapes with which mechanisms describe their appearance independently of renderers.

Coordinates are fractions of the cell: (0, 0) is the cell's top left corner and (1, 1) its bottom right one. Shapes are
painted in order, later ones over earlier ones. A colour is either an RGB tuple, identical in every picture, or a named
colour: each renderer has its own RGB for the six standard names, and lightens others until they stand out on dark
backgrounds.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

import attrs

from gridworld.drawing.contrast import DARK, lightened
from gridworld.support.checks import named_fields
from gridworld.task.colors import RGB, parse_any_color, rgb_of
from gridworld.task.meanings import DIRECTION_WORDS

__all__ = ["RGB", "Circle", "Color", "Glyph", "Line", "Polygon", "Rectangle", "Shape", "Tint", "in_palette", "to_rgb"]


@attrs.frozen
class Tint:
    """A named colour, darker where `brightness` is less than 1."""

    name: str = attrs.field(converter=parse_any_color)
    brightness: float = 1.0

    def rgb(self, palette: Mapping[str, RGB]) -> RGB:
        """Return the colour's RGB, scaled by brightness and rounded down.

        A name missing from the palette has its CSS RGB, lightened for dark backgrounds.
        """
        red, green, blue = palette.get(self.name) or _on_dark(self.name)
        return (int(self.brightness * red), int(self.brightness * green), int(self.brightness * blue))


@lru_cache(maxsize=1024)
def _on_dark(name: str) -> RGB:
    """Return the RGB of a CSS colour, lightened to be visible on plates and on MiniGrid's black floor."""
    return lightened(rgb_of(name), DARK)


Color = RGB | Tint
"""A fixed RGB or a named colour."""


def _to_color(color: str | Color) -> Color:
    return Tint(color) if isinstance(color, str) else color


@named_fields
@attrs.frozen
class Rectangle:
    """A filled, axis-parallel rectangle from (`left`, `top`) to (`right`, `bottom`)."""

    left: float
    top: float
    right: float
    bottom: float
    color: Color = attrs.field(converter=_to_color)

    def in_square(self, start: float, side: float) -> Rectangle:
        """Return the shape scaled to a square of side `side` with its corner at (`start`, `start`)."""
        left, top, right, bottom = (start + side * place for place in (self.left, self.top, self.right, self.bottom))
        return Rectangle(left, top, right, bottom, self.color)


@named_fields
@attrs.frozen
class Circle:
    """A filled disc around (`x`, `y`)."""

    x: float
    y: float
    radius: float
    color: Color = attrs.field(converter=_to_color)

    def in_square(self, start: float, side: float) -> Circle:
        """Return the shape scaled to a square of side `side` with its corner at (`start`, `start`)."""
        return Circle(start + side * self.x, start + side * self.y, side * self.radius, self.color)


@named_fields
@attrs.frozen
class Line:
    """A straight stroke with round ends; `radius` is half its width."""

    x0: float
    y0: float
    x1: float
    y1: float
    radius: float
    color: Color = attrs.field(converter=_to_color)

    def in_square(self, start: float, side: float) -> Line:
        """Return the shape scaled to a square of side `side` with its corner at (`start`, `start`)."""
        x0, y0, x1, y1 = (start + side * place for place in (self.x0, self.y0, self.x1, self.y1))
        return Line(x0, y0, x1, y1, side * self.radius, self.color)


@named_fields
@attrs.frozen
class Polygon:
    """A filled convex polygon."""

    points: tuple[tuple[float, float], ...]
    color: Color = attrs.field(converter=_to_color)

    def in_square(self, start: float, side: float) -> Polygon:
        """Return the shape scaled to a square of side `side` with its corner at (`start`, `start`)."""
        return Polygon(tuple((start + side * x, start + side * y) for x, y in self.points), self.color)


Shape = Rectangle | Circle | Line | Polygon
"""Union of the shape types of glyphs."""


@attrs.frozen(cache_hash=True)
class Glyph:
    """The appearance of an entity: shapes from back to front."""

    shapes: tuple[Shape, ...]

    def in_square(self, start: float, side: float) -> Glyph:
        """Return the shape scaled to a square of side `side` with its corner at (`start`, `start`)."""
        return Glyph(tuple(shape.in_square(start, side) for shape in self.shapes))

    def pointing(self, direction: int | str) -> Glyph:
        """Rotate a glyph that points right about the centre of its cell.

        Args:
            direction: 0 right, 1 down, 2 left or 3 up, or the word.
        """
        quarters = DIRECTION_WORDS.index(direction) if isinstance(direction, str) else direction
        shapes = self.shapes
        for _ in range(quarters):
            shapes = tuple(map(_turned, shapes))
        return Glyph(shapes)


def _turned(shape: Shape) -> Shape:
    """Rotate a shape clockwise by a quarter turn."""
    if isinstance(shape, Rectangle):
        return Rectangle(1 - shape.bottom, shape.left, 1 - shape.top, shape.right, shape.color)
    if isinstance(shape, Circle):
        return Circle(1 - shape.y, shape.x, shape.radius, shape.color)
    if isinstance(shape, Line):
        return Line(1 - shape.y0, shape.x0, 1 - shape.y1, shape.x1, shape.radius, shape.color)
    return Polygon(tuple((1 - y, x) for x, y in shape.points), shape.color)


def to_rgb(color: Color, palette: Mapping[str, RGB]) -> RGB:
    """Return the RGB of a colour in a palette."""
    return color.rgb(palette) if isinstance(color, Tint) else color


def in_palette(glyph: Glyph, palette: Mapping[str, RGB]) -> Glyph:
    """Replace all colours of a glyph with their RGB."""
    return Glyph(tuple(attrs.evolve(shape, color=to_rgb(shape.color, palette)) for shape in glyph.shapes))
