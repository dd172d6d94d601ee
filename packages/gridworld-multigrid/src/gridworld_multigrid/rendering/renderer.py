"""Pictures of a running episode, as far as it may be shown, on any tiling."""

from __future__ import annotations

from functools import partial

import numpy as np

from gridworld.backends.look_numbers import LookNumbers
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
from gridworld_multigrid.rendering.pane_pictures import PanePictures
from gridworld_multigrid.rendering.sums import Picture

__all__ = ["Renderer"]


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
        looks = LookNumbers()
        self._shown = EpisodeLooks(episode, looks, Lettering(episode) if settings.style == "letters" else None)
        longest = settings.size
        self._lay_out(size if longest is None else (longest, longest), settings)
        self._pictures = PanePictures(1, episode.world.topology, self._layout, self._colors, looks)

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
        self._shown.update()
        state = self._episode.state
        agent = np.array([(state.cell, state.heading, self._shown.held)], dtype=np.intp).T
        self._pictures.draw(self._shown.numbers, *agent)
        picture = self._pictures.pictures[0]
        return picture.copy() if self._frame is None else self._frame.around(picture)


def _on_ground(colors: Colors, glyph: Glyph, side: int) -> Picture:
    """A glyph in a square of so many pixels, on what no cell covers."""
    picture = np.full((side, side, 3), colors.background, dtype=np.uint8)
    sign = draw_glyph(glyph, side)
    paint_over(picture, sign, *corner_of(sign, side / 2, side / 2))
    return picture
