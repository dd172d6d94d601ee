"""Pictures of a running episode on any tiling, as the observability allows, and of single lattice cells."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial

import numpy as np

from gridworld.backends.pictures import OWN_PICTURES, PictureSettings
from gridworld.backends.thing_glyphs import IN_VIEW, NOT_SHOWN, LookNumbers, thing_glyph
from gridworld.drawing.frames import Frame, make_frame, no_reserve, reserve
from gridworld.drawing.glyphs import Glyph
from gridworld.observations.labels import Lettering
from gridworld.task_spec import Position
from gridworld.world import Episode, World
from gridworld.world.knowledge import Snapshot, shown_differently, shown_look
from gridworld.world.looks import CellLook, held_look
from gridworld_multigrid.rendering.appearance import appearance_of, colored
from gridworld_multigrid.rendering.cell_sprites import CellSprites
from gridworld_multigrid.rendering.layers import (
    ArrowPlace,
    arrow_place,
    corner_of,
    draw_arrow,
    draw_glyph,
    draw_hand,
    paint_over,
)
from gridworld_multigrid.rendering.layout import Layout, lattice_lines, lay_out, lay_out_patch
from gridworld_multigrid.rendering.palette import COLORS_OF, OWN, Colors
from gridworld_multigrid.rendering.raster import WHOLE, Part, Picture, rounded
from gridworld_multigrid.rendering.sprites import STRIPE_PERIOD, Guest, Sprite, draw_cell, draw_unseen, ground_of
from gridworld_multigrid.rendering.zones import zones_of

UNKNOWN = -1
Pose = tuple[int, int, CellLook | None]
"""Cell and heading of the agent, and the look of the held object."""


class Renderer:
    """Draws an episode, redrawing only what has changed since the last picture.

    A picture is the exact sum of its cells' contributions: where a cell changes, its former contribution is subtracted
    and its new one added. The agent and the held object are painted over the sum.

    Args:
        episode: the episode.
        size: maximum width and height of the pictures in pixels; they shrink to fit the maze.
        settings: other settings; their size, if any, replaces `size`.
    """

    def __init__(self, episode: Episode, size: tuple[int, int], settings: PictureSettings = OWN_PICTURES) -> None:
        self._episode = episode
        self._colors = COLORS_OF[settings.style]
        longest = settings.size
        self._lay_out(size if longest is None else (longest, longest), settings)
        topology, self._looks = episode.world.topology, LookNumbers()
        self._sprites = CellSprites(topology, self._layout, self._colors, self._looks)
        self._lettering = Lettering(episode) if settings.style == "letters" else None
        self._numbers = [UNKNOWN] * topology.cell_count
        """Number of each cell's look."""
        self._drawn: list[tuple[Part, Sprite] | None] = [None] * topology.cell_count
        """Part of the picture that each cell's box covers, and the sprite drawn there."""
        self._sums = ground_of(self._layout, self._colors.background)
        """Sum of the background and of all cells, unless these lie apart."""
        wholes = (zones_of(placed.shape, frozenset()).whole for placed in self._layout.cells)
        self._apart = all(whole.min() == WHOLE for whole in wholes)
        """Whether no pixel belongs to two cells, so that pixels can be copied in place of sums."""
        self._picture = rounded(self._sums)
        self._covered: list[tuple[Part, Picture]] = []
        """Parts of the picture that the agent and the held object cover, and what is below them."""
        self._arrows: dict[int, ArrowPlace] = {}
        """Places of the arrow by the agent's cell."""
        self._shown: Snapshot | None = None
        self._pose: Pose | None = None

    def _lay_out(self, size: tuple[int, int], settings: PictureSettings) -> None:
        """Place the cells in the pictures, and the pictures in a frame if necessary."""
        topology, colors = self._episode.world.topology, self._colors
        width, height = size
        room = no_reserve()
        if settings.coordinates:
            spacing = min(width / topology.width, height / topology.height)
            room = reserve(topology.width, topology.height, spacing)
        self._layout = lay_out(topology, (width - room.left, height - room.top))
        self._frame: Frame | None = None
        if settings.coordinates or settings.size is not None:
            columns, rows = lattice_lines(topology, self._layout)
            ink = colors.wall
            inside = (self._layout.width, self._layout.height)
            self._frame = make_frame(
                inside, settings.size, room, columns, rows, colors.background, ink, partial(_on_ground, colors)
            )

    def render(self) -> Picture:
        """Draw the current state as a new array."""
        picture = self.shown()
        return picture.copy() if self._frame is None else picture

    def shown(self) -> Picture:
        """Draw the current state; without a frame, the result is a read-only array that the next picture overwrites."""
        now = self._episode.snapshot
        if self._shown is not now:
            stale = self._stale_cells()
            held = held_look(self._episode.world, now.state, now.knowledge.met)
            pose = now.state.cell, now.state.heading, held
            if stale or pose != self._pose:
                self._redraw(stale)
                self._paint(pose)
            self._shown, self._pose = now, pose
        if self._frame is not None:
            return self._frame.around(self._picture)
        picture = self._picture.view()
        picture.flags.writeable = False
        return picture

    def _stale_cells(self) -> set[int]:
        """Update the numbers of the cells' looks; return the cells whose drawing depends on one that has changed."""
        world, now, before, lettering = self._episode.world, self._episode.snapshot, self._shown, self._lettering
        relettered = set[int]() if lettering is None else lettering.update()
        every = range(len(self._numbers))
        stale = set[int]()
        for cell in every if before is None else shown_differently(world, before, now) | relettered:
            look, number = shown_look(world, now, cell), NOT_SHOWN
            if look is not None:
                number = self._looks.in_view(world, look, "" if lettering is None else lettering.on(cell))
                if cell not in now.knowledge.visible:
                    number &= ~IN_VIEW
            if number != self._numbers[cell]:
                self._numbers[cell] = number
                stale.update(self._sprites.touched[cell])
        return stale

    def _redraw(self, cells: Iterable[int]) -> None:
        """Draw cells anew, and remove the agent and the held object."""
        while self._covered:
            part, below = self._covered.pop()
            self._picture[part] = below
        shared = []
        for cell in cells:
            sprite, drawn = self._sprites.draw(cell, self._numbers), self._drawn[cell]
            part = self._layout.box(cell).slices if drawn is None else drawn[0]
            if drawn is not None and sprite is drawn[1]:
                continue
            self._drawn[cell] = part, sprite
            if self._apart:
                self._picture[part] = sprite.pixels
            else:
                self._sums[part] += sprite.sums if drawn is None else sprite.sums - drawn[1].sums
                shared.append(part)
        for part in shared:
            self._picture[part] = rounded(self._sums[part])

    def _paint(self, pose: Pose) -> None:
        """Paint the agent and the held object."""
        cell, heading, held = pose
        world, colors = self._episode.world, self._colors
        if cell not in self._arrows:
            self._arrows[cell] = arrow_place(self._layout.cells[cell], self._layout.spacing)
        x, y, length = self._arrows[cell]
        arrow = draw_arrow(heading, world.headings, length, colors)
        left, top = corner_of(arrow, x, y)
        part = slice(max(top, 0), max(top + arrow.size, 0)), slice(max(left, 0), max(left + arrow.size, 0))
        self._covered.append((part, self._picture[part].copy()))
        paint_over(self._picture, arrow, left, top)
        if held is not None:
            part = self._layout.hand.slices
            self._covered.append((part, self._picture[part].copy()))
            glyph = colored(thing_glyph(world, held.things[0]), colors)
            self._picture[part] = draw_hand(self._layout.hand, glyph, colors)


