"""The tiles that explain things are drawn as pictures of the maze are."""

import bisect

import numpy as np

from gridworld.plugins.tilings import find_tiling, lay_out
from gridworld.task_spec import Position
from gridworld.world import Episode, compile_world
from gridworld.world.looks import CellLook, look_at
from gridworld_multigrid import MultiGridBackend
from gridworld_multigrid.rendering import renderer
from gridworld_multigrid.rendering.appearance import appearance_of
from gridworld_multigrid.rendering.layout import lay_out as lay_out_picture
from gridworld_multigrid.rendering.palette import OWN
from gridworld_multigrid.rendering.renderer import Renderer
from support.tilings import on_two_tilings
from support.worlds import draw_everything


@on_two_tilings
def test_all_tiles_have_one_size_and_tell_looks_apart(name: str) -> None:
    backend, task = MultiGridBackend(name), draw_everything()
    backend.configure(task)
    backend.reset()
    world, state = backend.world, backend.episode.state
    looks = {look_at(world, state, cell, backend.episode.knowledge.met) for cell in range(world.topology.cell_count)}
    tiles = [backend.draw_tile(world, look) for look in looks]
    tiles += [backend.draw_tile(world, None), backend.draw_tile(world, CellLook(), heading=0)]
    assert len({tile.shape for tile in tiles}) == 1
    different = {appearance_of(world, look, colors=OWN) for look in looks}
    assert len({tile.tobytes() for tile in tiles}) == len(different) + 2


@on_two_tilings
def test_a_tile_shows_the_pixels_of_a_picture_of_the_same_scale(name: str) -> None:
    """With the agent upon it, inside the cell: in its rim, neighbours have a part."""
    task = draw_everything(goal={"type": "survive_steps"})
    topology = lay_out(find_tiling(name), task)
    world = compile_world(task, topology)
    episode = Episode(world)
    episode.reset()
    size = bisect.bisect_left(
        range(3000), renderer.SPACING, lo=200, key=lambda side: lay_out_picture(topology, (side, side)).spacing
    )
    picture, layout = Renderer(episode, (size, size)).render(), lay_out_picture(topology, (size, size))
    assert layout.spacing == renderer.SPACING
    shown = Position(1, 1)
    anchor = layout.cells[topology.anchor(shown)]
    x, y = (
        round(start + middle)
        for start, middle in zip((anchor.box.left, anchor.box.top), anchor.shape.centre, strict=True)
    )
    tile = renderer.draw_patch(world, look_at(world, episode.state, topology.anchor(shown)), heading=0)
    own = renderer.lay_out_patch(topology, shown, renderer.SPACING).cells[0]
    left, top = (
        round(start + middle) for start, middle in zip((own.box.left, own.box.top), own.shape.centre, strict=True)
    )
    reach = 5
    there = picture[y - reach : y + reach, x - reach : x + reach].astype(int)
    here = tile[top - reach : top + reach, left - reach : left + reach].astype(int)
    assert np.abs(there - here).mean() < 12
