"""Pictures of episodes: what they show, and that a kept picture is the one that would be drawn anew."""

import random
from functools import cache
from typing import get_args

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gridworld.backends.pictures import OWN_PICTURES, PictureSettings, PictureStyle
from gridworld.task.colors import COLOR_NAMES
from gridworld.task_spec import TaskSpecification
from gridworld.world import Episode, State, World, acts
from gridworld.world.events import Event, PickedUp
from gridworld.world.state import GONE
from gridworld_multigrid.rendering.layers import ARROW, SHORTEST_ARROW
from gridworld_multigrid.rendering.layout import MARGINS, lay_out
from gridworld_multigrid.rendering.palette import WALL
from gridworld_multigrid.rendering.renderer import Renderer
from gridworld_multigrid.rendering.zones import zones_of
from support.thoroughness import bounded, in_turn
from support.tilings import TILINGS, everything, on_all_tilings, on_polygon_tilings, on_two_tilings, start_on
from support.twins import with_rules
from support.worlds import block, corridor, door, draw, gate, hazard, key, roaming_action, switch, tasks, teleporter

MODES = ("full", "view_cone", "fog_of_war")
SIZE = (160, 120)
LARGE = (320, 320)
SIZES = ((64, 64), (640, 640), (301, 97), (80, 500))
DARK = 64
"""The brightness of cells that are so dark that they cannot become much darker."""
in_random_worlds = bounded(3)
picture_settings = st.builds(
    PictureSettings,
    size=st.sampled_from([None, 150]),
    coordinates=st.booleans(),
    style=st.sampled_from(get_args(PictureStyle)),
)


DIAGONALS = """
#########
#@.#..#.#
#.#..#..#
#.......#
#.#..#.G#
##..#...#
#########
"""
"""Walls that meet diagonally, with floor on the other two sides."""


def played_on(tiling: str, task: TaskSpecification, seed: int, length: int) -> Episode:
    """An episode after `length` random steps, or at its end."""
    episode, rng = start_on(tiling, task), random.Random(seed)
    while not episode.world.is_over(episode.state) and episode.state.steps < length:
        episode.step(roaming_action(episode.world, episode.state, rng))
    return episode


def picture(episode: Episode, size: tuple[int, int] = SIZE) -> np.ndarray:
    """A picture drawn from nothing."""
    return Renderer(episode, size).render()


def differing(one: np.ndarray, other: np.ndarray) -> set[tuple[int, int]]:
    """The pixels (column, row) in which two pictures differ."""
    return {(int(x), int(y)) for y, x in np.argwhere((one != other).any(axis=2))}


# --- Kept pictures -----------------------------------------------------------------------------------------------


def expect_each_picture_drawn_anew(
    name: str, task: TaskSpecification, seed: int, settings: PictureSettings = OWN_PICTURES
) -> None:
    """Through steps, and after a return to an earlier moment."""
    episode = start_on(name, task)
    renderer, rng = Renderer(episode, SIZE, settings), random.Random(seed)
    moments = [episode.snapshot]
    for _ in range(2):
        episode.restore(rng.choice(moments))
        while not episode.world.is_over(episode.state) and episode.state.steps < 25:
            episode.step(roaming_action(episode.world, episode.state, rng))
            moments.append(episode.snapshot)
            if rng.random() < 0.2:
                np.testing.assert_array_equal(renderer.render(), Renderer(episode, SIZE, settings).render())
    np.testing.assert_array_equal(renderer.render(), Renderer(episode, SIZE, settings).render())


@in_turn("name, mode", TILINGS, MODES)
@in_random_worlds
@given(task=tasks(max_side=6), seed=st.integers(0, 10_000), settings=picture_settings)
def test_a_kept_picture_is_the_one_drawn_anew(
    name: str, mode: str, task: TaskSpecification, seed: int, settings: PictureSettings
) -> None:
    expect_each_picture_drawn_anew(name, with_rules(task, observability=mode), seed, settings)


@in_random_worlds
@given(task=tasks(max_side=6), seed=st.integers(0, 10_000), name=st.sampled_from(TILINGS), mode=st.sampled_from(MODES))
def test_evicted_parts_are_drawn_again(task: TaskSpecification, seed: int, name: str, mode: str) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("gridworld.support.caches.CACHE_BYTES", 0)
        expect_each_picture_drawn_anew(name, with_rules(task, observability=mode), seed)


@on_two_tilings
def test_a_picture_is_the_callers_own(name: str) -> None:
    renderer = Renderer(start_on(name, everything()), SIZE)
    first = renderer.render()
    kept = first.copy()
    first[:] = 7
    np.testing.assert_array_equal(renderer.render(), kept)


# --- The whole picture -------------------------------------------------------------------------------------------


