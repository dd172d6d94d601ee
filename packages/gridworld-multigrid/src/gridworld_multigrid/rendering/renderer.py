"""Pictures of a running episode on any tiling, as the observability allows, and of single lattice cells."""

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
"""Maximum size of a snapshot's numbers; for larger ones a lookup takes longer than redrawing a few panes."""
SCENE_BYTES = 512
"""Maximum size of a cache entry apart from its arrays."""


class Scene(NamedTuple):
    """Everything that a picture depends on, as a cache key."""

    cells: bytes
    """Numbers of `EpisodeLooks`."""
    pose: tuple[int, int]
    """Cell and heading of the agent."""
    held: int
    """Number of the look of the held object."""


class KeptScenes:
    """Cached panes of recent pictures, from which these can be shown again."""

    def __init__(self) -> None:
        self._kept_at: BoundedCache[Scene, NDArray[np.intp]] = BoundedCache()

    def find(self, scene: Scene) -> NDArray[np.intp] | None:
        """Return the cached pane for each pane, shape (panes,), not to be modified; None if the scene is not cached."""
        return None if len(scene.cells) > MOST_CELL_BYTES else self._kept_at.get(scene)

    def add(self, scene: Scene, kept: NDArray[np.intp]) -> None:
        """Cache the panes of a new scene, unless it has too many cells; `kept` must not be modified later."""
        if len(scene.cells) <= MOST_CELL_BYTES:
            self._kept_at.put(scene, kept, len(scene.cells) + kept.nbytes + SCENE_BYTES)

    def clear(self) -> None:
        """Evict all kept scenes."""
        self._kept_at.clear()


NOWHERE = -1
Numbers = NDArray[np.intp]


class Renderer:
    """Draws an episode, redrawing only what has changed since the last picture.

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
        topology, looks = episode.world.topology, LookNumbers()
        self._pictures = PanePictures(1, topology, self._layout, self._colors, looks)
        lettering = Lettering(episode) if settings.style == "letters" else None
        self._looks = EpisodeLooks(episode, looks, lettering)
        grid = self._pictures.grid
        self._every = np.arange(grid.count)
        self._arrows, self._hands = (np.full(grid.count + 1, NOTHING_SEEN) for _ in range(2))
        """Part of the agent, and of the held object, in each pane."""
        self._around: dict[int, int] = {}
        """Part of the agent in each pane."""
        self._arrows_of: BoundedCache[tuple[int, int], dict[int, int]] = BoundedCache()
        """Parts of the agent in panes, by pose."""
        self._pose, self._held = (NOWHERE, NOWHERE), NOT_SHOWN
        self._stale = np.ones(grid.count + 1, dtype=np.bool_)
        self._kept = np.zeros(grid.count, dtype=np.intp)
        """Cached pane for each pane, in the scene of the other arrays."""
        self._scenes = KeptScenes()
        self._numbers, self._cells = self._looks.numbers, b""
        """Numbers of the cells' looks, as an array and as bytes."""
        self._shown: Scene | None = None
        """Scene currently shown."""

    def _lay_out(self, size: tuple[int, int], settings: PictureSettings) -> None:
        """Draw the cells into the pictures, and the pictures into a frame if necessary."""
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
        self._update()
        picture = self._pictures.pictures[0]
        return picture if self._frame is None else self._frame.around(picture)

    def _update(self) -> None:
        """Redraw what has changed."""
        self._looks.update()
        looks, state = self._looks.numbers, self._episode.state
        if looks is not self._numbers:
            self._numbers, self._cells = looks, looks.tobytes()
        scene = Scene(self._cells, (state.cell, state.heading), self._looks.held)
        if scene != self._shown:
            self._pictures.show(0, self._kept_at(scene))
            self._shown = scene

    def _kept_at(self, scene: Scene) -> Numbers:
        """Return the cached pane for each pane of the current scene; shape (panes,)."""
        kept = self._scenes.find(scene)
        if kept is None:
            kept = self._advance(scene)
            self._scenes.add(scene, kept)
        return kept

    def _advance(self, scene: Scene) -> Numbers:
        """Compute the result of `_kept_at` from what has changed since the last call."""
        stale, grid = self._stale, self._pictures.grid
        numbers = self._pictures.numbers[0, :-1]
        stale[grid.of_cell[np.flatnonzero(numbers != self._numbers)]] = True
        numbers[:] = self._numbers
        self._follow_agent(scene)
        panes = np.flatnonzero(stale[:-1])
        kept, evictions = self._kept.copy(), self._pictures.evictions
        kept[panes] = self._find(panes)
        if self._pictures.evictions != evictions:
            self._scenes.clear()
            kept = self._find(self._every)
        stale[:] = False
        self._kept = kept
        return kept

    def _find(self, panes: Numbers) -> Numbers:
        return self._pictures.find(np.zeros_like(panes), panes, self._arrows.take(panes), self._hands.take(panes))

    def _follow_agent(self, scene: Scene) -> None:
        """Update the parts of the agent and its hand in panes, and mark those that change."""
        grid = self._pictures.grid
        if scene.pose != self._pose:
            self._pose = scene.pose
            self._put(self._arrows, dict.fromkeys(self._around, NOTHING_SEEN))
            self._around = self._arrows_at(*self._pose)
            self._put(self._arrows, self._around)
        if scene.held != self._held:
            self._held = scene.held
            hands = grid.hands(np.array([self._held]))[0].tolist()
            self._put(self._hands, dict(zip(grid.of_hand, hands, strict=True)))

    def _put(self, seen: Numbers, now: Mapping[int, int]) -> None:
        """Replace the sprites in some panes, and mark the panes for redrawing."""
        for pane, number in now.items():
            seen[pane] = number
            self._stale[pane] = True

    def _arrows_at(self, cell: int, heading: int) -> dict[int, int]:
        """Return, for each pane, the part of the agent's arrow in it."""
        arrows = self._arrows_of.get((cell, heading))
        if arrows is None:
            grid = self._pictures.grid
            numbers = grid.arrows(np.array([cell]), np.array([heading]))[0].tolist()
            arrows = dict(zip(grid.of_arrow[cell].tolist(), numbers, strict=True))
            self._arrows_of.put((cell, heading), arrows, sys.getsizeof(arrows) + 3 * BYTES_PER_INT * len(arrows))
        return arrows


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
    """Fill the background not covered by cells with a colour."""
    free = np.full((layout.height, layout.width), WHOLE, dtype=np.int16)
    for placed in layout.cells:
        free[placed.box.slices] -= zones_of(placed.shape, frozenset()).whole.astype(np.int16)
    return free[..., np.newaxis] * np.array(color, dtype=np.int16)
