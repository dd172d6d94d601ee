"""A frame around pictures of one size: a margin that fills them up to an exact size, with the numbers of the lattice.

A renderer reserves room for the numbers (`reserve`), draws as large as fits into the rest, and puts each picture into
the same frame, which is drawn once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import attrs
import numpy as np
from numpy.typing import NDArray

from gridworld.drawing.glyphs import RGB, Glyph
from gridworld.drawing.signs import ADVANCE, written

__all__ = ["Frame", "Reserve", "make_frame", "no_reserve", "reserve"]

Picture = NDArray[np.uint8]
DrawGlyph = Callable[[Glyph, int], Picture]
"""Draws a glyph on the ground of the margin, in a square of so many pixels: shape (side, side, 3)."""

HEIGHT = 0.5
"""Of the numbers, as a part of the spacing of the lattice ..."""
LEAST_HEIGHT, MOST_HEIGHT = 9, 18
"""... but at least and at most so many pixels."""
GAP = 3
"""Pixels between the numbers and what is beside them."""
EVERY = (1, 2, 5, 10, 20, 50, 100)
"""Where there is no room for all numbers, every so many."""


@attrs.frozen
class Reserve:
    """Room for the numbers of the lattice."""

    height: int
    """Of the numbers, in pixels; 0 for no numbers."""
    left: int
    """The width of the margin on the left, in pixels."""
    top: int
    """The height of the margin above."""


def no_reserve() -> Reserve:
    """Room for no numbers."""
    return Reserve(0, 0, 0)


def reserve(columns: int, rows: int, spacing: float) -> Reserve:
    """Room for the numbers of a lattice, of which cells are about so many pixels wide."""
    height = min(max(round(HEIGHT * spacing), LEAST_HEIGHT), MOST_HEIGHT)
    return Reserve(height, _width(str(rows - 1), height) + 2 * GAP, height + 2 * GAP)


def _width(text: str, height: int) -> int:
    return round(ADVANCE * height * len(text))


@attrs.frozen(eq=False)
class Frame:
    """Puts pictures of one size into a frame."""

    _ground: Picture
    left: int
    """Where pictures lie in it, in pixels."""
    top: int

    def around(self, picture: Picture) -> Picture:
        """A picture in the frame; the caller's own. Shape (height, width, 3)."""
        framed = self._ground.copy()
        height, width, _ = picture.shape
        framed[self.top : self.top + height, self.left : self.left + width] = picture
        return framed


def make_frame(
    size: tuple[int, int],
    longest: int | None,
    room: Reserve,
    columns: Sequence[float],
    rows: Sequence[float],
    ground: RGB,
    ink: RGB,
    draw: DrawGlyph,
) -> Frame:
    """The frame for pictures.

    Args:
        size: width and height of the pictures in pixels.
        longest: the longest side of what they become; None for no longer than they need be.
        room: what is reserved for numbers.
        columns: where the middle of each column of the lattice is in the pictures, in pixels from the left.
        rows: likewise, from the top.
        ground: the colour of the frame.
        ink: that of the numbers.
        draw: draws a glyph.
    """
    width, height = room.left + size[0], room.top + size[1]
    slack = 0 if longest is None else longest - max(width, height)
    left, top = room.left + slack // 2, room.top + slack // 2
    picture = np.full((height + slack, width + slack, 3), ground, dtype=np.uint8)
    if room.height:
        for text, x in _told(columns, [_width(str(number), room.height) for number in range(len(columns))]):
            _write(picture, text, left + x, top - GAP - room.height / 2, room.height, ink, draw)
        for text, y in _told(rows, [room.height] * len(rows)):
            middle = left - GAP - _width(text, room.height) / 2
            _write(picture, text, middle, top + y, room.height, ink, draw)
    return Frame(picture, left, top)


def _told(places: Sequence[float], extents: Sequence[int]) -> Iterator[tuple[str, float]]:
    """The numbers for which there is room, each with its place."""
    spacing = (places[-1] - places[0]) / (len(places) - 1)
    every = next((each for each in EVERY if each * spacing >= max(extents) + GAP), EVERY[-1])
    return ((str(number), places[number]) for number in range(0, len(places), every))


def _write(picture: Picture, text: str, x: float, y: float, height: int, ink: RGB, draw: DrawGlyph) -> None:
    """Write a text onto a frame, in place, its middle at (x, y) in pixels; what reaches beyond is cut off."""
    side = max(height, _width(text, height))
    tile = draw(Glyph(written(text, 0.5, 0.5, height / side, ink)), side)
    rows, part_rows = _within(round(y - side / 2) + (side - height) // 2, height, picture.shape[0])
    columns, part_columns = _within(round(x - side / 2), side, picture.shape[1])
    cut = tile[(side - height) // 2 : (side - height) // 2 + height]
    picture[rows, columns] = cut[part_rows, part_columns]


def _within(start: int, length: int, whole: int) -> tuple[slice, slice]:
    """A range cut off at both ends of a whole, and which part of it is left."""
    first, end = max(start, 0), min(start + length, whole)
    return slice(first, end), slice(first - start, end - start)
