"""World objects for MiniGrid's grid: its own where it has them, glyphs where it does not."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from itertools import pairwise
from typing import Any
from zlib import crc32

import attrs
import numpy as np
from minigrid.core.constants import COLOR_TO_IDX, OBJECT_TO_IDX
from minigrid.core.world_object import Door, Goal, Key, Lava, Wall, WorldObj

from gridworld.backends.looks import ROOM_BESIDE, letter_shapes, mark_glyph, thing_glyph
from gridworld.drawing.contrast import HIGH_CONTRAST, lightened
from gridworld.drawing.glyphs import RGB, Circle, Glyph, Line, Polygon, Rectangle, Shape, in_palette
from gridworld.drawing.signs import PLATE
from gridworld.support.caches import bounded
from gridworld.task.colors import COLORS, nearest_of_six
from gridworld.world import World
from gridworld.world.goal_type import Mark
from gridworld.world.looks import CellLook, Shown
from gridworld.world.mechanism_type import Trait
from gridworld_minigrid.painting import Samples, native_glyph

__all__ = [
    "EMPTY",
    "OUTSIDE",
    "PALETTE",
    "Code",
    "DrawnObject",
    "GlyphObject",
    "code_of",
    "make_bright_object",
    "make_object",
    "paint",
    "render",
]

Code = tuple[int, int, int]
"""MiniGrid's symbolic encoding of an object: its type, its colour and its state."""
EMPTY: Code = (OBJECT_TO_IDX["empty"], 0, 0)
"""That of a cell where nothing is."""
OUTSIDE: Code = (OBJECT_TO_IDX["wall"], COLOR_TO_IDX["grey"], 0)
"""That of a place outside the grid, which looks like wall."""

PALETTE: dict[str, RGB] = {name: lightened(color, PLATE) for name, color in COLORS.items()}
"""The six colours for what MiniGrid has no objects for: its own, lightened as far as dark plates and floor ask for."""
GOAL = Glyph((Rectangle(0, 0, 1, 1, COLORS["green"]),))
"""MiniGrid's goal, below what lies on it."""
BRIGHT_WALL = Glyph((Rectangle(0, 0, 1, 1, (255, 255, 255)),))
FIRST_STATE_CODE = 8
"""MiniGrid's own objects use the states 0 to 2; what it does not know has codes from here to 255."""

CODE_SALT = 17778
"""Chosen so that no two looks of the core's own mechanisms have one code."""

UNCOLORED: RGB = (0, 0, 0)
WHOLE_CELL = (0.0, 1.0)
BYTES_PER_SHAPE = 512
"""Bytes of a shape and of what belongs to an array beside its pixels."""


class DrawnObject(WorldObj):
    """A thing that is not drawn as MiniGrid draws it."""

    look: Hashable
    """What tells its picture from those of others."""


class LetteredObject(DrawnObject):
    """One of MiniGrid's own things with a letter; for pictures alone.

    Args:
        thing: the thing.
        letter: the letter.
        room: where the thing is drawn: the corner of a square, across and down, and its side, as parts of the cell.
    """

    def __init__(self, thing: WorldObj, letter: str, room: tuple[float, float] = WHOLE_CELL) -> None:
        super().__init__(thing.type, thing.color)
        self._thing = thing
        self._room = room
        self._letter = Glyph(letter_shapes(letter))
        self.look = (thing.encode(), letter)

    def render(self, img: np.ndarray) -> None:
        """Draw the thing and the letter onto an image of one cell."""
        start, side = self._room
        first, last = round(start * len(img)), round((start + side) * len(img))
        render(self._thing, img[first:last, first:last])
        paint(img, self._letter)


