"""Pictures of a running episode, as far as it may be shown, on any tiling."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from functools import partial

import numpy as np
from numpy.typing import NDArray

from gridworld.backends.looks import NOT_SHOWN, LookNumbers
from gridworld.backends.pictures import OWN_PICTURES, PictureSettings
from gridworld.drawing.frames import Frame, make_frame, no_reserve, reserve
from gridworld.drawing.glyphs import Glyph
from gridworld.observations.labels import Lettering
from gridworld.support.bounded_cache import BYTES_PER_INT, BoundedCache
from gridworld.world import Episode
from gridworld_multigrid.rendering.agent_mark import corner_of, paint_over
from gridworld_multigrid.rendering.episode_looks import EpisodeLooks
from gridworld_multigrid.rendering.layers import draw_glyph
from gridworld_multigrid.rendering.layout import lattice_lines, lay_out
from gridworld_multigrid.rendering.moment_notes import Moment, MomentNotes
from gridworld_multigrid.rendering.palette import COLORS_OF, Colors
from gridworld_multigrid.rendering.pane_grid import NOTHING_SEEN
from gridworld_multigrid.rendering.pane_pictures import PanePictures
from gridworld_multigrid.rendering.sums import Picture

__all__ = ["Renderer"]

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