def _on_ground(colors: Colors, glyph: Glyph, side: int) -> Picture:
    """Draw a glyph in a square of `side` pixels on the background."""
    picture = np.full((side, side, 3), colors.background, dtype=np.uint8)
    sign = draw_glyph(glyph, side)
    paint_over(picture, sign, *corner_of(sign, side / 2, side / 2))
    return picture


SPACING = 56
"""Distance in pixels between neighbouring columns of the lattice."""
SHOWN = Position(1, 1)
"""The lattice cell to draw, which every lattice has."""


def draw_patch(world: World, look: CellLook | None, heading: int | None, colors: Colors = OWN) -> Picture:
    """Draw a lattice cell as a `Renderer` shows it in view.

    Args:
        world: the world of the look.
        look: the look of the anchor; marks, and entities that fill the patch, also appear on its other cells. None for
            an unseen cell.
        heading: heading of an agent on the anchor; None for no agent.
        colors: the colours of the picture.
    """
    layout = lay_out_patch(world.topology, SHOWN, SPACING)
    sums = ground_of(layout, colors.background)
    sprites = _unseen(layout, colors) if look is None else _seen(layout, world, look, colors)
    for placed, sprite in zip(layout.cells, sprites, strict=True):
        sums[placed.box.slices] += sprite.sums
    picture = rounded(sums)
    if heading is not None:
        x, y, length = arrow_place(layout.cells[0], layout.spacing)
        arrow = draw_arrow(heading, world.headings, length, colors)
        paint_over(picture, arrow, *corner_of(arrow, x, y))
    return picture


def _unseen(layout: Layout, colors: Colors) -> Iterator[Sprite]:
    for placed in layout.cells:
        yield draw_unseen(placed.shape, (placed.box.left + placed.box.top) % STRIPE_PERIOD, colors)


def _seen(layout: Layout, world: World, look: CellLook, colors: Colors) -> Iterator[Sprite]:
    anchor, *others = layout.cells
    yield draw_cell(anchor.shape, frozenset(), appearance_of(world, look, colors), colors)
    filling = tuple(thing for thing in look.things if world.entities[thing.entity].type.fills_patch)
    mark = None if look.mark and look.mark.color else look.mark  # the target of a thing is one cell
    beside = appearance_of(world, CellLook(mark=mark, wall=look.wall, things=filling), colors)
    loose = tuple(glyph for glyph in appearance_of(world, look, colors).glyphs if not glyph.fills)
    for placed in others:
        guest = Guest(anchor.shape, anchor.box.left - placed.box.left, anchor.box.top - placed.box.top, loose)
        yield draw_cell(placed.shape, frozenset(), beside, colors, (guest,))
