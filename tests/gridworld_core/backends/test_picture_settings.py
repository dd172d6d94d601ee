"""Pictures of an exact size, with coordinates, and in other styles than the backends' own."""

import random
from collections.abc import Callable
from functools import partial
from typing import Any, get_args

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gridworld.backends.kernel import DrawnBackend
from gridworld.backends.pictures import OWN_PICTURES, PictureSettings, PictureStyle
from gridworld.drawing.contrast import HIGH_CONTRAST, LEAST_CONTRAST, contrast
from gridworld.drawing.frames import reserve
from gridworld.errors import ArgumentError, InvalidTaskError, NotResetError
from gridworld.task_spec import TaskSpecification
from gridworld_minigrid import MiniGridBackend
from gridworld_multigrid import MultiGridBackend
from gridworld_multigrid.rendering.layout import lattice_lines, lay_out
from gridworld_multigrid.rendering.palette import CONTRAST, OWN
from gridworld_multigrid.rendering.renderer import Renderer
from support.thoroughness import bounded
from support.tilings import everything, make_topology, on_all_tilings, start_on
from support.twins import with_rules
from support.worlds import corridor, draw_everything, key, roaming_action, tasks

Make = Callable[..., DrawnBackend]
TILE, SIDE = 16, 320
STYLES = get_args(PictureStyle)
MINIGRID: Make = partial(MiniGridBackend, tile_size=TILE)
MAKERS: dict[str, Make] = {
    "minigrid": MINIGRID,
    **{tiling: partial(MultiGridBackend, tiling=tiling, image_size=SIDE) for tiling in ("square", "hex", "3464")},
}
on_all = pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
of_each = pytest.mark.parametrize("make", [MINIGRID, MAKERS["hex"]], ids=["minigrid", "multigrid"])


def begun(
    make: Make, task: TaskSpecification, settings: PictureSettings = OWN_PICTURES, **options: int
) -> DrawnBackend:
    """A backend at the start of an episode."""
    backend = make(**options)
    backend.set_pictures(settings)
    backend.configure(task)
    backend.reset()
    return backend


@pytest.mark.parametrize(("size", "coordinates"), [(64, False), (99, True), (224, False), (500, True)])
@on_all
def test_the_longest_side_is_exact(make: Make, size: int, coordinates: bool) -> None:
    backend = begun(make, everything(), PictureSettings(size=size, coordinates=coordinates))
    assert max(backend.render().shape[:2]) == size


@of_each
def test_a_size_beyond_max_side_is_refused(make: Make) -> None:
    with pytest.raises(ArgumentError, match="image_size: 300 pixels are more than the backend's max_side, 200"):
        make(max_side=200).set_pictures(PictureSettings(size=300))


@of_each
def test_settings_apply_from_the_next_configuration_on(make: Make) -> None:
    task = corridor("@.G")
    backend = begun(make, task)
    backend.set_pictures(OWN_PICTURES)
    backend.render()
    backend.set_pictures(PictureSettings(size=100))
    with pytest.raises(NotResetError):
        backend.render()
    backend.configure(task)
    assert max(backend.reset()[0].shape[:2]) == 100


@on_all
def test_styles_differ_and_the_default_is_the_backends_own(make: Make) -> None:
    frames = [begun(make, everything(), PictureSettings(style=style)).render() for style in STYLES]
    assert len({frame.tobytes() for frame in frames}) == 3
    plain = make()
    plain.configure(everything())
    np.testing.assert_array_equal(plain.reset()[0], frames[STYLES.index("own")])


# --- MiniGrid ----------------------------------------------------------------------------------------------------


