"""What a look is drawn as: fills and glyphs, the same on every tiling.

What fills a patch fills all cells of it: a thing whose glyph has a ground, such as lava, has its colour everywhere and
the glyph on the anchor; one without, such as a gate, has a band along every cell's edges and the glyph on each.
"""

from __future__ import annotations

from typing import NamedTuple

from gridworld.drawing.glyphs import RGB, Glyph, Line, Polygon, Rectangle, to_rgb
from gridworld.world import World
from gridworld.world.looks import CellLook
from gridworld_multigrid.rendering.palette import FLOOR, GOAL, MARKER, PALETTE, SIGN, WALL

__all__ = ["Appearance", "PlacedGlyph", "appearance_of"]

FLAG = Glyph(
    (Line(0.3, 0.14, 0.3, 0.88, 0.055, SIGN), Polygon(((0.3, 0.1), (0.86, 0.32), (0.3, 0.54)), SIGN)),
)
"""On the goal."""
CROSS = Glyph((Line(0.22, 0.22, 0.78, 0.78, 0.07, SIGN), Line(0.22, 0.78, 0.78, 0.22, 0.07, SIGN)))
"""On other targets."""
GROUND = 0.05
"""How far the ground of a glyph may stay away from the edges of the unit cell."""


class PlacedGlyph(NamedTuple):
    """A glyph, and how it is drawn on a cell."""

    glyph: Glyph
    fills: bool
    """Whether it belongs to what fills the cell, or to a thing that lies there."""
    rimmed: bool
    """Whether a dark rim sets it off from what is below."""


class Appearance(NamedTuple):
    """What is drawn on a cell, from the ground up."""

    fill: RGB
    band: RGB | None = None
    """The colour along the edges, if another one than the fill's."""
    glyphs: tuple[PlacedGlyph, ...] = ()


def appearance_of(world: World, look: CellLook, is_anchor: bool) -> Appearance:
    """What a look is drawn as on the anchor of a patch or on another cell of it."""
    if look.wall:
        return Appearance(WALL)
    appearance = _ground(look, is_anchor)
    for index, value in look.things:
        entity = world.entities[index]
        glyph = entity.type.glyph(entity.spec, entity.type.values[value])
        if entity.type.fills_patch:
            appearance = _filled(appearance, glyph, is_anchor)
        else:
            appearance = _with_glyph(appearance, PlacedGlyph(glyph, fills=False, rimmed=True))
    return appearance


def _ground(look: CellLook, is_anchor: bool) -> Appearance:
    if look.goal:
        return Appearance(GOAL, None, (PlacedGlyph(FLAG, fills=True, rimmed=False),) if is_anchor else ())
    if look.marker:
        return Appearance(MARKER, None, (PlacedGlyph(CROSS, fills=True, rimmed=False),) if is_anchor else ())
    return Appearance(FLOOR)


def _filled(below: Appearance, glyph: Glyph, is_anchor: bool) -> Appearance:
    ground = _ground_color(glyph)
    if ground is None:
        banded = below._replace(band=_first_color(glyph))
        return _with_glyph(banded, PlacedGlyph(glyph, fills=True, rimmed=True))
    filled = below._replace(fill=ground, glyphs=())
    return _with_glyph(filled, PlacedGlyph(glyph, fills=True, rimmed=False)) if is_anchor else filled


def _with_glyph(appearance: Appearance, glyph: PlacedGlyph) -> Appearance:
    return appearance._replace(glyphs=(*appearance.glyphs, glyph))


def _ground_color(glyph: Glyph) -> RGB | None:
    """The colour of a glyph's first shape if that covers the whole cell."""
    first = glyph.shapes[0] if glyph.shapes else None
    if not isinstance(first, Rectangle):
        return None
    margins = (first.left, first.top, 1 - first.right, 1 - first.bottom)
    return _first_color(glyph) if max(margins) <= GROUND else None


def _first_color(glyph: Glyph) -> RGB | None:
    return to_rgb(glyph.shapes[0].color, PALETTE) if glyph.shapes else None
