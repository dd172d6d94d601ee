"""A small vocabulary of shapes, so that a mechanism can say how it looks without knowing any renderer.

Coordinates are fractions of the cell: (0, 0) is its top left corner and (1, 1) its bottom right one.
Shapes are painted in order, later ones over earlier ones.
"""

import attrs

from gridworld.colors import COLORS

__all__ = ["Circle", "Glyph", "Line", "Polygon", "Rectangle", "Shape"]

RGB = tuple[int, int, int]


def _rgb(color: str | RGB) -> RGB:
    return COLORS[color] if isinstance(color, str) else color


@attrs.frozen
class Rectangle:
    """A filled, axis-parallel rectangle from (`left`, `top`) to (`right`, `bottom`)."""

    left: float
    top: float
    right: float
    bottom: float
    color: RGB = attrs.field(converter=_rgb)


@attrs.frozen
class Circle:
    """A filled disc around (`x`, `y`)."""

    x: float
    y: float
    radius: float
    color: RGB = attrs.field(converter=_rgb)


@attrs.frozen
class Line:
    """A straight stroke with half-width `radius` and round ends."""

    x0: float
    y0: float
    x1: float
    y1: float
    radius: float
    color: RGB = attrs.field(converter=_rgb)


@attrs.frozen
class Polygon:
    """A filled convex polygon."""

    points: tuple[tuple[float, float], ...]
    color: RGB = attrs.field(converter=_rgb)


Shape = Rectangle | Circle | Line | Polygon


@attrs.frozen
class Glyph:
    """The look of one thing: its shapes, back to front."""

    shapes: tuple[Shape, ...]
