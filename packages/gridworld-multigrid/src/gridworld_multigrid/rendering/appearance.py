"""Colours and glyphs of looks, the same on every tiling.

An entity that fills a patch is drawn across all its cells, with one glyph in the largest circle of the patch. If the
glyph has a background, as lava does, its colour covers the patch; otherwise, as with a gate, a band runs inside the
edges.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from gridworld.backends.thing_glyphs import mark_glyph, thing_glyph
from gridworld.drawing.glyphs import RGB, Glyph, Rectangle, in_palette, to_rgb
from gridworld.world import World
from gridworld.world.goal_type import Mark
from gridworld.world.looks import CellLook
from gridworld_multigrid.rendering.palette import HALO, Colors

GROUND = 0.05
"""Maximum margin between a glyph's background and the edges of the unit cell."""


class PlacedGlyph(NamedTuple):
    """A glyph and its placement on a cell."""

    glyph: Glyph
    fills: bool
    """Whether the glyph belongs to an entity or mark that fills the cell."""
    rimmed: bool
    """Whether the glyph has a dark rim."""


class Appearance(NamedTuple):
    """How a cell is drawn: the colours of its zones (`zones.Zones`), and its glyphs from bottom to top."""

    fill: RGB
    rim: RGB
    joint: RGB | None
    """Colour of the lines between cells of a patch; None if the patch is drawn as one."""
    hem: RGB
    band: RGB
    inset: RGB
    glyphs: tuple[PlacedGlyph, ...] = ()


def _in_one(fill: RGB, rim: RGB, glyphs: tuple[PlacedGlyph, ...] = ()) -> Appearance:
    """Return the appearance of a patch in a single colour, with a hem."""
    return Appearance(fill, rim=rim, joint=None, hem=rim, band=fill, inset=fill, glyphs=glyphs)


def appearance_of(world: World, look: CellLook, colors: Colors, letter: str = "") -> Appearance:
    """Return the appearance of a look on one cell of a patch.

    Args:
        world: the world.
        look: the look of the cell.
        colors: the colours of the picture.
        letter: the letter on the topmost entity or mark; empty for none.
    """
    if look.wall:
        return _in_one(colors.wall, colors.wall)
    top = len(look.things) - 1
    appearance = _ground(look.mark, colors, "" if look.things else letter)
    for place, shown in enumerate(look.things):
        glyph = colored(thing_glyph(world, shown, letter if place == top else ""), colors)
        if world.entities[shown.entity].type.fills_patch:
            appearance = _filled(appearance, glyph)
        else:
            appearance = _with_glyph(appearance, PlacedGlyph(glyph, fills=False, rimmed=True))
    return appearance


def _ground(mark: Mark | None, colors: Colors, letter: str) -> Appearance:
    """Return floor with its mark; the target of an entity is a thing on the floor."""
    floor = _in_one(colors.floor, colors.floor)._replace(rim=colors.outline, joint=colors.outline)
    if mark is None:
        return floor
    glyph = colored(mark_glyph(mark, letter), colors)
    if mark.kind == "goal":
        return _in_one(colors.goal, colors.sign, (PlacedGlyph(glyph, fills=True, rimmed=False),))
    if mark.color is None:
        return _in_one(colors.marker, HALO, (PlacedGlyph(glyph, fills=True, rimmed=True),))
    return _with_glyph(floor, PlacedGlyph(glyph, fills=False, rimmed=True))


def _filled(below: Appearance, glyph: Glyph) -> Appearance:
    ground = _ground_color(glyph)
    if ground is not None:
        above = Glyph(glyph.shapes[1:])  # the patch itself is the ground, which would partly cover the hem
        return _in_one(ground, HALO, (PlacedGlyph(above, fills=True, rimmed=False),))
    color = _first_color(glyph)
    banded = below if color is None else below._replace(rim=HALO, joint=None, hem=HALO, band=color, inset=HALO)
    return _with_glyph(banded, PlacedGlyph(glyph, fills=True, rimmed=True))


@lru_cache(maxsize=2048)
def colored(glyph: Glyph, colors: Colors) -> Glyph:
    """Return the glyph with RGB colours."""
    return in_palette(glyph, colors.named)


def _with_glyph(appearance: Appearance, glyph: PlacedGlyph) -> Appearance:
    return appearance._replace(glyphs=(*appearance.glyphs, glyph))


def _ground_color(glyph: Glyph) -> RGB | None:
    """Return the colour of a glyph's first shape if it covers the whole cell."""
    first = glyph.shapes[0] if glyph.shapes else None
    if not isinstance(first, Rectangle):
        return None
    margins = (first.left, first.top, 1 - first.right, 1 - first.bottom)
    return _first_color(glyph) if max(margins) <= GROUND else None


def _first_color(glyph: Glyph) -> RGB | None:
    """Return the colour of the first shape of a glyph with RGB colours."""
    return to_rgb(glyph.shapes[0].color, {}) if glyph.shapes else None
