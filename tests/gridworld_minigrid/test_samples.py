"""All samples of an image at once are decided as MiniGrid decides them one by one."""

import math
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from minigrid.utils.rendering import (
    fill_coords,
    point_in_circle,
    point_in_line,
    point_in_rect,
    point_in_triangle,
    rotate_fn,
)

from gridworld_minigrid.painting import Corner, Samples

SIDE = 24
coordinates = st.floats(-0.2, 1.2) | st.integers(0, 2 * SIDE).map(lambda half: half / (2 * SIDE))
"""Anywhere on a cell or beside it, and on the samples themselves."""
lengths = st.floats(0, 0.7) | st.integers(0, SIDE).map(lambda half: half / (2 * SIDE))
corners = st.tuples(coordinates, coordinates)


def by_minigrid(inside: Callable[[float, float], bool]) -> np.ndarray:
    taken: np.ndarray = fill_coords(np.zeros((SIDE, SIDE), dtype=np.bool_), inside, True)
    return taken


@given(coordinates, coordinates, coordinates, coordinates)
def test_rectangles(left: float, right: float, top: float, bottom: float) -> None:
    found = Samples(SIDE, SIDE).in_rectangle(left, right, top, bottom)
    np.testing.assert_array_equal(found, by_minigrid(point_in_rect(left, right, top, bottom)))


@given(coordinates, coordinates, lengths)
def test_circles(x: float, y: float, radius: float) -> None:
    found = Samples(SIDE, SIDE).in_circle(x, y, radius)
    np.testing.assert_array_equal(found, by_minigrid(point_in_circle(x, y, radius)))


@pytest.mark.filterwarnings("ignore:invalid value")  # as MiniGrid warns of a stroke without length
@example((0.5, 0.5), (0.5, 0.5), 0.2)
@example((0.5, 0.5), (0.5, 0.500000001), 0.2)  # of no length in single precision
@given(corners, corners, lengths)
def test_strokes(start: Corner, end: Corner, radius: float) -> None:
    found = Samples(SIDE, SIDE).in_line(start, end, radius)
    np.testing.assert_array_equal(found, by_minigrid(point_in_line(*start, *end, radius)))


@pytest.mark.filterwarnings("ignore:divide by zero", "ignore:invalid value")  # of a triangle without area too
@example((0.1, 0.1), (0.9, 0.9), (0.5, 0.5))
@example((0.0, 0.0), (0.0, 0.0), (1.0, 1.0))
@example((0.1, 0.1), (0.4, 0.4), (1.0, 1.0000003))  # so thin that single precision decides
@given(corners, corners, corners)
def test_triangles(a: Corner, b: Corner, c: Corner) -> None:
    found = Samples(SIDE, SIDE).in_triangle(a, b, c)
    np.testing.assert_array_equal(found, by_minigrid(point_in_triangle(a, b, c)))


@pytest.mark.filterwarnings("ignore:divide by zero", "ignore:invalid value")
@given(corners, corners, corners, st.integers(0, 3).map(lambda quarters: quarters * math.pi / 2) | st.floats(0, 6.3))
def test_turned_triangles(a: Corner, b: Corner, c: Corner, turn: float) -> None:
    found = Samples(SIDE, SIDE).in_turned_triangle(a, b, c, turn)
    np.testing.assert_array_equal(found, by_minigrid(rotate_fn(point_in_triangle(a, b, c), 0.5, 0.5, turn)))


def test_an_image_need_not_be_square() -> None:
    found = Samples(4, 10).in_rectangle(0, 0.5, 0, 0.25)
    np.testing.assert_array_equal(np.argwhere(found), [(0, x) for x in range(5)])