class GlyphObject(DrawnObject):
    """A thing that MiniGrid has no object for, drawn from its glyph.

    Its symbolic encoding is (the nearest MiniGrid type, its colour, a code of its look from 8 to 255).

    Args:
        glyph: how it looks.
        traits: what it is like.
        color: the name of a colour; MiniGrid is told the one of the six that is most like it.
        encoding: another encoding, for things that lie on others.
    """

    def __init__(self, glyph: Glyph, traits: Trait, color: str, encoding: tuple[int, int, int] | None = None) -> None:
        super().__init__(_nearest_type(traits), nearest_of_six(color))
        self.glyph = self.look = glyph
        self.traits = traits
        self.is_open, self.is_locked = False, True  # what MiniGrid asks of whatever it takes for a door
        self._encoding = encoding or (OBJECT_TO_IDX[self.type], COLOR_TO_IDX[self.color], _look_code(glyph))

    def can_overlap(self) -> bool:
        """Whether the agent can stand on it."""
        return not self.traits & Trait.SOLID

    def can_pickup(self) -> bool:
        """Whether it can be carried."""
        return bool(self.traits & Trait.PORTABLE)

    def see_behind(self) -> bool:
        """Whether it lets sight pass."""
        return not self.traits & Trait.OPAQUE

    def encode(self) -> tuple[int, int, int]:
        """(type, colour, code)."""
        return self._encoding

    def render(self, img: np.ndarray) -> None:
        """Draw the glyph onto an image of one cell."""
        paint(img, self.glyph)


def render(thing: WorldObj, image: np.ndarray) -> None:
    """Draw a thing onto an image of one cell, in place, as its own ``render`` does."""
    glyph = native_glyph(thing)
    if glyph is None:
        thing.render(image)
    else:
        paint(image, glyph)


def paint(image: np.ndarray, glyph: Glyph) -> None:
    """Draw a glyph onto an image of one cell, in place.

    Args:
        image: shape (height, width, 3).
        glyph: what to draw.
    """
    height, width, _ = image.shape
    for shape in in_palette(glyph, PALETTE).shapes:
        image[_covered(attrs.evolve(shape, color=UNCOLORED), height, width)] = shape.color


@bounded(lambda pixels, *_: BYTES_PER_SHAPE + pixels.nbytes)
def _covered(shape: Shape, height: int, width: int) -> np.ndarray:
    """Which pixels a shape of any colour takes."""
    samples = Samples(height, width)
    pixels: np.ndarray = np.logical_or.reduce(_parts(shape, samples))
    pixels.flags.writeable = False
    return pixels


def _parts(shape: Shape, samples: Samples) -> list[np.ndarray]:
    match shape:
        case Rectangle():
            return [samples.in_rectangle(shape.left, shape.right, shape.top, shape.bottom)]
        case Circle():
            return [samples.in_circle(shape.x, shape.y, shape.radius)]
        case Line():
            return [samples.in_line((shape.x0, shape.y0), (shape.x1, shape.y1), shape.radius)]
        case Polygon():
            first, *rest = shape.points
            return [samples.in_triangle(first, left, right) for left, right in pairwise(rest)]


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
"""Mechanism type to MiniGrid's own object for it, or None where MiniGrid has none."""


def make_object(world: World, look: CellLook, letter: str = "") -> WorldObj | None:
    """The object that shows a cell's look; None for plain floor.

    Args:
        world: the world.
        look: what the cell shows.
        letter: the letter on the topmost thing or mark, for pictures alone; empty for none.
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
    """The encoding of an object; None is plain floor, or an empty hand."""
    if thing is None:
        return EMPTY
    code: Code = thing.encode()
    return code


def make_bright_object(world: World, look: CellLook) -> WorldObj | None:
    """The object for pictures in bright colours; None for plain floor."""
    if look.wall:
        return GlyphObject(BRIGHT_WALL, Trait.SOLID, "grey")
    if look.mark is None and not look.things:
        return None
    glyphs = _glyphs(world, look, _letters(look, ""))
    return GlyphObject(in_palette(_joined(glyphs), HIGH_CONTRAST), Trait.NONE, "grey")


def _letters(look: CellLook, letter: str) -> list[str]:
    """The letter of the mark and those of the things: the topmost has it, and no other one."""
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
    """The glyphs of the mark and the things on a cell, from the ground up."""
    things = [thing_glyph(world, shown, letter) for shown, letter in zip(look.things, letters[1:], strict=True)]
    if look.mark is None:
        return things
    return [GOAL if look.mark.kind == "goal" else mark_glyph(look.mark, letters[0]), *things]


def _stacked(layers: list[WorldObj], world: World, look: CellLook, letters: list[str]) -> GlyphObject:
    """Several things on one cell as one object: solid, opaque, ... if any of them is.

    It is encoded as the topmost of them; with the code of what lies below if that is solid and none of MiniGrid's own.
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