@in_turn("name, size", TILINGS, SIZES)
def test_a_picture_is_as_large_as_the_maze_is_in_the_asked_size(name: str, size: tuple[int, int]) -> None:
    frame = picture(start_on(name, everything()), size)
    height, width, _ = frame.shape
    assert frame.dtype == np.uint8
    assert width <= size[0]
    assert height <= size[1]
    assert width > 0.5 * size[0] or height > 0.5 * size[1]


@in_turn("name, size", TILINGS, SIZES)
def test_all_cells_lie_inside_the_picture_and_reach_its_margins(name: str, size: tuple[int, int]) -> None:
    layout = lay_out(start_on(name, everything()).world.topology, size)
    boxes, slack = [placed.box for placed in layout.cells], max(1, min(size) // MARGINS) + 2
    assert 0 <= min(box.left for box in boxes) <= slack
    assert 0 <= min(box.top for box in boxes) <= slack
    assert 0 <= layout.width - max(box.left + box.width for box in boxes) <= slack
    assert 0 <= layout.height - max(box.top + box.height for box in boxes) <= slack


@on_all_tilings
def test_what_is_held_covers_nothing_but_walls(name: str) -> None:
    topology = start_on(name, everything()).world.topology
    layout = lay_out(topology, (640, 640))
    inner = np.zeros((layout.height, layout.width), dtype=int)
    for cell, placed in enumerate(layout.cells):
        x, y = topology.lattice[cell]
        if 0 < x < topology.width - 1 and 0 < y < topology.height - 1:
            inner[placed.box.slices] += zones_of(placed.shape, frozenset()).whole
    assert not inner[layout.hand.slices].any()


# --- The agent ---------------------------------------------------------------------------------------------------


@on_all_tilings
def test_the_arrow_points_along_its_heading(name: str) -> None:
    episode = start_on(name, draw("#####\n#...#\n#.@G#\n#...#\n#####"))
    topology = episode.world.topology
    layout = lay_out(topology, LARGE)
    placed = layout.cells[episode.state.cell]
    radius = 0.34 * max(ARROW * placed.shape.inner_radius, SHORTEST_ARROW * layout.spacing)

    def is_dark(frame: np.ndarray, degrees: float) -> bool:
        x = placed.box.left + placed.shape.centre[0] + radius * np.cos(np.radians(degrees))
        y = placed.box.top + placed.shape.centre[1] + radius * np.sin(np.radians(degrees))
        return bool(frame[int(y), int(x)].max() < 40)

    renderer = Renderer(episode, LARGE)
    for _ in topology.edges[episode.state.cell]:
        frame, heading = renderer.render(), 360 * episode.state.heading / topology.heading_count
        dark = [turn for turn in (0, 30, 60, 90, 180, 270, 300, 330) if is_dark(frame, heading + turn)]
        assert dark == [0]
        episode.step(1)


@on_two_tilings
def test_every_heading_has_an_arrow_of_its_own(name: str) -> None:
    episode = start_on(name, corridor("@..G"))
    renderer, frames = Renderer(episode, SIZE), {}
    for _ in range(2 * episode.world.headings):
        frames[episode.state.heading] = renderer.render().tobytes()
        episode.step(1)
    assert len(frames) == len(set(frames.values())) == len(episode.world.topology.edges[episode.state.cell])


def take(world: World, state: State) -> tuple[State, tuple[Event, ...]]:
    """Take the first thing from wherever it is."""
    return state.with_place(0, GONE).holding(0), (PickedUp(world.entities[0].id, state.places[0]),)


@on_two_tilings
def test_held_objects_are_shown_in_the_corner(name: str) -> None:
    shown = set()
    for color in COLOR_NAMES:
        episode = start_on(name, corridor("@k.G", k=key(color)))
        renderer, hand = Renderer(episode, LARGE), lay_out(episode.world.topology, LARGE).hand
        assert (renderer.render()[hand.slices] == WALL).all(axis=2).any()
        episode.perform(take)
        shown.add(renderer.render()[hand.slices].tobytes())
    assert len(shown) == len(COLOR_NAMES)


# --- Single cells ------------------------------------------------------------------------------------------------

LOOKS = {
    "floor": {},
    **{f"{color} key": {"x": key(color)} for color in COLOR_NAMES},
    **{f"{color} door": {"x": door(color, "closed")} for color in COLOR_NAMES},
    "locked door": {"x": door("red", "locked"), "k": key("red")},
    "open door": {"x": door("red", "open")},
    "gate": {"x": gate()},
    "open gate": {"x": gate("open")},
    "block": {"x": block()},
    "fixed block": {"x": block(pushable=False)},
    "switch": {"x": switch()},
    "switch on": {"x": switch(initial_state="on")},
    "teleporter": {"xy": teleporter()},
    **{kind: {"x": hazard(kind)} for kind in ("lava", "pit", "spike")},
}


@cache
def views(name: str, look: str) -> tuple[np.ndarray, ...]:
    """What is seen on each cell that it takes, the anchor first."""
    episode = start_on(name, draw("#######\n#@...G#\n#..x..#\n#y...k#\n#######", **LOOKS[look]))
    layout, frame = lay_out(episode.world.topology, LARGE), picture(episode, LARGE)
    return tuple(frame[layout.cells[cell].box.slices].copy() for cell in episode.world.topology.patches[3, 2])


@on_two_tilings
def test_what_fills_a_patch_is_seen_on_all_cells_of_it(name: str) -> None:
    floor = views(name, "floor")
    for look in ("red door", "open door", "locked door", "gate", "open gate", "lava", "pit", "spike"):
        assert all((one != other).any() for one, other in zip(views(name, look), floor, strict=True)), look


@on_two_tilings
def test_what_lies_on_a_cell_changes_no_pixel_outside_of_its_patch(name: str) -> None:
    bare = "#######\n#@...G#\n#..x..#\n#y...k#\n#######"
    plain = start_on(name, draw(bare, k=key()))
    frame = picture(plain, LARGE)
    layout = lay_out(plain.world.topology, LARGE)
    for things in ({"x": key("blue")}, {"x": block()}, {"x": door("red", "closed")}, {"x": hazard()}):
        episode = start_on(name, draw(bare, k=key(), **things))
        position = episode.world.topology.lattice[episode.world.by_id["x"].cells[0]]
        inside = np.zeros(frame.shape[:2], dtype=bool)
        for cell in episode.world.topology.patches[position]:
            inside[layout.cells[cell].box.slices] = True
        changed = differing(frame, picture(episode, LARGE))
        assert changed
        assert all(inside[y, x] for x, y in changed)


@in_turn("name, mode", TILINGS, ["view_cone", "fog_of_war"])
def test_unseen_cells_look_like_nothing_else(name: str, mode: str) -> None:
    """Their colours are found on no cell that is shown."""
    episode = played_on(name, everything(mode, view_size=3), seed=4, length=12)
    frame = picture(episode, LARGE)
    layout = lay_out(episode.world.topology, LARGE)
    unseen = 0
    for cell, placed in enumerate(layout.cells):
        if placed.box.width < 3 or cell == episode.state.cell:
            continue
        x, y = (int(part) for part in placed.shape.centre)
        pixel = tuple(int(part) for part in frame[placed.box.top + y, placed.box.left + x])
        striped = pixel in {(28, 28, 48), (92, 88, 136)}
        if episode.look(cell) is None:
            unseen += striped
        else:
            assert not striped
    assert unseen > 10


@on_two_tilings
def test_remembered_cells_are_darker_than_those_in_view(name: str) -> None:
    facing = start_on(name, everything("fog_of_war"))
    layout, frame = lay_out(facing.world.topology, LARGE), picture(facing, LARGE)
    before = facing.knowledge.visible
    while len(before - facing.knowledge.visible) < 6:
        facing.step(1)
    away = picture(facing, LARGE)
    for cell in before - facing.knowledge.visible - {facing.state.cell}:
        box = layout.cells[cell].box
        if frame[box.slices].mean() > DARK:
            assert away[box.slices].mean() < frame[box.slices].mean()


# --- Sealed seams ------------------------------------------------------------------------------------------------


@on_polygon_tilings
def test_a_sealed_seam_is_seen_as_a_wall_between_its_cells(name: str) -> None:
    episode = start_on(name, draw(DIAGONALS))
    world = episode.world
    floor = [(a, b) for a, b in world.seams if not {a, b} & world.walls]
    assert bool(floor) == (name != "triangle")
    layout, frame = lay_out(world.topology, LARGE), picture(episode, LARGE).astype(int)
    for cell, beyond in floor:
        ends = set(_corners(layout, cell)) & set(_corners(layout, beyond))
        middle_x, middle_y = (sum(each) / 2 / 32 for each in zip(*ends, strict=True))
        around = frame[int(middle_y) - 1 : int(middle_y) + 2, int(middle_x) - 1 : int(middle_x) + 2]
        assert around.min() < 80


def _corners(layout: object, cell: int) -> list[tuple[int, int]]:
    placed = layout.cells[cell]  # type: ignore[attr-defined]
    return [(placed.box.left * 32 + x, placed.box.top * 32 + y) for x, y in placed.shape.corners]


@pytest.mark.parametrize("act", [acts.move_backward, acts.push])
def test_the_other_acts_are_followed_too(act: acts.Act) -> None:
    for name in ("square", "3464"):
        episode = start_on(name, corridor("..@b..G", b=block()))
        renderer = Renderer(episode, SIZE)
        renderer.render()
        episode.perform(act)
        np.testing.assert_array_equal(renderer.render(), picture(episode))
