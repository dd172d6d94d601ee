"""Every colour of a picture stands out: along most of its outline it borders on colours with a contrast of 3:1."""

from collections import Counter
from collections.abc import Iterable

import numpy as np
import pytest

from gridworld.backends.thing_glyphs import mark_glyph, thing_glyph
from gridworld.drawing.contrast import LEAST_CONTRAST, contrast
from gridworld.drawing.glyphs import RGB, Glyph, Rectangle, in_palette
from gridworld.drawing.signs import PLATE
from gridworld.mechanisms.blocks import BLOCKS, BlockSpec
from gridworld.mechanisms.gates import GATES, GateSpec
from gridworld.mechanisms.switches import SWITCHES, SwitchSpec
from gridworld.task.colors import COLOR_NAMES
from gridworld.task_spec import Position
from gridworld.world.goal_type import Mark
from gridworld.world.mechanism_type import Trait
from gridworld_minigrid.objects import NATIVE, GlyphObject
from gridworld_minigrid.objects import PALETTE as MINIGRID
from gridworld_minigrid.tiles import Shade, draw_tile
from gridworld_multigrid.rendering.appearance import Appearance
from gridworld_multigrid.rendering.layers import draw_glyph, lay_over
from gridworld_multigrid.rendering.layout import lay_out
from gridworld_multigrid.rendering.palette import FLOOR, GOAL, HALO, OWN, PALETTE, SIGN
from gridworld_multigrid.rendering.raster import WHOLE
from gridworld_multigrid.rendering.sprites import RIM, draw_cell, draw_remembered
from support.tilings import EVERYTHING, THINGS, Thing, make_topology

SIDE = 120
BLACK = (0, 0, 0)
LEAST_REMEMBERED = 2.2
"""Of what is remembered, whose dimming is part of what it tells."""
BITS = 24
"""Of the code of a colour."""
BLUR = 3
"""Pixels between two that are compared, since those between them are blends of both."""


def borders(image: np.ndarray, colors: Iterable[RGB]) -> Counter[tuple[RGB, RGB]]:
    """How often each two of some colours are next to each other; blends are left out."""
    red, green, blue = np.moveaxis(image.astype(int), -1, 0)
    codes = red | green << 8 | blue << 16
    plain = np.isin(codes, [red + 256 * green + 65536 * blue for red, green, blue in colors])
    found: Counter[tuple[RGB, RGB]] = Counter()
    for one, other in ((np.s_[:, :-BLUR], np.s_[:, BLUR:]), (np.s_[:-BLUR], np.s_[BLUR:])):
        both = plain[one] & plain[other] & (codes[one] != codes[other])
        pairs, counts = np.unique(codes[one][both] << BITS | codes[other][both], return_counts=True)
        for pair, count in zip(pairs.tolist(), counts.tolist(), strict=True):
            first, second = _color(pair >> BITS), _color(pair % (1 << BITS))
            found[first, second] += count
            found[second, first] += count
    return found


def _color(code: int) -> RGB:
    return code % 256, code // 256 % 256, code // 65536


def faint(image: np.ndarray, colors: set[RGB]) -> list[RGB]:
    """Those of some colours that do not stand out along most of their outline; dark plates are grounds themselves."""
    found = borders(image, {*colors, FLOOR, HALO, BLACK})
    weak = []
    for color in sorted(colors - {PLATE, BLACK}):
        shares = {other: count for (one, other), count in found.items() if one == color}
        strong = sum(count for other, count in shares.items() if contrast(color, other) >= LEAST_CONTRAST)
        if strong < sum(shares.values()) / 2:
            weak.append(color)
    return weak


