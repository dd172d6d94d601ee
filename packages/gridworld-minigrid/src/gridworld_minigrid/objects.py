"""Objects for MiniGrid's grid: MiniGrid's own where possible, otherwise drawn from glyphs."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any
from zlib import crc32

import numpy as np
from minigrid.core.constants import COLOR_TO_IDX, OBJECT_TO_IDX
from minigrid.core.world_object import Door, Goal, Key, Lava, Wall, WorldObj

from gridworld.backends.thing_glyphs import ROOM_BESIDE, letter_shapes, mark_glyph, thing_glyph
from gridworld.drawing.contrast import HIGH_CONTRAST
from gridworld.drawing.glyphs import Glyph, Rectangle, in_palette
from gridworld.task.colors import COLORS, nearest_of_six
from gridworld.world import World
from gridworld.world.goal_type import Mark
from gridworld.world.looks import CellLook, Shown
from gridworld.world.mechanism_type import Trait
from gridworld_minigrid.painting import PALETTE, paint, render

Code = tuple[int, int, int]
"""MiniGrid's symbolic encoding of an object: type, colour and state."""
EMPTY: Code = (OBJECT_TO_IDX["empty"], 0, 0)
"""Code of an empty cell."""
OUTSIDE: Code = (OBJECT_TO_IDX["wall"], COLOR_TO_IDX["grey"], 0)
"""Code of the area outside the grid, which looks like wall."""

GOAL = Glyph((Rectangle(0, 0, 1, 1, COLORS["green"]),))
"""MiniGrid's goal, drawn below objects on it."""
BRIGHT_WALL = Glyph((Rectangle(0, 0, 1, 1, (255, 255, 255)),))
FIRST_STATE_CODE = 8
"""First state code of glyphs, which go up to 255; MiniGrid's own objects use 0 to 2."""

CODE_SALT = 17778
"""Salt of codes, chosen so that no two looks of the core's own mechanisms share a code."""

WHOLE_CELL = (0.0, 1.0)


class DrawnObject(WorldObj):
    """Base class of objects that MiniGrid does not draw."""

    look: Hashable
    """Key of the object's picture."""


class LetteredObject(DrawnObject):
    """One of MiniGrid's own objects with a letter, for pictures only.

    Args:
        thing: the object.
        letter: the letter.
        room: the square in which the object is drawn: its corner, both across and down, and its side, as fractions of
            the cell.
    """

    def __init__(self, thing: WorldObj, letter: str, room: tuple[float, float] = WHOLE_CELL) -> None:
        super().__init__(thing.type, thing.color)
        self._thing = thing
        self._room = room
        self._letter = Glyph(letter_shapes(letter))
        self.look = (thing.encode(), letter)

    def render(self, img: np.ndarray) -> None:
        """Draw the object and the letter onto an image of one cell."""
        start, side = self._room
        first, last = round(start * len(img)), round((start + side) * len(img))
        render(self._thing, img[first:last, first:last])
        paint(img, self._letter)


class GlyphObject(DrawnObject):
    """An object that MiniGrid lacks, drawn from its glyph.

    Its symbolic encoding is (the nearest MiniGrid type, its colour, a code of its look from 8 to 255).

    Args:
        glyph: its glyph.
        traits: its traits.
        color: the name of a colour; MiniGrid gets the nearest of its six.
        encoding: another encoding, for objects that lie on others.
    """

    def __init__(self, glyph: Glyph, traits: Trait, color: str, encoding: tuple[int, int, int] | None = None) -> None:
        super().__init__(_nearest_type(traits), nearest_of_six(color))
        self.glyph = self.look = glyph
        self.traits = traits
        self.is_open, self.is_locked = False, True  # read by MiniGrid of everything that it takes for a door
        self._encoding = encoding or (OBJECT_TO_IDX[self.type], COLOR_TO_IDX[self.color], _look_code(glyph))

    def can_overlap(self) -> bool:
        """Whether the agent can stand on the object."""
        return not self.traits & Trait.SOLID

    def can_pickup(self) -> bool:
        """Whether the object can be carried."""
        return bool(self.traits & Trait.PORTABLE)

    def see_behind(self) -> bool:
        """Whether the agent can see past the object."""
        return not self.traits & Trait.OPAQUE

    def encode(self) -> tuple[int, int, int]:
        """Return the object's encoding (type, colour, code)."""
        return self._encoding

    def render(self, img: np.ndarray) -> None:
        """Draw the glyph onto an image of one cell."""
        paint(img, self.glyph)


