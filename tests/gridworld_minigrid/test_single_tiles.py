"""The tiles that explain things are those of frames."""

import numpy as np
import pytest

from gridworld.backends.pictures import PictureSettings, PictureStyle
from gridworld.world.looks import look_at
from gridworld_minigrid import MiniGridBackend
from support.worlds import draw_everything


@pytest.mark.parametrize("style", ["own", "contrast"])
def test_a_tile_is_what_a_frame_shows_there(style: PictureStyle) -> None:
    backend, task = MiniGridBackend(), draw_everything()
    backend.set_pictures(PictureSettings(style=style))
    backend.configure(task)
    frame, _, _ = backend.reset()
    world, state = backend.world, backend.episode.state
    met = backend.episode.knowledge.met
    for cell, (x, y) in enumerate(world.topology.lattice):
        heading = state.heading if cell == state.cell else None
        tile = backend.draw_tile(world, look_at(world, state, cell, met), heading)
        assert np.array_equal(tile, frame[32 * y : 32 * (y + 1), 32 * x : 32 * (x + 1)]), (x, y)


def test_unseen_cells_have_a_tile_of_the_same_size() -> None:
    backend = MiniGridBackend(tile_size=16)
    backend.configure(draw_everything())
    assert backend.draw_tile(backend.world, None).shape == (16, 16, 3)
