"""Kept pictures of grids equal those that are drawn afresh; canvases draw single cells."""

from __future__ import annotations

import copy
import pickle
import random
from collections.abc import Callable
from typing import get_args

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gridworld.backends.pictures import PictureStyle
from gridworld.task_spec import TaskSpecification
from gridworld.world import Episode
from gridworld.world.state import NOTHING
from gridworld_minigrid.grid_pictures import Canvas, GridPicture, GridPictureWithHand
from support.worlds import compiled, roaming_action, tasks

TILE = 8


def drawn(kind: type[GridPicture], episode: Episode, style: PictureStyle, lit: frozenset[int]) -> np.ndarray:
    """A picture without history."""
    picture = kind(episode, TILE, style)
    picture.draw(lit)
    return picture.copy()


@given(style=st.sampled_from(get_args(PictureStyle)), task=tasks(), seed=st.integers(0, 10_000))
def test_a_kept_picture_equals_one_drawn_afresh(style: PictureStyle, task: TaskSpecification, seed: int) -> None:
    rng, episode = random.Random(seed), Episode(compiled(task))
    plain, with_hand = GridPicture(episode, TILE, style), GridPictureWithHand(episode, TILE, style)
    episode.reset()
    while not episode.terminated and not episode.truncated:
        in_view = episode.knowledge.visible
        lit = frozenset(rng.sample(sorted(in_view), rng.randrange(len(in_view))))
        for picture in (plain, with_hand):
            picture.draw(lit)
            np.testing.assert_array_equal(picture.pixels, drawn(type(picture), episode, style, lit))
        covered = plain.pixels != with_hand.pixels
        assert covered[:TILE, :TILE].any() == (episode.state.carried != NOTHING)
        assert not covered[TILE:].any()
        assert not covered[:, TILE:].any()
        for _ in range(rng.randint(1, 20)):
            if not episode.terminated and not episode.truncated:
                episode.step(roaming_action(episode.world, episode.state, rng))


def tile(value: int) -> np.ndarray:
    return np.full((4, 4, 3), value, dtype=np.uint8)


def shades(canvas: Canvas) -> list[int]:
    """The values in the corners of the cells of one row."""
    return [int(value) for value in canvas.copy()[0, ::4, 0]]


def test_a_canvas_is_black_except_for_drawn_cells() -> None:
    canvas = Canvas(width=3, height=2, tile_size=4)
    picture = canvas.copy()
    assert (picture.shape, picture.dtype) == ((8, 12, 3), np.uint8)
    assert not picture.any()
    canvas.draw([(4, tile(7))])
    assert not picture.any()
    after = canvas.copy()
    assert (after[4:8, 4:8] == 7).all()
    after[4:8, 4:8] = 0
    assert not after.any()
    assert (canvas.copy()[4:8, 4:8] == 7).all()


def test_a_cell_of_a_canvas_shows_the_last_tile() -> None:
    canvas, first, second = Canvas(width=2, height=1, tile_size=4), tile(1), tile(2)
    canvas.draw([(0, first), (1, second)])
    canvas.draw([(1, tile(3))])
    assert shades(canvas) == [1, 3]
    canvas.draw([(0, first), (0, second), (0, first)])
    assert shades(canvas) == [1, 3]


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda canvas: pickle.loads(pickle.dumps(canvas))])
def test_a_copy_of_a_canvas_is_drawn_by_itself(copied: Callable[[Canvas], Canvas]) -> None:
    canvas = Canvas(width=2, height=1, tile_size=4)
    canvas.draw([(1, tile(9))])
    other = copied(canvas)
    assert (other.pixels == canvas.pixels).all()
    other.draw([(0, tile(3)), (1, tile(4))])
    assert (shades(canvas), shades(other)) == ([0, 9], [3, 4])
