"""`PanePictures`: pictures of a batch of environments on one tiling, redrawn pane by pane where they change."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from gridworld.backends.looks import NOT_SHOWN, LookNumbers, thing_glyph
from gridworld.drawing.glyphs import Glyph, Rectangle
from gridworld.drawing.paned_pictures import PanedPictures
from gridworld.vector.observers import MOST_KEPT
from gridworld.vector.state_rows import GrowingArray
from gridworld.world.topology import Topology
from gridworld_multigrid.rendering.appearance import colored
from gridworld_multigrid.rendering.cell_sprites import CellSprites
from gridworld_multigrid.rendering.layers import corner_of, draw_arrow, draw_glyph, paint_over
from gridworld_multigrid.rendering.layout import Layout
from gridworld_multigrid.rendering.palette import HALO, Colors
from gridworld_multigrid.rendering.pane_grid import NOTHING_SEEN, PaneGrid
from gridworld_multigrid.rendering.raster import Picture, rounded

HELD, HELD_RIM = 0.8, 0.03
"""Size of the held object and of its rim, as fractions of its frame."""
AT_ONCE = 1024
"""Maximum number of panes drawn together."""
MOST_NAMES, LEAST_NAMES = 1 << 17, 1 << 14
"""Maximum number of pane keys, for many environments and for a single one."""
PICTURES_KEPT = 3
"""Minimum number of pictures, of any size, whose panes a single environment caches."""
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
        self._store = KeptPanes(side, MOST_NAMES if count > 1 else max(LEAST_NAMES, PICTURES_KEPT * self.grid.count))
        self._pictures = PanedPictures(count, (layout.width, layout.height), (side, side), self.grid.offset)
        self.numbers = np.full((count, topology.cell_count + 1), NOT_SHOWN, dtype=np.uint32)
        """Number of each cell's look, to be set before redrawing; shape (num_envs, cells + 1), uint32.

        The last column stands for no cell.
        """
        self._kept = np.full((count, self.grid.count), UNKNOWN, dtype=np.intp)
        """Number of the cached pane shown in each position, or `UNKNOWN`; shape (num_envs, panes)."""
        self.evictions = 0
        """Number of evictions of cached panes; each one renumbers them."""

    @property
    def pictures(self) -> NDArray[np.uint8]:
        """The current pictures, shape (num_envs, height, width, 3); read-only, and changed by `redraw`."""
        return self._pictures.pictures

    def redraw(self, envs: Numbers, panes: Numbers, arrows: Numbers, hands: Numbers) -> None:
        """Draw panes according to `numbers`; arguments as in `find`."""
        for first in range(0, len(panes), AT_ONCE):
            part = slice(first, first + AT_ONCE)
            drawn, places = envs[part], panes[part]
            kept = self.find(drawn, places, arrows[part], hands[part])
            different = np.flatnonzero(kept != self._kept[drawn, places])
            self._put(drawn[different], places[different], kept[different])

    def find(self, envs: Numbers, panes: Numbers, arrows: Numbers, hands: Numbers) -> Numbers:
        """Find the cached panes that match `numbers`, drawing the missing ones.

        Args:
            envs: the environments; shape (n,).
            panes: the panes; shape (n,).
            arrows: parts of the agent in each pane, as in `PaneGrid.arrows`; shape (n,).
            hands: parts of the agent's hand, as in `PaneGrid.hands`; shape (n,).

        Returns:
            Numbers of cached panes, shape (n,), valid until `evictions` changes.
        """
        grid, cells = self.grid, self.numbers.shape[1]
        keys = np.empty((len(panes), grid.around.shape[1] + 3), dtype=np.uint32)
        keys[:, 0], keys[:, 1], keys[:, 2] = grid.form.take(panes), arrows, hands
        keys[:, 3:] = self.numbers.take(grid.around.take(panes, axis=0) + envs[:, None] * cells)
        if not self._store.has_room(2 * len(keys)):
            self._evict()
            self.evictions += 1
        return np.array(self._numbers_of(panes, keys), dtype=np.intp)

    def show(self, env: int, kept: Numbers) -> None:
        """Assemble the picture of an environment from cached panes.

        Args:
            env: the environment.
            kept: cached pane for each pane, as in `find`; shape (panes,).
        """
        panes = np.flatnonzero(kept != self._kept[env])
        self._put(np.full_like(panes, env), panes, kept.take(panes))

    def _put(self, envs: Numbers, panes: Numbers, kept: Numbers) -> None:
        self._pictures.draw(envs, panes, kept, self._store.pixels)
        self._kept[envs, panes] = kept

    def _evict(self) -> None:
        """Evict all cached panes except those shown; evict all if those shown take up most of the room."""
        drawn = self._kept != UNKNOWN
        shown, places = np.unique(self._kept[drawn], return_inverse=True)
        self._store.keep(shown)
        self._kept[drawn] = places
        if not self._store.is_half_empty:
            self._store.clear()
            self._kept.fill(UNKNOWN)

    def _numbers_of(self, panes: Numbers, keys: Codes) -> list[int]:
        """Return the numbers of the cached panes with these keys, drawing the missing ones."""
        known = self._store.numbers
        names = keys.view(f"S{keys.itemsize * keys.shape[1]}")[:, 0].tolist()
        numbers = [known.get(name, UNKNOWN) for name in names]
        if UNKNOWN in numbers:
            lacking = [place for place, number in enumerate(numbers) if number == UNKNOWN]
            for place in lacking:
                numbers[place] = self._numbered(int(panes[place]), keys[place])
        return numbers

    def _numbered(self, pane: int, key: Codes) -> int:
        """Return the number of the cached pane with a key, drawing it if missing."""
        name = key.view(f"S{key.nbytes}")[0]
        if name not in self._store.numbers:
            bare = key.copy()
            bare[1:3] = NOTHING_SEEN
            arrow, hand = key[1:3].tolist()
            if arrow == hand == NOTHING_SEEN:
                picture = self._drawn(pane, key[3:].tolist())
            else:
                below = self._numbered(pane, bare)
                picture = self._store.pixels[below].copy()
                self._paint_agent(picture, self.grid.corner(pane), arrow, hand)
            self._store.add(name, picture)
        return self._store.numbers[name]

    def _drawn(self, pane: int, numbers: Sequence[int]) -> Picture:
        """Draw a pane without the agent."""
        around = dict(zip(self.grid.around[pane].tolist(), numbers, strict=True))
        sums = self.grid.ground(pane).copy()
        for cell, into, of in self.grid.parts(pane):
            sums[into] += self._sprites.draw(cell, around)[of]
        return rounded(sums)

    def _paint_agent(self, picture: Picture, corner: tuple[int, int], arrow: int, hand: int) -> None:
        """Paint the agent and its hand over a pane with its corner at `corner`."""
        if arrow != NOTHING_SEEN:
            left, top, length, heading = self.grid.arrow_of(arrow)
            paint_over(picture, draw_arrow(heading, self._headings, length, self._colors), left, top)
        if hand != NOTHING_SEEN:
            self._paint_hand(picture, self.grid.held_in(hand), *corner)

    def _paint_hand(self, picture: Picture, held: int, left: int, top: int) -> None:
        """Paint the framed held object over a pane with its corner at (left, top)."""
        box, shown = self._layout.hand, self._looks.shown(held)
        assert shown is not None
        x, y, width = box.left + box.width / 2, box.top + box.height / 2, box.width
        # The ground of the frame stands out from the wall below.
        frame = Glyph((Rectangle(0, 0, 1, 1, HALO), Rectangle(0.06, 0.06, 0.94, 0.94, self._colors.floor)))
        glyph = colored(thing_glyph(shown.world, shown.look.things[0]), self._colors)
        for layer in (draw_glyph(frame, width), draw_glyph(glyph, HELD * width, HELD_RIM * width, HALO)):
            column, row = corner_of(layer, x, y)
            paint_over(picture, layer, column - left, row - top)


class KeptPanes:
    """Cached pictures of panes, without duplicates.

    Args:
        side: side of each in pixels.
        most_names: maximum number of keys.
    """

    def __init__(self, side: int, most_names: int) -> None:
        self.numbers: dict[bytes, int] = {}
        """Picture number of each pane key."""
        self._of_picture: dict[bytes, int] = {}
        self._pixels = GrowingArray((side, side, 3), np.uint8)
        self._most, self._most_names = MOST_KEPT // (3 * side * side), most_names

    @property
    def pixels(self) -> NDArray[np.uint8]:
        """Pixels, shape (pictures, side, side, 3)."""
        return self._pixels.rows

    def has_room(self, count: int) -> bool:
        """Whether `count` more can be added."""
        return len(self._pixels) + count <= self._most and len(self.numbers) + count <= self._most_names

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
