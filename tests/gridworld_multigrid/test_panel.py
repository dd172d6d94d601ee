"""Whatever differs in meaning differs visibly, and whatever means the same looks the same, on every tiling and backend.

Visibly: pixels differ in at least 2 % of the cell's area.
"""

from collections.abc import Callable, Iterable
from itertools import combinations

import attrs
import numpy as np
import pytest

from gridworld.backends.thing_glyphs import LookNumbers
from gridworld.world.looks import CellLook, Shown, look_at
from gridworld_minigrid.objects import make_object
from gridworld_minigrid.tiles import Shade, draw_tile
from gridworld_multigrid.rendering.cell_sprites import CellSprites
from gridworld_multigrid.rendering.layout import Box, Layout, lay_out
from gridworld_multigrid.rendering.palette import FLOOR as PALETTE_FLOOR
from gridworld_multigrid.rendering.palette import HALO, OWN
from gridworld_multigrid.rendering.raster import WHOLE
from gridworld_multigrid.rendering.zones import Zones, zones_of
from support.tilings import (
    BLOCKS,
    EVERYTHING,
    FLOOR,
    MOST_ON_TWO,
    SWITCHES,
    TARGETS,
    THINGS,
    a_task_of_everything,
    compiled_on,
    on_all_tilings,
    on_two_tilings,
    single_looks,
)

SIZE = (620, 620)
"""At which also the thin lines of the smallest cells have pixels of their own."""
PLACE = (5, 6)
"""The lattice cell to look at."""
VISIBLE = 0.02
SOME_BLOCKS = [block for block in BLOCKS if block.entity.color in ("red", "blue")]
SOME_SWITCHES = [switch for switch in SWITCHES if switch.entity.color in ("red", "green")]
Draw = Callable[[CellLook], np.ndarray]


def window_of(layout: Layout, cells: Iterable[int]) -> Box:
    """The smallest box around some cells."""
    boxes = [layout.cells[cell].box for cell in cells]
    left, top = min(box.left for box in boxes), min(box.top for box in boxes)
    right, bottom = max(box.left + box.width for box in boxes), max(box.top + box.height for box in boxes)
    return Box(left, top, right - left, bottom - top)


def within(window: Box, box: Box) -> tuple[slice, slice]:
    """Rows and columns of a box in a picture of the window alone."""
    return attrs.evolve(box, left=box.left - window.left, top=box.top - window.top).slices


def drawer(name: str) -> Draw:
    """What draws the pixels around a lattice cell, those of no other; black where it has none."""
    world, looks = compiled_on(name, a_task_of_everything()), LookNumbers()
    patch, layout = world.topology.patches[PLACE], lay_out(world.topology, SIZE)
    sprites, window = CellSprites(world.topology, layout, OWN, looks), window_of(layout, patch)
    start = {cell: look_at(world, world.start, cell) for cell in range(world.topology.cell_count)}

    def draw(look: CellLook) -> np.ndarray:
        filling = tuple(each for each in look.things if world.entities[each.entity].type.fills_patch)
        shown = start | {cell: look if cell == patch[0] else look._replace(things=filling) for cell in patch}
        numbers = {cell: looks.in_view(world, each) for cell, each in shown.items()}
        sums = np.zeros((window.height, window.width, 3), dtype=np.int64)
        for cell in patch:
            sums[within(window, layout.cells[cell].box)] += sprites.draw(cell, numbers).sums
        return sums // WHOLE

    return draw


def hem_of(name: str) -> np.ndarray:
    """Which pixels belong to the line along the edges of the lattice cell."""
    return pixels_of(name, lambda zones: zones.rim + zones.hem + zones.joints[0])


def band_of(name: str) -> np.ndarray:
    """Which pixels belong to the band inside that line."""
    return pixels_of(name, lambda zones: zones.band + zones.joints[1])


def pixels_of(name: str, share: Callable[[Zones], np.ndarray]) -> np.ndarray:
    """Which pixels belong wholly to a part of a lattice cell."""
    topology = compiled_on(name, a_task_of_everything()).topology
    layout = lay_out(topology, SIZE)
    window = window_of(layout, topology.patches[PLACE])
    shares = np.zeros((window.height, window.width), dtype=int)
    for cell in topology.patches[PLACE]:
        placed = layout.cells[cell]
        shares[within(window, placed.box)] += share(zones_of(placed.shape, frozenset()))
    found = shares == WHOLE
    assert found.sum() > 20
    return found


