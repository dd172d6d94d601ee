"""Pictures of single lattice cells, as a `Renderer` draws them in view."""

from __future__ import annotations

from collections.abc import Iterator

from gridworld.task_spec import Position
from gridworld.world import World
from gridworld.world.looks import CellLook
from gridworld_multigrid.rendering.agent_mark import arrow_length, corner_of, draw_arrow, paint_over
from gridworld_multigrid.rendering.appearance import appearance_of
from gridworld_multigrid.rendering.layout import Layout, lay_out_patch
from gridworld_multigrid.rendering.palette import OWN, Colors
from gridworld_multigrid.rendering.sprites import STRIPE_PERIOD, Guest, Sprite, draw_cell, draw_unseen
from gridworld_multigrid.rendering.sums import Picture, ground, rounded

__all__ = ["draw_patch"]

SPACING = 56
"""Pixels between two neighbouring columns of the lattice."""
SHOWN = Position(1, 1)
"""The lattice cell that stands for all: every lattice has it."""


def draw_patch(world: World, look: CellLook | None, heading: int | None, colors: Colors = OWN) -> Picture:
    """A lattice cell.

    Args:
        world: it has the things of the look.
        look: what is shown on the anchor; what fills patches and what is marked is on the other cells, too. None for
            what may not be seen.
        heading: where an agent on the anchor faces; None for no agent.
        colors: those of the picture.
    """
    layout = lay_out_patch(world.topology, SHOWN, SPACING)
    sums = ground(layout, colors.background)
    sprites = _unseen(layout, colors) if look is None else _seen(layout, world, look, colors)
    for placed, sprite in zip(layout.cells, sprites, strict=True):
        sums[placed.box.slices] += sprite
    picture = rounded(sums)
    if heading is not None:
        anchor = layout.cells[0]
        x, y = anchor.shape.centre
        arrow = draw_arrow(heading, world.headings, arrow_length(anchor.shape.inner_radius, layout.spacing), colors)
        paint_over(picture, arrow, *corner_of(arrow, anchor.box.left + x, anchor.box.top + y))
    return picture


def _unseen(layout: Layout, colors: Colors) -> Iterator[Sprite]:
    for placed in layout.cells:
        yield draw_unseen(placed.shape, (placed.box.left + placed.box.top) % STRIPE_PERIOD, colors)


def _seen(layout: Layout, world: World, look: CellLook, colors: Colors) -> Iterator[Sprite]:
    anchor, *others = layout.cells
    yield draw_cell(anchor.shape, frozenset(), appearance_of(world, look, True, colors), colors)
    filling = tuple(thing for thing in look.things if world.entities[thing.entity].type.fills_patch)
    beside = appearance_of(world, look._replace(things=filling), False, colors)
    loose = tuple(glyph for glyph in appearance_of(world, look, True, colors).glyphs if not glyph.fills)
    for placed in others:
        guest = Guest(anchor.shape, anchor.box.left - placed.box.left, anchor.box.top - placed.box.top, loose)
        yield draw_cell(placed.shape, frozenset(), beside, colors, (guest,))
