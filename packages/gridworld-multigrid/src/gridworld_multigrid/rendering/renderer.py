"""Pictures of a running episode, as far as it may be shown, on any tiling."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

import numpy as np
from numpy.typing import NDArray

from gridworld.backends.look_numbers import NOT_SHOWN, LookNumbers
from gridworld.backends.pictures import OWN_PICTURES, PictureSettings
from gridworld.drawing.frames import Frame, make_frame, no_reserve, reserve
from gridworld.drawing.glyphs import Glyph
from gridworld.observations.lettering import Lettering
from gridworld.world import Episode
from gridworld_multigrid.rendering.agent_mark import corner_of, paint_over
from gridworld_multigrid.rendering.episode_looks import EpisodeLooks
from gridworld_multigrid.rendering.layers import draw_glyph
from gridworld_multigrid.rendering.layout import lattice_lines, lay_out
from gridworld_multigrid.rendering.palette import COLORS_OF, Colors
from gridworld_multigrid.rendering.pane_grid import NOTHING_SEEN
from gridworld_multigrid.rendering.pane_pictures import PanePictures
from gridworld_multigrid.rendering.sums import Picture

__all__ = ["Renderer"]

NOWHERE = -1


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
        self._of_cell, self._of_arrow = grid.of_cell.tolist(), grid.of_arrow.tolist()
        self._arrows_of: dict[tuple[int, int], dict[int, int]] = {}
        self._arrows, self._hands = (np.full(len(grid.panes) + 1, NOTHING_SEEN) for _ in range(2))
        """What is seen in each pane of the agent, and of what it holds."""
        self._around: dict[int, int] = {}
        """Pane to what is seen in it of the agent, where there is anything."""
        self._pose, self._held = (NOWHERE, NOWHERE), NOT_SHOWN
        self._stale = set(range(len(grid.panes)))

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
        self._stale.update(*map(self._of_cell.__getitem__, self._looks.update()))
        self._pictures.numbers[0, :-1] = self._looks.numbers
        self._follow_agent()
        self._stale.discard(len(self._pictures.grid.panes))
        if self._stale:
            panes = np.fromiter(self._stale, dtype=np.intp, count=len(self._stale))
            self._pictures.redraw(np.zeros_like(panes), panes, self._arrows.take(panes), self._hands.take(panes))
            self._stale.clear()

    def _follow_agent(self) -> None:
        """Note what is seen of the agent and its hand, and where that is not what it was."""
        state, grid = self._episode.state, self._pictures.grid
        if (state.cell, state.heading) != self._pose:
            self._pose = state.cell, state.heading
            self._put(self._arrows, dict.fromkeys(self._around, NOTHING_SEEN))
            self._around = self._arrows_at(*self._pose)
            self._put(self._arrows, self._around)
        held = self._looks.held
        if held != self._held:
            self._held = held
            self._put(self._hands, dict(zip(grid.of_hand, grid.hands(np.array([held]))[0].tolist(), strict=True)))

    def _put(self, seen: NDArray[np.intp], now: Mapping[int, int]) -> None:
        """Note what is seen in some panes now, which have to be redrawn."""
        for pane, number in now.items():
            seen[pane] = number
        self._stale.update(now)

    def _arrows_at(self, cell: int, heading: int) -> dict[int, int]:
        """Pane to what is seen in it of an agent in a pose."""
        if (cell, heading) not in self._arrows_of:
            numbers = self._pictures.grid.arrows(np.array([cell]), np.array([heading]))[0].tolist()
            self._arrows_of[cell, heading] = dict(zip(self._of_arrow[cell], numbers, strict=True))
        return self._arrows_of[cell, heading]


def _on_ground(colors: Colors, glyph: Glyph, side: int) -> Picture:
    """A glyph in a square of so many pixels, on what no cell covers."""
    picture = np.full((side, side, 3), colors.background, dtype=np.uint8)
    sign = draw_glyph(glyph, side)
    paint_over(picture, sign, *corner_of(sign, side / 2, side / 2))
    return picture