def _look_code(glyph: Glyph) -> int:
    return FIRST_STATE_CODE + crc32(repr(in_palette(glyph, PALETTE)).encode(), CODE_SALT) % (256 - FIRST_STATE_CODE)


def _nearest_type(traits: Trait) -> str:
    if traits & Trait.DEADLY:
        return "lava"
    if traits & Trait.OPAQUE:
        return "door"
    return "box" if traits & Trait.SOLID else "floor"


NATIVE: dict[str, Callable[[Any, str], WorldObj | None]] = {
    "keys": lambda spec, value: Key(spec.color),
    "doors": lambda spec, value: Door(
        spec.requires_key or "grey", is_open=value == "open", is_locked=value == "locked"
    ),
    "hazards": lambda spec, value: Lava() if spec.hazard_type == "lava" else None,
}
"""Makes MiniGrid's own object for an entity, by mechanism type; None if MiniGrid has none."""


def make_object(world: World, look: CellLook, letter: str = "") -> WorldObj | None:
    """Make the object for a look; None for plain floor.

    Args:
        world: the world.
        look: the look of the cell.
        letter: the letter on the topmost entity or mark, for pictures only; empty for none.
    """
    if look.wall:
        return Wall()
    letters = _letters(look, letter)
    layers = [_thing_object(world, shown, each) for shown, each in zip(look.things, letters[1:], strict=True)]
    if look.mark is not None:
        layers.insert(0, _mark_object(look.mark, letters[0]))
    if len(layers) <= 1:
        return layers[0] if layers else None
    return _stacked(layers, world, look, letters)


def code_of(thing: WorldObj | None) -> Code:
    """Return the encoding of an object; None stands for empty floor or an empty hand."""
    if thing is None:
        return EMPTY
    code: Code = thing.encode()
    return code


def make_bright_object(world: World, look: CellLook) -> WorldObj | None:
    """Make the object for high-contrast pictures; None for plain floor."""
    if look.wall:
        return GlyphObject(BRIGHT_WALL, Trait.SOLID, "grey")
    if look.mark is None and not look.things:
        return None
    glyphs = _glyphs(world, look, _letters(look, ""))
    return GlyphObject(in_palette(_joined(glyphs), HIGH_CONTRAST), Trait.NONE, "grey")


def _letters(look: CellLook, letter: str) -> list[str]:
    """Return the letters of the mark and the entities; only the topmost has one."""
    letters = [""] * (1 + len(look.things))
    letters[-1] = letter
    return letters


def _mark_object(mark: Mark, letter: str) -> WorldObj:
    if mark.kind == "goal":
        return LetteredObject(Goal(), letter) if letter else Goal()
    return GlyphObject(mark_glyph(mark, letter), Trait.NONE, mark.color or "green")


def _thing_object(world: World, shown: Shown, letter: str) -> WorldObj:
    entity = world.entities[shown.entity]
    name = entity.type.values[shown.value]
    native = NATIVE.get(entity.type.name)
    made = native(entity.spec, name) if native else None
    if made:
        room = WHOLE_CELL if entity.type.fills_patch else ROOM_BESIDE
        return LetteredObject(made, letter, room) if letter else made
    glyph = thing_glyph(world, shown, letter)
    return GlyphObject(glyph, entity.type.traits(entity.spec, name), entity.color or "grey")


def _glyphs(world: World, look: CellLook, letters: list[str]) -> list[Glyph]:
    """Return the glyphs of the mark and the entities on a cell, bottom to top."""
    things = [thing_glyph(world, shown, letter) for shown, letter in zip(look.things, letters[1:], strict=True)]
    if look.mark is None:
        return things
    return [GOAL if look.mark.kind == "goal" else mark_glyph(look.mark, letters[0]), *things]


def _stacked(layers: list[WorldObj], world: World, look: CellLook, letters: list[str]) -> GlyphObject:
    """Combine several layers into one object with the traits of all entities.

    It has the encoding of the topmost entity; if that is a solid built-in one, its code also covers the layers below.
    """
    glyphs, traits = _glyphs(world, look, letters), Trait.NONE
    for shown in look.things:
        entity = world.entities[shown.entity]
        traits |= entity.type.traits(entity.spec, entity.type.values[shown.value])
    top = layers[-1]
    encoding = top.encode()
    if isinstance(top, GlyphObject):
        encoding = (*encoding[:2], _look_code(_joined(glyphs[:-1] if traits & Trait.SOLID else glyphs)))
    return GlyphObject(_joined(glyphs), traits, top.color, encoding)


def _joined(glyphs: list[Glyph]) -> Glyph:
    return Glyph(tuple(shape for glyph in glyphs for shape in glyph.shapes))
