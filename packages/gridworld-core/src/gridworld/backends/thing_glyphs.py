"""Glyphs of entities and goal marks, for all renderers."""

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
"""Default flag on the cell to reach."""
FRAME_WIDTH = 0.11
"""Width of the frame around a target."""
LETTER_AT, LETTER_PLATE, LETTER_HEIGHT = 0.675, 0.25, 0.35
"""Letters: centre (both across and down) and radius of the plate, and height of the letter."""
ROOM_BESIDE = (0.053, 0.64)
"""Corner and side of the square in which small entities are drawn next to a letter, as shares of the cell.

The discs inscribed in the square and in the cell touch, so the square fits into cells of any shape.
"""
DOTS_BESIDE, DOTS_SCALE = 0.31, 0.75
"""Centre and scale of the dots next to a letter, on entities that fill a cell."""
GAP = 0.24
"""Half the gap between pieces of a frame, as a fraction of the length of a piece with its gap."""


def thing_glyph(world: World, shown: Shown, letter: str = "") -> Glyph:
    """Return an entity's glyph with its dots, and with a letter if given.

    Entities that fill a cell carry the letter; others are drawn smaller beside it.
    """
    entity = world.entities[shown.entity]
    glyph = entity.type.look(entity.spec, entity.type.values[shown.value], shown.part)
    if letter and not entity.type.fills_patch:
        small = Glyph((*glyph.shapes, *dots(shown.number))).in_square(*ROOM_BESIDE)
        return Glyph((*small.shapes, *letter_shapes(letter)))
    above = _above(shown.number, letter)
    return Glyph((*glyph.shapes, *above)) if above else glyph


def _above(number: int, letter: str) -> tuple[Shape, ...]:
    """Draw dots in the middle, or a letter with dots next to it."""
    if not letter:
        return dots(number)
    return (*dots(number, DOTS_BESIDE, DOTS_SCALE), *letter_shapes(letter))


def letter_shapes(letter: str) -> tuple[Shape, ...]:
    """Draw a letter on a plate."""
    plate = Circle(LETTER_AT, LETTER_AT, LETTER_PLATE, PLATE)
    return (plate, *written(letter, LETTER_AT, LETTER_AT, LETTER_HEIGHT, DOT))


def mark_glyph(mark: Mark, letter: str = "") -> Glyph:
    """Return a mark's glyph, with a letter if given: a flag on the cell to reach, a frame around other targets.

    A frame has the colour and dots of its block, and stays visible around the block. Without a block, it is green with
    a cross, or with a tick once visited.
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
    """Yield four sides, each split into one piece per dot, since a block on the target hides the dots."""
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
"""Bit set in the numbers of cells in view."""


class ShownCell(NamedTuple):
    """How one cell is drawn."""

    world: World
    """World that contains the look's entities."""
    look: CellLook
    letter: str
    """Letter on the topmost entity or mark; empty for none."""
    in_view: bool
    """Whether the cell is in view, rather than remembered."""


class LookNumbers:
    """Numbers for looks, assigned on first use; equal looks of one world share a number."""

    def __init__(self) -> None:
        self._numbers: dict[tuple[World | None, CellLook, str], int] = {}
        self._shown: list[ShownCell] = []

    def in_view(self, world: World, look: CellLook, letter: str = "") -> int:
        """Return the number of a look in view; clear the bit `IN_VIEW` for the remembered look."""
        key = (world if look.things else None, look, letter)
        number = self._numbers.get(key)
        if number is None:
            self._shown += [ShownCell(world, look, letter, in_view) for in_view in (False, True)]
            number = self._numbers[key] = len(self._shown) | IN_VIEW
        return number

    def shown(self, number: int) -> ShownCell | None:
        """Return the look with a number; None for an unseen cell."""
        return None if number == NOT_SHOWN else self._shown[number - 2]
