"""Pictures of an exact size, with numbers, and in other styles than MiniGrid's own."""

import random
from typing import get_args

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gridworld.backends.pictures import OWN_PICTURES, PictureSettings, PictureStyle
from gridworld.drawing.contrast import HIGH_CONTRAST
from gridworld.errors import ArgumentError, InvalidTaskError, NotResetError
from gridworld.task_spec import TaskSpecification
from gridworld.testing.walks import roaming_action
from gridworld_minigrid import MiniGridBackend
from support.thoroughness import bounded
from support.twins import with_rules
from support.worlds import corridor, draw_everything, key, tasks

TILE = 16


def begun(task: TaskSpecification, settings: PictureSettings = OWN_PICTURES, **options: int) -> MiniGridBackend:
    """A backend at the start of an episode."""
    backend = MiniGridBackend(**{"tile_size": TILE, **options})
    backend.set_pictures(settings)
    backend.configure(task)
    backend.reset()
    return backend


@pytest.mark.parametrize("coordinates", [False, True])
@pytest.mark.parametrize("size", [64, 99, 224, 500])
def test_the_longest_side_is_exact(size: int, coordinates: bool) -> None:
    backend = begun(draw_everything(), PictureSettings(size=size, coordinates=coordinates))
    assert max(backend.render().shape[:2]) == size


def test_cells_are_whole_pixels_and_the_rest_is_margin() -> None:
    task = draw_everything()
    framed, plain = begun(task, PictureSettings(size=100)).render(), begun(task, tile_size=9).render()
    top, left = ((framed.shape[side] - plain.shape[side]) // 2 for side in (0, 1))
    inside = framed[top : top + plain.shape[0], left : left + plain.shape[1]]
    np.testing.assert_array_equal(inside, plain)
    assert framed.sum() == plain.sum()


def test_numbers_stand_in_a_margin_around_the_same_picture() -> None:
    task = draw_everything()
    numbered, plain = begun(task, PictureSettings(coordinates=True)).render(), begun(task).render()
    top, left = (numbered.shape[side] - plain.shape[side] for side in (0, 1))
    np.testing.assert_array_equal(numbered[top:, left:], plain)
    columns, rows = task.maze.dimensions
    for row in range(rows):
        assert numbered[top + row * TILE : top + (row + 1) * TILE, :left].any()
    assert sum(bool(numbered[:top, left + x * TILE : left + (x + 1) * TILE].any()) for x in range(columns)) >= 5


def test_numbers_keep_to_the_largest_side() -> None:
    backend = begun(draw_everything(), PictureSettings(coordinates=True), tile_size=64, max_side=200)
    assert max(backend.render().shape[:2]) <= 200


def test_more_cells_than_pixels_are_refused() -> None:
    backend = begun(corridor("@.G"), PictureSettings(size=64))
    former = backend.render()
    with pytest.raises(InvalidTaskError, match=r"maze\.dimensions: 72 x 3 cells do not fit into pictures of 64 pixels"):
        backend.configure(corridor("@" + 68 * "." + "G"))
    np.testing.assert_array_equal(backend.render(), former)


def test_a_size_beyond_the_largest_side_is_refused() -> None:
    with pytest.raises(ArgumentError, match="image_size: 300 pixels are more than the backend's max_side, 200"):
        MiniGridBackend(max_side=200).set_pictures(PictureSettings(size=300))


def test_other_pictures_are_drawn_from_the_next_configuration_on() -> None:
    task = corridor("@.G")
    backend = begun(task)
    backend.set_pictures(OWN_PICTURES)
    backend.render()
    backend.set_pictures(PictureSettings(size=100))
    with pytest.raises(NotResetError):
        backend.render()
    backend.configure(task)
    assert backend.reset()[0].shape[1] == 100


@pytest.mark.parametrize("mode", ["full", "fog_of_war"])
@pytest.mark.parametrize("style", get_args(PictureStyle))
@bounded(5)
@given(task=tasks(max_side=7), seed=st.integers(0, 10_000))
def test_a_kept_picture_is_the_one_drawn_anew(
    mode: str, style: PictureStyle, task: TaskSpecification, seed: int
) -> None:
    settings, rng = PictureSettings(coordinates=True, style=style), random.Random(seed)
    kept = begun(with_rules(task, observability=mode), settings)
    for _ in range(15):
        if kept.world.is_over(kept.episode.state):
            break
        kept.step(int(roaming_action(kept.world, kept.episode.state, rng)))
    anew = begun(kept.world.task, settings)
    anew.restore(kept.snapshot())
    np.testing.assert_array_equal(kept.render(), anew.render())


def test_styles_change_no_symbolic_observation() -> None:
    seen = [begun(draw_everything(), PictureSettings(style=style)).extra_info() for style in get_args(PictureStyle)]
    assert len({each["symbolic"]["image"].tobytes() for each in seen}) == 1


@pytest.mark.parametrize("color", HIGH_CONTRAST)
def test_bright_things_have_bright_colours(color: str) -> None:
    backend = begun(corridor("@kG", k=key(color)), PictureSettings(style="contrast"))
    tile = backend.render()[TILE : 2 * TILE, 2 * TILE : 3 * TILE]
    assert (tile == HIGH_CONTRAST[color]).all(axis=2).any()


def test_held_objects_have_the_picture_style_without_a_letter() -> None:
    def corner(style: PictureStyle) -> np.ndarray:
        backend = begun(corridor("@kG", k=key("red")), PictureSettings(style=style))
        backend.step(3)
        return backend.render()[:TILE, :TILE]

    np.testing.assert_array_equal(corner("letters"), corner("own"))
    assert (corner("contrast") == HIGH_CONTRAST["red"]).all(axis=2).any()