def test_tiles_are_whole_pixels_and_the_rest_is_margin() -> None:
    task = draw_everything()
    framed = begun(MINIGRID, task, PictureSettings(size=100)).render()
    plain = begun(MINIGRID, task, tile_size=9).render()
    top, left = ((framed.shape[side] - plain.shape[side]) // 2 for side in (0, 1))
    inside = framed[top : top + plain.shape[0], left : left + plain.shape[1]]
    np.testing.assert_array_equal(inside, plain)
    assert framed.sum() == plain.sum()


def test_coordinates_stand_in_a_margin_around_the_same_tiles() -> None:
    task = draw_everything()
    numbered = begun(MINIGRID, task, PictureSettings(coordinates=True)).render()
    plain = begun(MINIGRID, task).render()
    top, left = (numbered.shape[side] - plain.shape[side] for side in (0, 1))
    np.testing.assert_array_equal(numbered[top:, left:], plain)
    columns, rows = task.maze.dimensions
    for row in range(rows):
        assert numbered[top + row * TILE : top + (row + 1) * TILE, :left].any()
    assert sum(bool(numbered[:top, left + x * TILE : left + (x + 1) * TILE].any()) for x in range(columns)) >= 5


def test_coordinates_keep_to_max_side() -> None:
    settings = PictureSettings(coordinates=True)
    backend = begun(MINIGRID, draw_everything(), settings, tile_size=64, max_side=200)
    assert max(backend.render().shape[:2]) <= 200


def test_more_cells_than_pixels_are_refused() -> None:
    backend = begun(MINIGRID, corridor("@.G"), PictureSettings(size=64))
    before = backend.render()
    with pytest.raises(InvalidTaskError, match=r"maze\.dimensions: 72 x 3 cells do not fit into pictures of 64 pixels"):
        backend.configure(corridor("@" + 68 * "." + "G"))
    np.testing.assert_array_equal(backend.render(), before)


@bounded(12)
@given(
    mode=st.sampled_from(["full", "fog_of_war"]),
    style=st.sampled_from(STYLES),
    task=tasks(max_side=7),
    seed=st.integers(0, 10_000),
)
def test_a_kept_frame_equals_one_drawn_afresh(
    mode: str, style: PictureStyle, task: TaskSpecification, seed: int
) -> None:
    settings, rng = PictureSettings(coordinates=True, style=style), random.Random(seed)
    kept = begun(MINIGRID, with_rules(task, observability=mode), settings)
    for _ in range(15):
        if kept.world.is_over(kept.episode.state):
            break
        kept.step(int(roaming_action(kept.world, kept.episode.state, rng)))
    afresh = begun(MINIGRID, kept.world.task, settings)
    afresh.restore(kept.snapshot())
    np.testing.assert_array_equal(kept.render(), afresh.render())


@pytest.mark.parametrize("color", HIGH_CONTRAST)
def test_bright_objects_have_bright_colours(color: str) -> None:
    backend = begun(MINIGRID, corridor("@kG", k=key(color)), PictureSettings(style="contrast"))
    tile = backend.render()[TILE : 2 * TILE, 2 * TILE : 3 * TILE]
    assert (tile == HIGH_CONTRAST[color]).all(axis=2).any()


def test_held_objects_have_the_picture_style_without_a_letter() -> None:
    def corner(style: PictureStyle) -> Any:
        backend = begun(MINIGRID, corridor("@kG", k=key("red")), PictureSettings(style=style))
        backend.step(3)
        return backend.render()[:TILE, :TILE]

    np.testing.assert_array_equal(corner("letters"), corner("own"))
    assert (corner("contrast") == HIGH_CONTRAST["red"]).all(axis=2).any()


# --- Tilings -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["square", "hex", "3464"])
def test_coordinates_stand_in_a_margin_around_the_same_cells(name: str) -> None:
    numbered = begun(MAKERS[name], everything(), PictureSettings(coordinates=True)).render()
    assert max(numbered.shape[:2]) <= SIDE
    episode = start_on(name, everything())
    columns, rows = episode.world.task.maze.dimensions
    room = reserve(columns, rows, min(SIDE / columns, SIDE / rows))
    plain, ground = Renderer(episode, (SIDE - room.left, SIDE - room.top)).render(), np.array(OWN.background)
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


@pytest.mark.parametrize("color", HIGH_CONTRAST)
def test_bright_colours_have_twice_the_required_contrast(color: str) -> None:
    assert contrast(CONTRAST.named[color], CONTRAST.floor) >= 2 * LEAST_CONTRAST


def test_bright_walls_and_agents_have_the_largest_contrast() -> None:
    assert contrast(CONTRAST.wall, CONTRAST.floor) == pytest.approx(21)
    assert contrast(CONTRAST.agent, CONTRAST.floor) == pytest.approx(21)
