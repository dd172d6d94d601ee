"""Pictures of an exact size, with numbers, and in other styles, on every tiling."""

from typing import get_args

import numpy as np
import pytest

from gridworld.backends.pictures import PictureSettings, PictureStyle
from gridworld.drawing.contrast import HIGH_CONTRAST, LEAST_CONTRAST, contrast
from gridworld.drawing.frames import reserve
from gridworld.errors import ArgumentError
from gridworld_multigrid import MultiGridBackend
from gridworld_multigrid.rendering.layout import lattice_lines, lay_out
from gridworld_multigrid.rendering.palette import CONTRAST, OWN
from gridworld_multigrid.rendering.renderer import Renderer
from support.thoroughness import in_turn
from support.tilings import TILINGS, everything, make_topology, on_all_tilings, start_on

SIZE = (320, 320)


def picture(name: str, settings: PictureSettings) -> np.ndarray:
    backend = MultiGridBackend(tiling=name, image_size=SIZE)
    backend.set_pictures(settings)
    backend.configure(everything())
    observation: np.ndarray = backend.reset()[0]
    return observation


@in_turn("size, coordinates", [64, 99, 400], [False, True])
@on_all_tilings
def test_the_longest_side_is_exact(name: str, size: int, coordinates: bool) -> None:
    assert max(picture(name, PictureSettings(size=size, coordinates=coordinates)).shape[:2]) == size


@on_all_tilings
def test_with_numbers_a_picture_is_no_larger_than_without(name: str) -> None:
    assert max(picture(name, PictureSettings(coordinates=True)).shape[:2]) <= max(SIZE)


@on_all_tilings
def test_numbers_stand_in_a_margin_around_the_same_picture(name: str) -> None:
    """Above and to the left; the picture is the one that is drawn as large alone."""
    numbered, episode = picture(name, PictureSettings(coordinates=True)), start_on(name, everything())
    columns, rows = episode.world.task.maze.dimensions
    room = reserve(columns, rows, min(SIZE[0] / columns, SIZE[1] / rows))
    plain, ground = Renderer(episode, (SIZE[0] - room.left, SIZE[1] - room.top)).render(), np.array(OWN.background)
    np.testing.assert_array_equal(numbered[-plain.shape[0] :, -plain.shape[1] :], plain)
    top, left = (numbered.shape[side] - plain.shape[side] for side in (0, 1))
    assert (numbered[:top] != ground).any()
    assert (numbered[:, :left] != ground).any()
    np.testing.assert_array_equal(numbered[:top, :left], np.broadcast_to(ground, (top, left, 3)))


@on_all_tilings
def test_columns_and_rows_are_where_their_cells_are(name: str) -> None:
    topology = make_topology(name, (7, 5))
    layout = lay_out(topology, (400, 400))
    columns, rows = lattice_lines(topology, layout)
    assert columns == sorted(columns)
    assert rows == sorted(rows)
    for position, patch in topology.patches.items():
        boxes = [layout.cells[cell].box for cell in patch]
        assert min(box.left for box in boxes) <= columns[position.x] <= max(box.left + box.width for box in boxes)
        assert min(box.top for box in boxes) <= rows[position.y] <= max(box.top + box.height for box in boxes)


def test_a_size_beyond_the_largest_side_is_refused() -> None:
    with pytest.raises(ArgumentError, match="image_size: 300 pixels are more than the backend's max_side, 200"):
        MultiGridBackend(max_side=200).set_pictures(PictureSettings(size=300))


@on_all_tilings
def test_every_style_is_another_picture(name: str) -> None:
    assert len({picture(name, PictureSettings(style=style)).tobytes() for style in get_args(PictureStyle)}) == 3


@pytest.mark.parametrize("name", [each for each in TILINGS if each != "square"][:2])
def test_pictures_without_wishes_are_the_backends_own(name: str) -> None:
    plain = MultiGridBackend(tiling=name, image_size=SIZE)
    plain.configure(everything())
    np.testing.assert_array_equal(plain.reset()[0], picture(name, PictureSettings()))


# --- Bright colours ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("color", HIGH_CONTRAST)
def test_bright_colours_have_twice_the_required_contrast(color: str) -> None:
    assert contrast(CONTRAST.named[color], CONTRAST.floor) >= 2 * LEAST_CONTRAST


def test_bright_walls_stand_out_from_floor_as_far_as_can_be() -> None:
    assert contrast(CONTRAST.wall, CONTRAST.floor) == pytest.approx(21)
    assert contrast(CONTRAST.agent, CONTRAST.floor) == pytest.approx(21)
