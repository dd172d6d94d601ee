"""Glyphs of entities and marks: everything that renderers draw besides floor, walls and the agent."""

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
"""Default sign on the place to reach."""
FRAME_WIDTH = 0.11
"""Width of the frame around a target."""
LETTER_AT, LETTER_PLATE, LETTER_HEIGHT = 0.675, 0.25, 0.35
"""Centre (across and down) and radius of a letter's plate, and height of the letter."""
ROOM_BESIDE = (0.053, 0.64)
"""Corner and side of the square for small entities beside a letter. The discs inscribed in the square and in
the cell touch, so the square fits into cells of any shape."""
DOTS_BESIDE, DOTS_SCALE = 0.31, 0.75
"""Centre and scale of dots beside a letter on entities that fill a cell."""
GAP = 0.24
"""Half of the gap between pieces of a frame, as a fraction of a piece with its gap."""


def thing_glyph(world: World, shown: Shown, letter: str = "") -> Glyph:
    """Draw an entity: the glyph of its type with dots, and a letter if given.

    Letters are on entities that fill a cell, and beside others, which are drawn smaller.
    """
    entity = world.entities[shown.entity]
    glyph = entity.type.look(entity.spec, entity.type.values[shown.value], shown.part)
    if letter and not entity.type.fills_patch:
        small = Glyph((*glyph.shapes, *dots(shown.number))).in_square(*ROOM_BESIDE)
        return Glyph((*small.shapes, *letter_shapes(letter)))
    above = _above(shown.number, letter)
    return Glyph((*glyph.shapes, *above)) if above else glyph


def _above(number: int, letter: str) -> tuple[Shape, ...]:
    """Draw dots in the middle, or a letter with dots beside it."""
    if not letter:
        return dots(number)
    return (*dots(number, DOTS_BESIDE, DOTS_SCALE), *letter_shapes(letter))


def letter_shapes(letter: str) -> tuple[Shape, ...]:
    """Draw a letter on a plate."""
    plate = Circle(LETTER_AT, LETTER_AT, LETTER_PLATE, PLATE)
    return (plate, *written(letter, LETTER_AT, LETTER_AT, LETTER_HEIGHT, DOT))


def mark_glyph(mark: Mark, letter: str = "") -> Glyph:
    """Draw a mark: a flag on the place to reach, a frame around other targets; with a letter if given.

    The frame has the colour and dots of its block, and is visible around the block. Without a block, it is green with a
    cross, or with a tick once visited.
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
    """Yield four sides, each in as many pieces as there are dots, since a block on the target hides the dots."""
    far, gap = 1 - FRAME_WIDTH, GAP / number
    for piece in range(number):
        start = piece / number + (gap if piece else 0)
        end = (piece + 1) / number - (gap if piece < number - 1 else 0)
        yield Rectangle(start, 0, end, FRAME_WIDTH, color)
        yield Rectangle(start, far, end, 1, color)
        yield Rectangle(0, start, FRAME_WIDTH, end, color)
        yield Rectangle(far, start, 1, end, color)


NOT_SHOWN = 0
"""Number of an unseen cell."""
IN_VIEW = 1
"""Bit that is set in the numbers of cells in view."""


class ShownCell(NamedTuple):
    """Look of a cell in a picture."""

    world: World
    """A world with the entities of the look."""
    look: CellLook
    letter: str
    """Letter on the topmost entity or mark; empty for none."""
    in_view: bool
    """Whether the cell is in view, rather than shown as last seen."""


class LookNumbers:
    """Numbers of looks, in the order of first use; equal looks of one world have the same number."""

    def __init__(self) -> None:
        self._numbers: dict[tuple[World | None, CellLook, str], int] = {}
        self._shown: list[ShownCell] = []

    def in_view(self, world: World, look: CellLook, letter: str = "") -> int:
        """Return the number of a look in view; clearing the bit `IN_VIEW` gives the number of the remembered look."""
        key = (world if look.things else None, look, letter)
        number = self._numbers.get(key)
        if number is None:
            self._shown += [ShownCell(world, look, letter, in_view) for in_view in (False, True)]
            number = self._numbers[key] = len(self._shown) | IN_VIEW
        return number

    def shown(self, number: int) -> ShownCell | None:
        """Return the look with this number; None for an unseen cell."""
        return None if number == NOT_SHOWN else self._shown[number - 2]
