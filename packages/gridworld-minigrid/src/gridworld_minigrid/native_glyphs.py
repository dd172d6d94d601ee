"""MiniGrid's own things as glyphs, which are drawn sample for sample as it draws them, and many times quicker."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any

from minigrid.core.constants import COLORS
from minigrid.core.world_object import Door, Goal, Key, Lava, Wall, WorldObj

from gridworld.drawing.glyphs import RGB, Circle, Glyph, Line, Rectangle, Shape

__all__ = ["FLOOR", "native_glyph"]

BLACK: RGB = (0, 0, 0)
ORANGE: RGB = (255, 128, 0)
GRID_LINE: RGB = (100, 100, 100)
FLOOR = Glyph((Rectangle(0, 0, 0.031, 1, GRID_LINE), Rectangle(0, 0, 1, 0.031, GRID_LINE)))
"""An empty cell, on black ground."""


def native_glyph(thing: WorldObj) -> Glyph | None:
    """What MiniGrid draws for one of its things; None for a thing that is not among these."""
    shapes = DRAWN.get(type(thing))
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


DRAWN: dict[type[WorldObj], Callable[[Any], Iterator[Shape]]] = {
    Door: _door,
    Goal: _full,
    Key: _key,
    Lava: _lava,
    Wall: _full,
}
"""MiniGrid's types to the shapes that their ``render`` draws."""
