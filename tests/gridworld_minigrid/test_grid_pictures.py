"""A kept picture of a grid is at every moment the one that would be drawn anew, in every style."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gridworld.backends.pictures import PictureStyle
from gridworld.task_spec import TaskSpecification
from gridworld.world import Episode
from gridworld.world.state import NOTHING
from gridworld_minigrid.grid_pictures import GridPicture, GridPictureWithHand
from support.worlds import compiled, roaming_action, tasks

TILE = 8


def drawn(kind: type[GridPicture], episode: Episode, style: PictureStyle, lit: frozenset[int]) -> np.ndarray:
    """A picture that knows of nothing before."""
    picture = kind(episode, TILE, style)
    picture.draw(lit)
    return picture.copy()


@pytest.mark.parametrize("style", ["own", "contrast", "letters"])
@given(task=tasks(), seed=st.integers(0, 10_000))
def test_a_kept_picture_is_the_one_drawn_anew(style: PictureStyle, task: TaskSpecification, seed: int) -> None:
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
