"""Pictures of a running episode, as far as it may be shown, on any tiling."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

import numpy as np

from gridworld.backends.looks import thing_glyph
from gridworld.backends.pictures import OWN_PICTURES, PictureSettings
from gridworld.drawing.frames import Frame, make_frame, no_reserve, reserve
from gridworld.drawing.glyphs import Glyph, Rectangle
from gridworld.observations.lettering import Lettering
from gridworld.world import Episode
from gridworld.world.knowledge import Snapshot, shown_differently
from gridworld.world.looks import CellLook, show_thing
from gridworld.world.state import NOTHING
from gridworld_multigrid.rendering.agent_mark import arrow_length, draw_arrow, paint_over
from gridworld_multigrid.rendering.appearance import appearance_of, colored
from gridworld_multigrid.rendering.canvas import Canvas, Picture
from gridworld_multigrid.rendering.layers import draw_glyph
from gridworld_multigrid.rendering.layout import Box, CellShape, lattice_lines, lay_out
from gridworld_multigrid.rendering.palette import COLORS_OF, HALO, Colors
from gridworld_multigrid.rendering.seams import Seams
from gridworld_multigrid.rendering.sprites import STRIPE_PERIOD, Guest, Sprite, draw_cell, draw_remembered, draw_unseen

__all__ = ["Renderer"]

HELD, HELD_RIM = 0.8, 0.03
"""The size of what is held and of its rim, as parts of the frame around it."""
SpriteKey = tuple[object, ...]


class Renderer:
    """Draws an episode; what has not changed since the last picture is not drawn again.

    Args:
        episode: what to draw.
        size: the largest width and height of the pictures in pixels; they are as large as the maze is in them.
        settings: what else is asked of them; its size takes the place of `size`.
    """

    def __init__(self, episode: Episode, size: tuple[int, int], settings: PictureSettings = OWN_PICTURES) -> None:
        self._episode = episode
        world = episode.world
        self._colors = COLORS_OF[settings.style]
        self._lettering = Lettering(episode) if settings.style == "letters" else None
        longest = settings.size
        self._lay_out(size if longest is None else (longest, longest), settings)
        self._seams = Seams(world, self._layout, episode.look)
        patches = world.topology.patches
        self._mates = [
            tuple(other for other in patches[position] if other != cell)
            for cell, position in enumerate(world.topology.lattice)
        ]
        """Cell to the other cells of its patch."""
        self._loose: dict[int, CellLook] = {}
        """Of cells with others in their patch, those that show something that may reach over."""
        self._anchors = frozenset(patch[0] for patch in world.topology.patches.values())
        self._sprites: dict[SpriteKey, Sprite] = {}
        numbers: dict[CellShape, int] = {}
        self._shapes = [numbers.setdefault(placed.shape, len(numbers)) for placed in self._layout.cells]
        self._arrows: dict[int, tuple[float, float, float]] = {}
        self._canvas = Canvas(self._layout, self._colors.background)
        self._drawn: Snapshot | None = None
        """The moment that the canvas shows."""

    def _lay_out(self, size: tuple[int, int], settings: PictureSettings) -> None:
        """Place the cells in pictures, and these in a frame where one is needed."""
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
        """The picture of the present state; the caller's own."""
        self._canvas.draw((cell, self.sprite(cell)) for cell in self._stale())
        self._drawn = self._episode.snapshot
        picture = self._canvas.copy()
        self._paint_agent(picture)
        if self._episode.state.carried != NOTHING:
            self._paint_hand(picture, self._layout.hand)
        return picture if self._frame is None else self._frame.around(picture)

    def _stale(self) -> Iterable[int]:
        """The cells that may look different now from when they were drawn."""
        world = self._episode.world
        every_cell = range(world.topology.cell_count)
        relettered = set() if self._lettering is None else self._lettering.update()
        if self._drawn is None:
            self.refresh(every_cell)
            return every_cell
        changed = shown_differently(world, self._drawn, self._episode.snapshot) | relettered
        return changed | self._seams.touched(changed) | self.refresh(changed)

    def refresh(self, changed: Iterable[int]) -> set[int]:
        """Take note of what lies on cells that may have changed; returns the cells beside, where it may reach over."""
        reached: set[int] = set()
        for cell in changed:
            lay_here = self._loose.pop(cell, None)
            if self._mates[cell]:
                look = self._episode.look(cell)
                if look is not None and (look.things or look.mark):
                    self._loose[cell] = look
                if lay_here is not None or cell in self._loose:
                    reached.update(self._mates[cell])
        return reached

    def sprite(self, cell: int) -> Sprite:
        """What a cell adds to the picture now: its colours times its share of each pixel."""
        look, letter = self._episode.look(cell), self._letter(cell)
        if look is None:
            return self._unseen_sprite(cell)
        sealed = frozenset[int]() if look.wall else self._seams.drawn(cell)
        is_anchor = cell in self._anchors
        beside = [other for other in self._mates[cell] if other in self._loose]
        around = tuple((self._mates[cell].index(other), self._loose[other], self._letter(other)) for other in beside)
        key = (self._shapes[cell], sealed, is_anchor, look, letter, around)
        sprite = self._sprites.get(key)
        if sprite is None:
            appearance = appearance_of(self._episode.world, look, is_anchor, self._colors, letter)
            guests = [self._guest(cell, other, self._loose[other]) for other in beside]
            sprite = self._sprites[key] = draw_cell(
                self._layout.cells[cell].shape, sealed, appearance, self._colors, guests
            )
        return sprite if cell in self._episode.knowledge.visible else self._remembered_sprite(cell, sprite, key)

    def _letter(self, cell: int) -> str:
        return "" if self._lettering is None else self._lettering.on(cell)

    def _guest(self, cell: int, other: int, look: CellLook) -> Guest:
        """What lies on another cell of the same patch and may reach over."""
        here, there = self._layout.cells[cell].box, self._layout.cells[other]
        is_anchor, letter = other in self._anchors, self._letter(other)
        placed = appearance_of(self._episode.world, look, is_anchor, self._colors, letter).glyphs
        glyphs = tuple(glyph for glyph in placed if not glyph.fills)
        return Guest(there.shape, there.box.left - here.left, there.box.top - here.top, glyphs)

    def _remembered_sprite(self, cell: int, sprite: Sprite, key: SpriteKey) -> Sprite:
        remembered = self._sprites.get((key, "remembered"))
        if remembered is None:
            remembered = draw_remembered(sprite, self._layout.cells[cell].shape, self._colors)
            self._sprites[key, "remembered"] = remembered
        return remembered

    def _unseen_sprite(self, cell: int) -> Sprite:
        placed = self._layout.cells[cell]
        phase = (placed.box.left + placed.box.top) % STRIPE_PERIOD
        key = (self._shapes[cell], phase)
        if key not in self._sprites:
            self._sprites[key] = draw_unseen(placed.shape, phase, self._colors)
        return self._sprites[key]

    def _paint_agent(self, picture: Picture) -> None:
        state = self._episode.state
        if state.cell not in self._arrows:
            placed = self._layout.cells[state.cell]
            x, y = placed.shape.centre
            length = arrow_length(placed.shape.inner_radius, self._layout.spacing)
            self._arrows[state.cell] = (placed.box.left + x, placed.box.top + y, length)
        x, y, length = self._arrows[state.cell]
        paint_over(picture, draw_arrow(state.heading, self._episode.world.headings, length, self._colors), x, y)

    def _paint_hand(self, picture: Picture, box: Box) -> None:
        """A frame with what the agent holds."""
        world, state, met = self._episode.world, self._episode.state, self._episode.knowledge.met
        shown = show_thing(world, state, state.carried, state.cell, met)
        glyph = colored(thing_glyph(world, shown), self._colors)
        x, y = box.left + box.width / 2, box.top + box.height / 2
        paint_over(picture, draw_glyph(_hand_frame(self._colors), box.width), x, y)
        paint_over(picture, draw_glyph(glyph, HELD * box.width, HELD_RIM * box.width, HALO), x, y)


def _hand_frame(colors: Colors) -> Glyph:
    """The frame around what the agent holds; it stands out from the wall that it lies upon."""
    return Glyph((Rectangle(0, 0, 1, 1, HALO), Rectangle(0.06, 0.06, 0.94, 0.94, colors.floor)))


def _on_ground(colors: Colors, glyph: Glyph, side: int) -> Picture:
    """A glyph in a square of so many pixels, on what no cell covers."""
    picture = np.full((side, side, 3), colors.background, dtype=np.uint8)
    paint_over(picture, draw_glyph(glyph, side), side / 2, side / 2)
    return picture
