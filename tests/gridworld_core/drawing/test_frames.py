"""Frames around pictures: exact sizes, and numbers of columns and rows where they belong."""

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gridworld.drawing.frames import make_frame, no_reserve, reserve
from gridworld.drawing.glyphs import Glyph

GROUND, INK = (0, 0, 0), (255, 255, 255)


def solid(glyph: Glyph, side: int) -> np.ndarray:
    """Draws every glyph as a full square."""
    return np.full((side, side, 3), INK, dtype=np.uint8)


def middles(count: int, spacing: int) -> list[float]:
    return [(place + 0.5) * spacing for place in range(count)]


@given(st.integers(1, 300), st.integers(1, 300), st.integers(0, 60))
def test_longest_side_is_exact_and_picture_centred(width: int, height: int, more: int) -> None:
    longest = max(width, height) + more
    frame = make_frame((width, height), longest, no_reserve(), [], [], GROUND, INK, solid)
    framed = frame.around(np.full((height, width, 3), 7, dtype=np.uint8))
    assert max(framed.shape[:2]) == longest
    rows, columns = (np.flatnonzero((framed == 7).any(axis=(2, axis))) for axis in (1, 0))
    assert (len(rows), len(columns)) == (height, width)
    for places, extent in ((rows, framed.shape[0]), (columns, framed.shape[1])):
        assert abs(places[0] - (extent - 1 - places[-1])) <= 1


def test_there_are_numbers_at_the_columns_and_rows() -> None:
    columns, rows, spacing = 5, 3, 30
    room = reserve(columns, rows, spacing)
    size = (columns * spacing, rows * spacing)
    frame = make_frame(size, None, room, middles(columns, spacing), middles(rows, spacing), GROUND, INK, solid)
    framed = frame.around(np.zeros((size[1], size[0], 3), dtype=np.uint8))
    assert framed.shape == (room.top + size[1], room.left + size[0], 3)
    above, beside = framed[: room.top, room.left :].any(axis=(0, 2)), framed[room.top :, : room.left].any(axis=(1, 2))
    assert [bool(above[int(x)]) for x in middles(columns, spacing)] == [True] * columns
    assert [bool(above[int(x) + spacing // 2 - 1]) for x in middles(columns, spacing)] == [False] * columns
    assert [bool(beside[int(y)]) for y in middles(rows, spacing)] == [True] * rows
    assert not framed[: room.top, : room.left].any()


@pytest.mark.parametrize(("spacing", "told"), [(30, 1), (12, 2), (5, 5), (3, 10)])
def test_crowded_numbers_are_thinned_out(spacing: int, told: int) -> None:
    drawn: list[Glyph] = []

    def draw(record: Callable[[Glyph], None]) -> Callable[[Glyph, int], np.ndarray]:
        def square(glyph: Glyph, side: int) -> np.ndarray:
            record(glyph)
            return solid(glyph, side)

        return square

    count = 20
    room = reserve(count, 1, spacing)
    frame_of = (count * spacing, spacing)
    make_frame(frame_of, None, room, middles(count, spacing), [0.5, 1.5], GROUND, INK, draw(drawn.append))
    assert len(drawn) - 1 == count // told


def test_frame_is_drawn_once_and_pictures_are_copies() -> None:
    frame = make_frame((4, 4), 10, no_reserve(), [], [], GROUND, INK, solid)
    picture = np.ones((4, 4, 3), dtype=np.uint8)
    first = frame.around(picture)
    first[:] = 9
    assert frame.around(picture).sum() == picture.sum()