def faint_colors(glyph: Glyph, ground: RGB, rim: float) -> list[RGB]:
    """Of a glyph that is painted on a ground, with a dark rim of that part of its size."""
    color = np.full((SIDE, SIDE, 3), np.array(ground) * WHOLE, dtype=np.int32)
    layer = draw_glyph(glyph, SIDE / 1.5, rim * SIDE / 1.5, HALO)
    at = (SIDE - layer.size) // 2
    lay_over(color, np.full((SIDE, SIDE), WHOLE, dtype=np.int32), layer, at, at)
    return faint(color // WHOLE, {shape.color for shape in glyph.shapes})


def faint_on_minigrid(glyph: Glyph) -> list[RGB]:
    """On MiniGrid's black floor, in our colours for it."""
    return faint_colors(in_palette(glyph, MINIGRID), BLACK, 0)


def faint_on_multigrid(glyph: Glyph) -> list[RGB]:
    """On light floor, with a dark rim."""
    return faint_colors(in_palette(glyph, PALETTE), FLOOR, RIM)


MARKS = [Mark("target"), *(Mark("target", color, 1) for color in COLOR_NAMES)]
OURS = [thing for thing in THINGS if thing.number == (1 if thing.entity.type.numbered else 0)]


def is_minigrids(thing: Thing) -> bool:
    native = NATIVE.get(thing.entity.type.name)
    return bool(native and native(thing.entity.spec, thing.value))


@pytest.mark.parametrize("thing", OURS, ids=lambda thing: thing.title)
def test_the_colours_of_things_stand_out(thing: Thing) -> None:
    glyph = thing_glyph(EVERYTHING, thing.layer)
    assert faint_on_multigrid(glyph) == []
    assert is_minigrids(thing) or faint_on_minigrid(glyph) == []


@pytest.mark.parametrize("mark", MARKS, ids=str)
def test_the_colours_of_targets_stand_out(mark: Mark) -> None:
    assert faint_on_multigrid(mark_glyph(mark)) == []
    assert faint_on_minigrid(mark_glyph(mark)) == []


@pytest.mark.parametrize("color", ["black", "navy", "maroon"])
def test_what_has_a_dark_colour_of_css_stands_out(color: str) -> None:
    place = Position(1, 1)
    gate, block = GateSpec("g", place, color=color), BlockSpec("b", place, color=color)
    switches = [SwitchSpec("s", place, color=color, switch_type=kind) for kind in ("toggle", "hold", "one_shot")]
    glyphs = [
        *(GATES.glyph(gate, value) for value in GATES.values),
        *(SWITCHES.glyph(switch, value) for switch in switches for value in SWITCHES.values),
        *(BLOCKS.glyph(block, value) for value in BLOCKS.values),
        mark_glyph(Mark("target", color, 1)),
    ]
    for glyph in glyphs:
        assert faint_on_minigrid(glyph) == []
        assert faint_on_multigrid(glyph) == []


def test_the_goals_sign_stands_out() -> None:
    assert min(contrast(SIGN, GOAL), contrast(SIGN, FLOOR)) >= LEAST_CONTRAST


def remembered_on_minigrid(color: RGB) -> RGB:
    thing = GlyphObject(Glyph((Rectangle(0, 0, 1, 1, color),)), Trait.NONE, "grey")
    red, green, blue = draw_tile(thing, None, Shade.REMEMBERED, 16)[8, 8].tolist()
    return red, green, blue


def remembered_on_multigrid(color: RGB) -> RGB:
    shape = lay_out(make_topology("square", (3, 3)), (96, 96)).cells[4].shape
    plain = Appearance(color, rim=color, joint=None, hem=color, band=color, inset=color)
    picture = draw_remembered(draw_cell(shape, frozenset(), plain, OWN), shape, OWN).sums // WHOLE
    red, green, blue = picture[shape.height // 2, shape.width // 2].tolist()
    return red, green, blue


@pytest.mark.parametrize("color", COLOR_NAMES)
def test_remembered_colours_stay_readable(color: str) -> None:
    """They are dimmed, but stand out from remembered grounds about as well as the dimmest ones in view from theirs."""
    there, here = remembered_on_minigrid(MINIGRID[color]), remembered_on_multigrid(PALETTE[color])
    assert contrast(there, remembered_on_minigrid(BLACK)) >= LEAST_REMEMBERED
    assert contrast(here, remembered_on_multigrid(HALO)) >= LEAST_REMEMBERED


def test_remembered_floor_and_dark_rims_stand_out_from_each_other() -> None:
    assert contrast(remembered_on_multigrid(FLOOR), remembered_on_multigrid(HALO)) >= 2 * LEAST_CONTRAST
    assert contrast(remembered_on_multigrid(FLOOR), FLOOR) >= 1.8
