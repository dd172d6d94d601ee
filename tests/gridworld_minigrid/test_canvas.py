"""A canvas keeps a picture and draws single cells into it."""

import copy
import pickle
from collections.abc import Callable

import numpy as np
import pytest

from gridworld_minigrid.grid_pictures import Canvas


def tile(value: int, size: int = 4) -> np.ndarray:
    return np.full((size, size, 3), value, dtype=np.uint8)


def test_a_new_canvas_is_black_and_as_wide_and_high_as_its_cells() -> None:
    picture = Canvas(width=3, height=2, tile_size=4).copy()
    assert (picture.shape, picture.dtype) == ((8, 12, 3), np.uint8)
    assert not picture.any()


def test_a_tile_is_drawn_in_its_cell_and_nowhere_else() -> None:
    canvas = Canvas(width=3, height=2, tile_size=4)
    canvas.draw([(4, tile(7))])
    picture = canvas.copy()
    assert (picture[4:8, 4:8] == 7).all()
    picture[4:8, 4:8] = 0
    assert not picture.any()


def test_what_was_drawn_stays_until_it_is_drawn_over() -> None:
    canvas = Canvas(width=2, height=1, tile_size=4)
    canvas.draw([(0, tile(1)), (1, tile(2))])
    canvas.draw([(1, tile(3))])
    assert [int(canvas.copy()[0, x, 0]) for x in (0, 4)] == [1, 3]


def test_of_two_tiles_for_one_cell_the_last_is_seen() -> None:
    canvas = Canvas(width=1, height=1, tile_size=4)
    first, second = tile(1), tile(2)
    canvas.draw([(0, first), (0, second), (0, first)])
    assert (canvas.copy() == 1).all()


def test_a_copy_is_the_callers_own() -> None:
    canvas = Canvas(width=1, height=1, tile_size=4)
    canvas.draw([(0, tile(9))])
    canvas.copy()[:] = 0
    assert (canvas.copy() == 9).all()


def test_later_drawing_leaves_earlier_copies_alone() -> None:
    canvas = Canvas(width=1, height=1, tile_size=4)
    before = canvas.copy()
    canvas.draw([(0, tile(9))])
    assert not before.any()


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda canvas: pickle.loads(pickle.dumps(canvas))])
def test_a_copy_of_a_canvas_shows_the_same_and_is_drawn_into_by_itself(copied: Callable[[Canvas], Canvas]) -> None:
    canvas = Canvas(width=2, height=1, tile_size=4)
    canvas.draw([(1, tile(9))])
    other = copied(canvas)
    assert (other.pixels == canvas.pixels).all()
    other.draw([(0, tile(3)), (1, tile(4))])
    assert [int(each.pixels[0, x, 0]) for each in (canvas, other) for x in (0, 4)] == [0, 9, 3, 4]
