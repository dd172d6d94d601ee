"""What things and marks look like, as glyphs: all that a renderer has to draw beside floor, walls and the agent."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from gridworld.drawing.glyphs import RGB, Circle, Color, Glyph, Line, Polygon, Rectangle, Shape, Tint
from gridworld.drawing.signs import DOT, PLATE, dots, written
from gridworld.world.looks import CellLook
from gridworld.world.world import World

if TYPE_CHECKING:
    from gridworld.world.goal_type import Mark
    from gridworld.world.looks import Shown


SIGN: RGB = (10, 90, 40)
FLAG = Glyph((Line(0.3, 0.14, 0.3, 0.88, 0.055, SIGN), Polygon(((0.3, 0.1), (0.86, 0.32), (0.3, 0.54)), SIGN)))
"""On the place to reach, where a renderer has no sign of its own for it."""
FRAME_WIDTH = 0.11
"""Of the frame around a target."""
LETTER_AT, LETTER_PLATE, LETTER_HEIGHT = 0.675, 0.25, 0.35
"""The middle of a letter's plate, across and down, its radius, and the letter's height: within the disc in the cell."""
ROOM_BESIDE = (0.053, 0.64)
"""Where things that lie on the ground are drawn beside a letter: the corner of a square, across and down, and its side.
The disc in it touches the disc in the cell, so that it is within cells of any shape."""
DOTS_BESIDE, DOTS_SCALE = 0.31, 0.75
"""Where dots are, and how large, beside a letter on what fills a cell."""
GAP = 0.24
"""Half of the gap between two pieces of a frame, as a part of a piece and the gap."""


def thing_glyph(world: World, shown: Shown, letter: str = "") -> Glyph:
    """How a thing looks: its type's glyph, with its dots above, and a letter if it is given one.

    A letter stands upon what fills a cell, and beside what does not, which is then smaller.
    """
    entity = world.entities[shown.entity]
    glyph = entity.type.look(entity.spec, entity.type.values[shown.value], shown.part)
    if letter and not entity.type.fills_patch:
        small = Glyph((*glyph.shapes, *dots(shown.number))).in_square(*ROOM_BESIDE)
        return Glyph((*small.shapes, *letter_shapes(letter)))
    above = _above(shown.number, letter)
    return Glyph((*glyph.shapes, *above)) if above else glyph


def _above(number: int, letter: str) -> tuple[Shape, ...]:
    """The dots in the middle; with a letter, they make room for it."""
    if not letter:
        return dots(number)
    return (*dots(number, DOTS_BESIDE, DOTS_SCALE), *letter_shapes(letter))


def letter_shapes(letter: str) -> tuple[Shape, ...]:
    """A letter on a plate."""
    plate = Circle(LETTER_AT, LETTER_AT, LETTER_PLATE, PLATE)
    return (plate, *written(letter, LETTER_AT, LETTER_AT, LETTER_HEIGHT, DOT))


def mark_glyph(mark: Mark, letter: str = "") -> Glyph:
    """How a mark looks: a flag on the place to reach, a frame around any other target; with a letter if it has one.

    The frame has the colour and the dots of what belongs into it, and shows around a block that stands there. Where
    nothing belongs into it, it is green and has a cross, or a tick once it has been visited.
    """
    if mark.kind == "goal":
        return Glyph((*FLAG.shapes, *_above(0, letter))) if letter else FLAG
    color = Tint(mark.color or "green")
    cross: tuple[Shape, ...] = (
        Line(0.36, 0.36, 0.64, 0.64, 0.05, color),
        Line(0.36, 0.64, 0.64, 0.36, 0.05, color),
    )
    tick: tuple[Shape, ...] = (Line(0.3, 0.54, 0.45, 0.7, 0.05, color), Line(0.45, 0.7, 0.72, 0.34, 0.05, color))
    sign = () if mark.number else tick if mark.visited else cross
    return Glyph((*_frame(max(mark.number, 1), color), *sign, *_above(mark.number, letter)))


def _frame(number: int, color: Color) -> Iterator[Shape]:
    """Four sides, each in as many pieces as there are dots, since a block that stands on the target hides these."""
    far, gap = 1 - FRAME_WIDTH, GAP / number
    for piece in range(number):
        start = piece / number + (gap if piece else 0)
        end = (piece + 1) / number - (gap if piece < number - 1 else 0)
        yield Rectangle(start, 0, end, FRAME_WIDTH, color)
        yield Rectangle(start, far, end, 1, color)
        yield Rectangle(0, start, FRAME_WIDTH, end, color)
        yield Rectangle(far, start, 1, end, color)


NOT_SHOWN = 0
"""The number of a cell that may not be shown."""
IN_VIEW = 1
"""The bit that tells a cell in view from one that is remembered."""


class ShownCell(NamedTuple):
    """How a cell is shown."""

    world: World
    """One that has the things of the look."""
    look: CellLook
    letter: str
    """The letter on its topmost thing or mark; empty for none."""
    in_view: bool
    """Whether it is in view; else it is shown as last seen."""


class LookNumbers:
    """Numbers for looks, given in the order in which they are asked for; equal looks of one world have one number."""

    def __init__(self) -> None:
        self._numbers: dict[tuple[World | None, CellLook, str], int] = {}
        self._shown: list[ShownCell] = []

    def in_view(self, world: World, look: CellLook, letter: str = "") -> int:
        """The number of a look in view; without the bit `IN_VIEW` it is the one of the same look as remembered."""
        key = (world if look.things else None, look, letter)
        number = self._numbers.get(key)
        if number is None:
            self._shown += [ShownCell(world, look, letter, in_view) for in_view in (False, True)]
            number = self._numbers[key] = len(self._shown) | IN_VIEW
        return number

    def shown(self, number: int) -> ShownCell | None:
        """What a number stands for; None for a cell that may not be shown."""
        return None if number == NOT_SHOWN else self._shown[number - 2]
