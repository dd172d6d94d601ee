"""World objects: every mechanism in every state has its own picture and its own symbolic encoding."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import pytest
from minigrid.core.constants import OBJECT_TO_IDX
from minigrid.core.world_object import Door, Goal, Key, Lava, Wall, WorldObj

from gridworld.drawing.glyphs import Circle, Glyph, Line, Polygon, Rectangle
from gridworld.task.colors import COLOR_NAMES
from gridworld.world.looks import CellLook
from gridworld.world.mechanism_type import Trait
from gridworld_minigrid.objects import PALETTE, GlyphObject, make_object
from support.programs import run_python
from support.tilings import (
    BLOCKS,
    EVERYTHING,
    FLOOR,
    GOAL,
    MARKER,
    SWITCHES,
    TARGETS,
    THINGS,
    WALL,
    Thing,
    single_looks,
)


def stacked_looks() -> Iterator[tuple[str, CellLook]]:
    """Looks of a cell with a block on something, or a switch on a marker, by title."""
    for switch in SWITCHES:
        yield f"{switch.title} on marker", MARKER._replace(things=(switch.layer,))
    for block in (block for block in BLOCKS if not block.number):
        yield f"{block.title} on goal", GOAL._replace(things=(block.layer,))
        yield f"{block.title} on marker", MARKER._replace(things=(block.layer,))
        for switch in SWITCHES:
            yield f"{block.title} on {switch.title}", FLOOR._replace(things=(switch.layer, block.layer))


def code_of(look: CellLook) -> tuple[int, int, int]:
    thing = make_object(EVERYTHING, look)
    return (OBJECT_TO_IDX["empty"], 0, 0) if thing is None else thing.encode()


def shared(looks: Iterable[tuple[str, object]]) -> list[list[str]]:
    """Groups of titles that have the same value."""
    groups: dict[object, list[str]] = {}
    for title, value in looks:
        groups.setdefault(value, []).append(title)
    return [titles for titles in groups.values() if len(titles) > 1]


# --- Pictures and codes ------------------------------------------------------------------------------------------


def test_every_stack_has_a_code_of_its_own() -> None:
    assert shared((title, code_of(look)) for title, look in (*single_looks(), *stacked_looks())) == []


def test_codes_fit_into_a_byte() -> None:
    for title, look in (*single_looks(), *stacked_looks()):
        assert all(0 <= number <= 255 for number in code_of(look)), title


PRINT_A_CODE = """
from gridworld.drawing.glyphs import Circle, Glyph
from gridworld.world.mechanism_type import Trait
from gridworld_minigrid.objects import GlyphObject
print(GlyphObject(Glyph((Circle(0.5, 0.5, 0.25, "red"),)), Trait.SOLID, "red").encode())
"""


def test_codes_are_the_same_in_every_interpreter() -> None:
    here = GlyphObject(Glyph((Circle(0.5, 0.5, 0.25, "red"),)), Trait.SOLID, "red").encode()
    assert run_python(PRINT_A_CODE, [], {"PYTHONHASHSEED": "1"}).stdout.strip() == str(here)


# --- Kinds of objects --------------------------------------------------------------------------------------------


def test_what_minigrid_has_is_minigrids_own_object() -> None:
    kinds = {"keys": Key, "doors": Door}
    for thing in THINGS:
        made = make_object(EVERYTHING, FLOOR._replace(things=(thing.layer,)))
        lava = getattr(thing.entity.spec, "hazard_type", None) == "lava"
        assert type(made) is (Lava if lava else kinds.get(thing.entity.type.name, GlyphObject))


def test_plain_looks_are_minigrids_own_objects() -> None:
    assert make_object(EVERYTHING, FLOOR) is None
    assert type(make_object(EVERYTHING, WALL)) is Wall
    assert type(make_object(EVERYTHING, GOAL)) is Goal


@pytest.mark.parametrize("color", COLOR_NAMES)
def test_targets_have_the_colour_of_what_belongs_there(color: str) -> None:
    assert make_object(EVERYTHING, TARGETS[f"{color} target 1"]).color == color


@pytest.mark.parametrize("thing", THINGS, ids=lambda thing: thing.title)
def test_an_object_is_solid_opaque_and_portable_as_the_rules_say(thing: Thing) -> None:
    made_thing = made(thing)
    assert made_thing.can_overlap() == (not thing.traits & Trait.SOLID)
    assert made_thing.see_behind() == (not thing.traits & Trait.OPAQUE)
    assert made_thing.can_pickup() == bool(thing.traits & Trait.PORTABLE)


@pytest.mark.parametrize("thing", THINGS, ids=lambda thing: thing.title)
def test_the_type_of_an_object_can_be_decoded_by_minigrid(thing: Thing) -> None:
    assert WorldObj.decode(*made(thing).encode()).type == made(thing).type


def test_a_stack_is_solid_if_anything_in_it_is() -> None:
    stack = make_object(EVERYTHING, FLOOR._replace(things=(SWITCHES[0].layer, BLOCKS[0].layer)))
    assert not stack.can_overlap()
    on_marker = make_object(EVERYTHING, MARKER._replace(things=(SWITCHES[0].layer,)))
    assert on_marker.can_overlap()


def made(thing: Thing) -> Any:
    return make_object(EVERYTHING, FLOOR._replace(things=(thing.layer,)))


# --- Glyphs of third parties -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("traits", "kind"),
    [
        (Trait.NONE, "floor"),
        (Trait.SOLID, "box"),
        (Trait.SOLID | Trait.PUSHABLE, "box"),
        (Trait.SOLID | Trait.OPAQUE, "door"),
        (Trait.DEADLY, "lava"),
    ],
)
def test_a_thing_unknown_to_minigrid_has_its_nearest_type(traits: Trait, kind: str) -> None:
    thing = GlyphObject(Glyph(()), traits, "purple")
    assert (thing.type, thing.color) == (kind, "purple")


SHAPES = {
    "rectangle": Rectangle(0.25, 0.25, 0.75, 0.75, "blue"),
    "circle": Circle(0.5, 0.5, 0.25, "blue"),
    "line": Line(0.25, 0.5, 0.75, 0.5, 0.1, "blue"),
    "triangle": Polygon(((0.2, 0.8), (0.5, 0.2), (0.8, 0.8)), "blue"),
    "pentagon": Polygon(((0.5, 0.1), (0.9, 0.4), (0.75, 0.9), (0.25, 0.9), (0.1, 0.4)), "blue"),
}


@pytest.mark.parametrize("name", SHAPES)
def test_shapes_are_filled_with_their_colour(name: str) -> None:
    image = np.zeros((32, 32, 3), dtype=np.uint8)
    GlyphObject(Glyph((SHAPES[name],)), Trait.NONE, "blue").render(image)
    assert tuple(image[16, 16]) == PALETTE["blue"]
    assert not image[[0, 0, -1, -1], [0, -1, 0, -1]].any()


def test_a_convex_polygon_has_no_gaps() -> None:
    square = Polygon(((0.1, 0.1), (0.9, 0.1), (0.9, 0.9), (0.1, 0.9)), "red")
    rectangle = Rectangle(0.1, 0.1, 0.9, 0.9, "red")
    images = [np.zeros((40, 40, 3), dtype=np.uint8) for _ in "ab"]
    for image, shape in zip(images, (square, rectangle), strict=True):
        GlyphObject(Glyph((shape,)), Trait.NONE, "red").render(image)
    np.testing.assert_array_equal(*images)


def test_later_shapes_are_painted_over_earlier_ones() -> None:
    image = np.zeros((16, 16, 3), dtype=np.uint8)
    under, over = Rectangle(0, 0, 1, 1, "red"), Circle(0.5, 0.5, 0.2, "green")
    GlyphObject(Glyph((under, over)), Trait.NONE, "red").render(image)
    assert (tuple(image[8, 8]), tuple(image[0, 0])) == (PALETTE["green"], PALETTE["red"])
