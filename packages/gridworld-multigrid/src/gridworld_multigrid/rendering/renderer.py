"""Pictures of a running episode, as far as it may be shown, on any tiling."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gridworld.backends.looks import NOT_SHOWN, LookNumbers
from gridworld.backends.pictures import OWN_PICTURES, PictureSettings
from gridworld.drawing.frames import Frame, make_frame, no_reserve, reserve
from gridworld.drawing.glyphs import RGB, Glyph
from gridworld.observations.labels import Lettering
from gridworld.support.caches import BYTES_PER_INT, BoundedCache
from gridworld.task_spec import Position
from gridworld.world import Episode, World
from gridworld.world.looks import CellLook
from gridworld_multigrid.rendering.appearance import appearance_of
from gridworld_multigrid.rendering.episode_looks import EpisodeLooks
from gridworld_multigrid.rendering.layers import arrow_length, corner_of, draw_arrow, draw_glyph, paint_over
from gridworld_multigrid.rendering.layout import Layout, lattice_lines, lay_out, lay_out_patch
from gridworld_multigrid.rendering.palette import COLORS_OF, OWN, Colors
from gridworld_multigrid.rendering.pane_grid import NOTHING_SEEN
from gridworld_multigrid.rendering.pane_pictures import PanePictures
from gridworld_multigrid.rendering.raster import WHOLE, Picture, Sums, rounded
from gridworld_multigrid.rendering.sprites import STRIPE_PERIOD, Guest, Sprite, draw_cell, draw_unseen
from gridworld_multigrid.rendering.zones import zones_of

MOST_CELL_BYTES = 1 << 15
"""Of a picture with more cells, it takes longer to look a moment up than to redraw a few panes."""
NOTE_BYTES = 512
"""What a note takes besides its arrays, at most."""


class Moment(NamedTuple):
    """All that a picture depends on, in a form that can be looked up quickly."""

    cells: bytes
    """The numbers of `EpisodeLooks`."""
    pose: tuple[int, int]
    """The agent's cell and heading."""
    held: int
    """The number of the look of what it holds."""


class MomentNotes:
    """Notes which kept panes were shown at a moment, which is all that is needed to show it again."""

    def __init__(self) -> None:
        self._kept_at: BoundedCache[Moment, NDArray[np.intp]] = BoundedCache()

    def find(self, moment: Moment) -> NDArray[np.intp] | None:
        """Pane to the number of the kept one, shape (panes,), not to be changed; None for a moment not noted."""
        return None if len(moment.cells) > MOST_CELL_BYTES else self._kept_at.get(moment)

    def add(self, moment: Moment, kept: NDArray[np.intp]) -> None:
        """Note a moment, unless it has too many cells.

        Args:
            moment: one that is not noted.
            kept: pane to the number of the kept one, shape (panes,), not to be changed any more.
        """
        if len(moment.cells) > MOST_CELL_BYTES:
            return
        self._kept_at.put(moment, kept, len(moment.cells) + kept.nbytes + NOTE_BYTES)

    def clear(self) -> None:
        """Forget all."""
        self._kept_at.clear()


NOWHERE = -1
Numbers = NDArray[np.intp]


