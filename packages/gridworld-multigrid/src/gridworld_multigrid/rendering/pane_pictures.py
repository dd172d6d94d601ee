"""`PanePictures`: pictures of a batch of environments on one tiling, redrawn pane by pane where they change."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from gridworld.backends.thing_glyphs import NOT_SHOWN, LookNumbers, thing_glyph
from gridworld.drawing.paned_pictures import PanedPictures
from gridworld.vector.observers import MOST_KEPT
from gridworld.vector.state_rows import GrowingArray
from gridworld.world.topology import Topology
from gridworld_multigrid.rendering.appearance import colored
from gridworld_multigrid.rendering.cell_sprites import CellSprites
from gridworld_multigrid.rendering.layers import corner_of, draw_arrow, draw_hand, paint_over
from gridworld_multigrid.rendering.layout import Layout
from gridworld_multigrid.rendering.palette import Colors
from gridworld_multigrid.rendering.pane_grid import PaneGrid
from gridworld_multigrid.rendering.raster import Picture, rounded

AT_ONCE = 1024
"""Maximum number of panes drawn together."""
MOST_NAMES = 1 << 17
"""Maximum number of pane keys."""
NOBODY = 0
"""Number for the absence of an agent."""
DIGEST_BYTES = 16
UNKNOWN = -1
Numbers = NDArray[np.intp]
Codes = NDArray[np.uint32]


class PanePictures:
    """Holds one picture per environment, and redraws panes on request.

    Args:
        count: number of environments.
        topology: the tiling.
        layout: the positions of its cells.
        colors: the colours of the pictures.
        looks: the looks by number.

    Raises:
        ArgumentError: the pictures need too much memory.
    """

    def __init__(self, count: int, topology: Topology, layout: Layout, colors: Colors, looks: LookNumbers) -> None:
        self._layout, self._colors, self._looks, self._headings = layout, colors, looks, topology.heading_count
        self._sprites = CellSprites(topology, layout, colors, looks)
        self.grid = PaneGrid(topology, layout, self._sprites, colors)
        side = self.grid.side
        self._store = KeptPanes(side)
        self._pictures = PanedPictures(count, (layout.width, layout.height), (side, side), self.grid.offset)
        self.numbers = np.full((count, topology.cell_count + 1), NOT_SHOWN, dtype=np.uint32)
        """Number of each cell's look, to be set before redrawing; shape (num_envs, cells + 1), uint32.

        The last column stands for no cell.
        """
        self._kept = np.full((count, self.grid.count), UNKNOWN, dtype=np.intp)
        """Number of the cached pane shown in each position, or `UNKNOWN`; shape (num_envs, panes)."""

    @property
    def pictures(self) -> NDArray[np.uint8]:
        """The current pictures, shape (num_envs, height, width, 3); read-only, and changed by `redraw`."""
        return self._pictures.pictures

    def redraw(self, envs: Numbers, panes: Numbers, agents: Numbers, held: Numbers) -> None:
        """Draw panes according to `numbers`.

        Args:
            envs: the environments; shape (n,).
            panes: the panes; shape (n,).
            agents: in each pane that the agent's arrow overlaps 1 + cell * headings + heading, otherwise `NOBODY`;
                shape (n,).
            held: in each pane that the hand overlaps the number of the held object's look, otherwise `NOT_SHOWN`;
                shape (n,).
        """
        for first in range(0, len(panes), AT_ONCE):
            part = slice(first, first + AT_ONCE)
            drawn, places = envs[part], panes[part]
            kept = self._find(drawn, places, agents[part], held[part])
            different = np.flatnonzero(kept != self._kept[drawn, places])
            drawn, places, kept = drawn[different], places[different], kept[different]
            self._pictures.draw(drawn, places, kept, self._store.pixels)
            self._kept[drawn, places] = kept

    def _find(self, envs: Numbers, panes: Numbers, agents: Numbers, held: Numbers) -> Numbers:
        """Return the numbers of the cached panes that match `numbers`, drawing the missing ones."""
        grid, cells = self.grid, self.numbers.shape[1]
        keys = np.empty((len(panes), grid.around.shape[1] + 3), dtype=np.uint32)
        keys[:, 0], keys[:, 1], keys[:, 2] = panes, agents, held
        keys[:, 3:] = self.numbers.take(grid.around.take(panes, axis=0) + envs[:, None] * cells)
        if not self._store.has_room(2 * len(keys)):
            self._evict()
        known = self._store.numbers
        names = keys.view(f"S{keys.itemsize * keys.shape[1]}")[:, 0].tolist()
        numbers = np.array([known.get(name, UNKNOWN) for name in names], dtype=np.intp)
        for place in np.flatnonzero(numbers == UNKNOWN).tolist():
            numbers[place] = self._numbered(keys[place])
        return numbers

    def _evict(self) -> None:
        """Evict all cached panes except those shown; evict all if those shown take up most of the room."""
        drawn = self._kept != UNKNOWN
        shown, places = np.unique(self._kept[drawn], return_inverse=True)
        self._store.keep(shown)
        self._kept[drawn] = places
        if not self._store.is_half_empty:
            self._store.clear()
            self._kept.fill(UNKNOWN)

    def _numbered(self, key: Codes) -> int:
        """Return the number of the cached pane with a key, drawing it if missing."""
        name = key.view(f"S{key.nbytes}")[0]
        if name not in self._store.numbers:
            pane, agent, held, *numbers = key.tolist()
            if agent == NOBODY and held == NOT_SHOWN:
                picture = self._drawn(pane, numbers)
            else:
                bare = key.copy()
                bare[1:3] = NOBODY, NOT_SHOWN
                below = self._numbered(bare)
                picture = self._store.pixels[below].copy()
                self._paint_agent(picture, pane, agent, held)
            self._store.add(name, picture)
        return self._store.numbers[name]

    def _drawn(self, pane: int, numbers: Sequence[int]) -> Picture:
        """Draw a pane without the agent."""
        around = dict(zip(self.grid.around[pane].tolist(), numbers, strict=True))
        sums = self.grid.ground(pane).copy()
        for cell, into, of in self.grid.parts[pane]:
            sums[into] += self._sprites.draw(cell, around).sums[of]
        return rounded(sums)

    def _paint_agent(self, picture: Picture, pane: int, agent: int, held: int) -> None:
        """Paint the agent and the held object over a pane."""
        if agent != NOBODY:
            cell, heading = divmod(agent - 1, self._headings)
            x, y, length = self.grid.arrows[cell]
            arrow = draw_arrow(heading, self._headings, length, self._colors)
            (left, top), (pane_left, pane_top) = corner_of(arrow, x, y), self.grid.corner(pane)
            paint_over(picture, arrow, left - pane_left, top - pane_top)
        shown = self._looks.shown(held)
        if shown is not None:
            glyph = colored(thing_glyph(shown.world, shown.look.things[0]), self._colors)
            into, of = self.grid.overlap(pane, self._layout.hand)
            picture[into] = draw_hand(self._layout.hand, glyph, self._colors)[of]


class KeptPanes:
    """Cached pictures of panes, without duplicates.

    Args:
        side: side of each in pixels.
    """

    def __init__(self, side: int) -> None:
        self.numbers: dict[bytes, int] = {}
        """Picture number of each pane key."""
        self._of_picture: dict[bytes, int] = {}
        self._pixels = GrowingArray((side, side, 3), np.uint8)
        self._most = MOST_KEPT // (3 * side * side)

    @property
    def pixels(self) -> NDArray[np.uint8]:
        """Pixels, shape (pictures, side, side, 3)."""
        return self._pixels.rows

    def has_room(self, count: int) -> bool:
        """Whether `count` more can be added."""
        return len(self._pixels) + count <= self._most and len(self.numbers) + count <= MOST_NAMES

    @property
    def is_half_empty(self) -> bool:
        """Whether the cache could double in size."""
        return self.has_room(max(len(self._pixels), len(self.numbers)))

    def keep(self, numbers: Numbers) -> None:
        """Evict all other panes, and renumber those with the given ascending numbers."""
        renumbered = {number: place for place, number in enumerate(numbers.tolist())}
        self.numbers, self._of_picture = (
            {key: renumbered[number] for key, number in each.items() if number in renumbered}
            for each in (self.numbers, self._of_picture)
        )
        pixels = self._pixels.rows[numbers]
        self._pixels.cut(0)
        self._pixels.extend(pixels)

    def clear(self) -> None:
        """Evict all kept panes."""
        self.numbers.clear()
        self._of_picture.clear()
        self._pixels.cut(0)

    def add(self, key: bytes, picture: Picture) -> None:
        """Add a pane to the cache."""
        digest = blake2b(picture.data, digest_size=DIGEST_BYTES).digest()
        number = self.numbers[key] = self._of_picture.setdefault(digest, len(self._pixels))
        if number == len(self._pixels):
            self._pixels.extend(picture)
