"""Tiles: pictures of single cells, drawn once by MiniGrid's renderer."""

from __future__ import annotations

import numpy as np
import pytest
from minigrid.core.grid import Grid
from minigrid.core.world_object import Door, Goal, Key, Lava, Wall, WorldObj

from gridworld.drawing.glyphs import Circle, Glyph, Rectangle
from gridworld.world.mechanism_type import Trait
from gridworld_minigrid.objects import GlyphObject
from gridworld_minigrid.tiles import Shade, draw_tile, draw_unseen_tile
from support.thoroughness import in_turn

NATIVE: dict[str, WorldObj | None] = {
    "floor": None,
    "wall": Wall(),
    "goal": Goal(),
    "lava": Lava(),
    "key": Key("yellow"),
    "open door": Door("red", is_open=True),
    "closed door": Door("red"),
    "locked door": Door("red", is_locked=True),
}
DISC = Glyph((Circle(0.5, 0.5, 0.3, "blue"),))
PLATE = Glyph((Rectangle(0.1, 0.1, 0.9, 0.9, "red"),))


def plain(thing: WorldObj | None, tile_size: int = 32) -> np.ndarray:
    return draw_tile(thing, None, Shade.PLAIN, tile_size)


@in_turn("direction, highlight", [None, 0, 1, 2, 3], [False, True])
@pytest.mark.parametrize("name", NATIVE)
def test_minigrids_own_things_look_as_in_minigrid(name: str, direction: int | None, highlight: bool) -> None:
    Grid.tile_cache.clear()
    theirs = Grid.render_tile(NATIVE[name], direction, highlight, tile_size=16).astype(np.uint8)
    shade = Shade.LIT if highlight else Shade.PLAIN
    np.testing.assert_array_equal(draw_tile(NATIVE[name], direction, shade, 16), theirs)


@pytest.mark.parametrize("tile_size", [8, 13, 32])
def test_a_tile_is_a_square_of_the_asked_size(tile_size: int) -> None:
    for tile in (plain(Key("red"), tile_size), draw_unseen_tile(tile_size)):
        assert (tile.shape, tile.dtype) == ((tile_size, tile_size, 3), np.uint8)


def test_equal_things_share_one_tile() -> None:
    assert plain(Key("red")) is plain(Key("red"))
    assert plain(GlyphObject(DISC, Trait.NONE, "blue")) is plain(GlyphObject(DISC, Trait.SOLID, "red"))
    assert draw_unseen_tile(16) is draw_unseen_tile(16)


def test_a_shared_tile_cannot_be_changed() -> None:
    for tile in (plain(Key("red")), draw_unseen_tile(16)):
        with pytest.raises(ValueError, match="read-only"):
            tile[0, 0] = 0


def test_objects_with_equal_codes_differ_by_glyph() -> None:
    one, other = GlyphObject(DISC, Trait.NONE, "blue"), GlyphObject(PLATE, Trait.NONE, "blue")
    one.encode = other.encode = lambda: (3, 2, 100)  # type: ignore[method-assign]
    assert not np.array_equal(plain(one), plain(other))


def test_drawing_leaves_minigrids_own_cache_of_tiles_alone() -> None:
    Grid.tile_cache.clear()
    draw_tile(GlyphObject(Glyph((Circle(0.4, 0.4, 0.2, "green"),)), Trait.NONE, "green"), None, Shade.PLAIN, 9)
    assert not Grid.tile_cache