def area_of(name: str) -> float:
    """Of the lattice cell, in pixels."""
    topology = compiled_on(name, a_task_of_everything()).topology
    layout = lay_out(topology, SIZE)
    shapes = [layout.cells[cell].shape for cell in topology.patches[PLACE]]
    return sum(float(zones_of(shape, frozenset()).whole.sum()) for shape in shapes) / WHOLE


def draw_minigrid(look: CellLook) -> np.ndarray:
    return draw_tile(make_object(EVERYTHING, look), None, Shade.PLAIN, 32)


def panel() -> dict[str, CellLook]:
    """Title to look; of stacks, those with blocks and switches of two colours."""
    looks = dict(single_looks())
    for block in SOME_BLOCKS:
        looks |= {f"{block.title} on {name}": each._replace(things=(block.layer,)) for name, each in TARGETS.items()}
        for switch in SOME_SWITCHES:
            looks[f"{block.title} on {switch.title}"] = FLOOR._replace(things=(switch.layer, block.layer))
    return looks


def too_alike(pictures: dict[str, np.ndarray], area: float) -> list[tuple[str, str, float]]:
    """Pairs that differ in too few pixels, with the share in which they do."""
    titles = list(pictures)
    pixels = np.stack([pictures[title] for title in titles]).reshape(len(titles), -1, 3).astype(np.int64)
    codes = (pixels[..., 0] | pixels[..., 1] << 8 | pixels[..., 2] << 16).astype(np.int32)
    codes = codes[:, (codes != codes[0]).any(axis=0)]
    found = []
    for one, other in combinations(range(len(titles)), 2):
        share = np.count_nonzero(codes[one] != codes[other]) / area
        if share < VISIBLE:
            found.append((titles[one], titles[other], round(float(share), 4)))
    return found


@on_two_tilings
def test_what_differs_in_meaning_differs_visibly(name: str) -> None:
    draw = drawer(name)
    assert too_alike({title: draw(look) for title, look in panel().items()}, area_of(name)) == []


@on_all_tilings
def test_what_fills_a_patch_is_outlined_all_round(name: str) -> None:
    """The line along the edges of a hazard is dark everywhere: nothing on it covers a part of that."""
    draw, hem = drawer(name), hem_of(name)
    for thing in THINGS:
        if thing.entity.type.name == "hazards" and thing.entity.spec.hazard_type != "spike":
            assert (draw(FLOOR._replace(things=(thing.layer,)))[hem] <= HALO).all(), thing.title


@on_all_tilings
def test_the_frame_of_an_open_door_has_no_gaps(name: str) -> None:
    """Also where it crosses the edges between the cells of a patch."""
    draw, band = drawer(name), band_of(name)
    door = next(thing for thing in THINGS if thing.entity.type.name == "doors" and thing.value == "open")
    assert not (draw(FLOOR._replace(things=(door.layer,)))[band] == PALETTE_FLOOR).all(axis=-1).any()


def test_what_differs_in_meaning_differs_visibly_in_minigrid() -> None:
    assert too_alike({title: draw_minigrid(look) for title, look in panel().items()}, 32 * 32) == []


@pytest.mark.parametrize("name", [*MOST_ON_TWO, "minigrid"])
def test_what_means_the_same_looks_the_same(name: str) -> None:
    """A key that was dropped again, a teleporter one has just come out of, both ends of one that leads both ways."""
    draw = draw_minigrid if name == "minigrid" else drawer(name)
    for entity in EVERYTHING.entities:
        if entity.type.name in ("keys", "teleporters"):
            parts = (0, 1) if entity.type.name == "teleporters" and entity.spec.bidirectional else (0,)
            looks = [Shown(entity.index, value, part) for value in range(len(entity.type.values)) for part in parts]
            first, *others = (draw(FLOOR._replace(things=(shown,))) for shown in looks)
            assert all((first == other).all() for other in others), entity.id