class Renderer:
    """Draws an episode; what has not changed since the last picture is not drawn again.

    Args:
        episode: what to draw.
        size: the largest width and height of the pictures in pixels; they are as large as the maze is in them.
        settings: what else is asked of them; its size takes the place of `size`.
    """

    def __init__(self, episode: Episode, size: tuple[int, int], settings: PictureSettings = OWN_PICTURES) -> None:
        self._episode = episode
        self._colors = COLORS_OF[settings.style]
        longest = settings.size
        self._lay_out(size if longest is None else (longest, longest), settings)
        topology, looks = episode.world.topology, LookNumbers()
        self._pictures = PanePictures(1, topology, self._layout, self._colors, looks)
        lettering = Lettering(episode) if settings.style == "letters" else None
        self._looks = EpisodeLooks(episode, looks, lettering)
        grid = self._pictures.grid
        self._every = np.arange(grid.count)
        self._arrows, self._hands = (np.full(grid.count + 1, NOTHING_SEEN) for _ in range(2))
        """What is seen in each pane of the agent, and of what it holds."""
        self._around: dict[int, int] = {}
        """Pane to what is seen in it of the agent, where there is anything."""
        self._arrows_of: BoundedCache[tuple[int, int], dict[int, int]] = BoundedCache()
        """The arrows by pose."""
        self._pose, self._held = (NOWHERE, NOWHERE), NOT_SHOWN
        self._stale = np.ones(grid.count + 1, dtype=np.bool_)
        self._kept = np.zeros(grid.count, dtype=np.intp)
        """Pane to the number of the kept one that it shows at the moment to which the other arrays belong."""
        self._notes = MomentNotes()
        self._told, self._cells = self._looks.numbers, b""
        """The numbers of the cells, and as bytes."""
        self._shown: Moment | None = None
        """That of the picture."""

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
        picture = self.shown()
        return picture.copy() if self._frame is None else picture

    def shown(self) -> Picture:
        """The picture of the present state; without a frame the one that is kept, read-only, which the next changes."""
        self._update()
        picture = self._pictures.pictures[0]
        return picture if self._frame is None else self._frame.around(picture)

    def _update(self) -> None:
        """Redraw what looks different now."""
        self._looks.update()
        looks, state = self._looks.numbers, self._episode.state
        if looks is not self._told:
            self._told, self._cells = looks, looks.tobytes()
        moment = Moment(self._cells, (state.cell, state.heading), self._looks.held)
        if moment != self._shown:
            self._pictures.show(0, self._kept_at(moment))
            self._shown = moment

    def _kept_at(self, moment: Moment) -> Numbers:
        """Pane to the number of the kept one that it shows at the present moment; shape (panes,)."""
        kept = self._notes.find(moment)
        if kept is None:
            kept = self._go_on(moment)
            self._notes.add(moment, kept)
        return kept

    def _go_on(self, moment: Moment) -> Numbers:
        """The same, found out of what is different from the moment of the last call."""
        stale, grid = self._stale, self._pictures.grid
        numbers = self._pictures.numbers[0, :-1]
        stale[grid.of_cell[np.flatnonzero(numbers != self._told)]] = True
        numbers[:] = self._told
        self._follow_agent(moment)
        panes = np.flatnonzero(stale[:-1])
        kept, forgotten = self._kept.copy(), self._pictures.forgotten
        kept[panes] = self._find(panes)
        if self._pictures.forgotten != forgotten:
            self._notes.clear()
            kept = self._find(self._every)
        stale[:] = False
        self._kept = kept
        return kept

    def _find(self, panes: Numbers) -> Numbers:
        return self._pictures.find(np.zeros_like(panes), panes, self._arrows.take(panes), self._hands.take(panes))

    def _follow_agent(self, moment: Moment) -> None:
        """Note what is seen of the agent and its hand, and where that is not what it was."""
        grid = self._pictures.grid
        if moment.pose != self._pose:
            self._pose = moment.pose
            self._put(self._arrows, dict.fromkeys(self._around, NOTHING_SEEN))
            self._around = self._arrows_at(*self._pose)
            self._put(self._arrows, self._around)
        if moment.held != self._held:
            self._held = moment.held
            hands = grid.hands(np.array([self._held]))[0].tolist()
            self._put(self._hands, dict(zip(grid.of_hand, hands, strict=True)))

    def _put(self, seen: Numbers, now: Mapping[int, int]) -> None:
        """Note what is seen in some panes now, which have to be redrawn."""
        for pane, number in now.items():
            seen[pane] = number
            self._stale[pane] = True

    def _arrows_at(self, cell: int, heading: int) -> dict[int, int]:
        """Pane to what is seen in it of an agent in a pose."""
        arrows = self._arrows_of.get((cell, heading))
        if arrows is None:
            grid = self._pictures.grid
            numbers = grid.arrows(np.array([cell]), np.array([heading]))[0].tolist()
            arrows = dict(zip(grid.of_arrow[cell].tolist(), numbers, strict=True))
            self._arrows_of.put((cell, heading), arrows, sys.getsizeof(arrows) + 3 * BYTES_PER_INT * len(arrows))
        return arrows


def _on_ground(colors: Colors, glyph: Glyph, side: int) -> Picture:
    """A glyph in a square of so many pixels, on what no cell covers."""
    picture = np.full((side, side, 3), colors.background, dtype=np.uint8)
    sign = draw_glyph(glyph, side)
    paint_over(picture, sign, *corner_of(sign, side / 2, side / 2))
    return picture


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
    sums = _ground(layout, colors.background)
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


def _ground(layout: Layout, color: RGB) -> Sums:
    """What no cell covers, in a colour."""
    free = np.full((layout.height, layout.width), WHOLE, dtype=np.int16)
    for placed in layout.cells:
        free[placed.box.slices] -= zones_of(placed.shape, frozenset()).whole.astype(np.int16)
    return free[..., np.newaxis] * np.array(color, dtype=np.int16)
