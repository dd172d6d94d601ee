"""A frame that pads pictures to an exact size, with row and column numbers in its margin.

A renderer reserves room for the numbers (`reserve`), draws at the largest size that fits into the rest, and puts each
picture into the same frame, which is drawn once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import attrs
import numpy as np
from numpy.typing import NDArray

from gridworld.drawing.glyphs import RGB, Glyph
from gridworld.drawing.signs import ADVANCE, written

Picture = NDArray[np.uint8]
DrawGlyph = Callable[[Glyph, int], Picture]
"""``(glyph, side) -> picture``: draws a glyph on the margin's colour; shape (side, side, 3)."""

HEIGHT, LEAST_HEIGHT, MOST_HEIGHT = 0.5, 9, 18
"""Height of numbers as a fraction of the lattice spacing, and its limits in pixels."""
GAP = 3
"""Padding on each side of the numbers, in pixels."""
EVERY = (1, 2, 5, 10, 20, 50, 100)
"""Possible intervals between shown numbers; the smallest with enough room is used."""


@attrs.frozen
class Reserve:
    """Space for row and column numbers, in pixels."""

    height: int
    """Height of the numbers; 0 for none."""
    left: int
    """Width of the left margin."""
    top: int
    """Height of the top margin."""


def no_reserve() -> Reserve:
    """Return a `Reserve` of zero size, for pictures without numbers."""
    return Reserve(0, 0, 0)


def reserve(columns: int, rows: int, spacing: float) -> Reserve:
    """Return the space needed by the numbers of a lattice whose cells are about `spacing` pixels wide."""
    height = min(max(round(HEIGHT * spacing), LEAST_HEIGHT), MOST_HEIGHT)
    return Reserve(height, _width(str(rows - 1), height) + 2 * GAP, height + 2 * GAP)


def _width(text: str, height: int) -> int:
    return round(ADVANCE * height * len(text))


@attrs.frozen(eq=False)
class Frame:
    """A frame for pictures of one size."""

    _ground: Picture
    left: int
    """Left edge of pictures in the frame, in pixels."""
    top: int

    def around(self, picture: Picture) -> Picture:
        """Put a picture into a new copy of the frame, shape (height, width, 3)."""
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
    """Make a frame.

    Args:
        size: width and height of the pictures in pixels.
        longest: longest side of the framed pictures; None for no padding.
        room: room for numbers.
        columns: centres of the lattice columns in the pictures, in pixels from the left.
        rows: centres of the lattice rows, in pixels from the top.
        ground: colour of the frame.
        ink: colour of the numbers.
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
    """Yield the numbers that fit, with their positions."""
    spacing = (places[-1] - places[0]) / (len(places) - 1)
    every = next((each for each in EVERY if each * spacing >= max(extents) + GAP), EVERY[-1])
    return ((str(number), places[number]) for number in range(0, len(places), every))


def _write(picture: Picture, text: str, x: float, y: float, height: int, ink: RGB, draw: DrawGlyph) -> None:
    """Write text onto a frame in place, centred at (x, y) in pixels and clipped."""
    side = max(height, _width(text, height))
    tile = draw(Glyph(written(text, 0.5, 0.5, height / side, ink)), side)
    rows, part_rows = _within(round(y - side / 2) + (side - height) // 2, height, picture.shape[0])
    columns, part_columns = _within(round(x - side / 2), side, picture.shape[1])
    cut = tile[(side - height) // 2 : (side - height) // 2 + height]
    picture[rows, columns] = cut[part_rows, part_columns]


def _within(start: int, length: int, whole: int) -> tuple[slice, slice]:
    """Clip a range to ``0 <= i < whole``; return the clipped slice, and the matching slice of the source."""
    first, end = max(start, 0), min(start + length, whole)
    return slice(first, end), slice(first - start, end - start)
