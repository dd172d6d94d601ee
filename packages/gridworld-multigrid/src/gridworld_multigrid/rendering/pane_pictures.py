"""`PanePictures`: pictures of many moments of tasks on one tiling, redrawn where something is shown differently."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from gridworld.backends.looks import NOT_SHOWN, LookNumbers, ShownCell, thing_glyph
from gridworld.drawing.glyphs import Glyph, Rectangle
from gridworld.drawing.paned_pictures import PanedPictures
from gridworld.vector.observers import MOST_KEPT
from gridworld.vector.state_rows import GrowingArray
from gridworld.world.topology import Topology
from gridworld_multigrid.rendering.appearance import colored
from gridworld_multigrid.rendering.cell_sprites import CellSprites
from gridworld_multigrid.rendering.layers import Layer, corner_of, draw_arrow, draw_glyph, paint_over
from gridworld_multigrid.rendering.layout import Layout
from gridworld_multigrid.rendering.palette import HALO, Colors
from gridworld_multigrid.rendering.pane_grid import NOTHING_SEEN, PaneGrid
from gridworld_multigrid.rendering.raster import Picture, rounded

HELD, HELD_RIM = 0.8, 0.03
"""The size of what is held and of its rim, as parts of the frame around it."""
AT_ONCE = 1024
"""So many panes are drawn together at most."""
MOST_NAMES, LEAST_NAMES = 1 << 17, 1 << 14
"""So many panes that may look alike are told apart at most, of the pictures of many copies and of a single one."""
PICTURES_KEPT = 3
"""Of a single copy the panes of so many pictures are told apart, however large they are."""
DIGEST_BYTES = 16
UNKNOWN = -1
Numbers = NDArray[np.intp]
Codes = NDArray[np.uint32]


class PanePictures:
    """Keeps a picture of each of some copies of tasks, and redraws the panes of them that it is told to.

    Args:
        count: how many copies.
        topology: the tiling.
        layout: where its cells are drawn.
        colors: those of the pictures.
        looks: what the numbers of looks stand for.

    Raises:
        ArgumentError: the pictures would take too much memory.
    """

    def __init__(self, count: int, topology: Topology, layout: Layout, colors: Colors, looks: LookNumbers) -> None:
        self._layout, self._colors, self._looks, self._headings = layout, colors, looks, topology.heading_count
        self._sprites = CellSprites(topology, layout, colors, looks)
        self.grid = PaneGrid(topology, layout, self._sprites, colors)
        side = self.grid.side
        self._store = KeptPanes(side, MOST_NAMES if count > 1 else max(LEAST_NAMES, PICTURES_KEPT * self.grid.count))
        self._pictures = PanedPictures(count, (layout.width, layout.height), (side, side), self.grid.offset)
        self.numbers = np.full((count, topology.cell_count + 1), NOT_SHOWN, dtype=np.uint32)
        """How each cell of each copy is shown, to be said before panes are redrawn; shape (copies, cells + 1), uint32.
        The last column stands for no cell."""
        self._kept = np.full((count, self.grid.count), UNKNOWN, dtype=np.intp)
        """What each pane of each copy shows: the number of a kept pane, or `UNKNOWN`; shape (copies, panes)."""
        self.forgotten = 0
        """How many times the kept panes were forgotten, after which their numbers stand for others."""

    @property
    def pictures(self) -> NDArray[np.uint8]:
        """The pictures, shape (copies, height, width, 3): the memory itself, read-only, which `redraw` changes."""
        return self._pictures.pictures

    def redraw(self, copies: Numbers, panes: Numbers, arrows: Numbers, hands: Numbers) -> None:
        """Draw panes as `numbers` says; arguments as of `find`."""
        for first in range(0, len(panes), AT_ONCE):
            part = slice(first, first + AT_ONCE)
            drawn, places = copies[part], panes[part]
            kept = self.find(drawn, places, arrows[part], hands[part])
            different = np.flatnonzero(kept != self._kept[drawn, places])
            self._put(drawn[different], places[different], kept[different])

    def find(self, copies: Numbers, panes: Numbers, arrows: Numbers, hands: Numbers) -> Numbers:
        """The kept panes that look as `numbers` says, drawn where there are none yet.

        Args:
            copies: of the pictures of which copies; shape (n,).
            panes: the numbers of the panes; shape (n,).
            arrows: what of the agent is in each of them, as `PaneGrid.arrows` has it; shape (n,).
            hands: what of the agent's hand is, as `PaneGrid.hands` has it; shape (n,).

        Returns:
            Their numbers, shape (n,), for as long as `forgotten` stays as it is.
        """
        grid, cells = self.grid, self.numbers.shape[1]
        keys = np.empty((len(panes), grid.around.shape[1] + 3), dtype=np.uint32)
        keys[:, 0], keys[:, 1], keys[:, 2] = grid.form.take(panes), arrows, hands
        keys[:, 3:] = self.numbers.take(grid.around.take(panes, axis=0) + copies[:, None] * cells)
        if not self._store.has_room(2 * len(keys)):
            self._forget()
            self.forgotten += 1
        return np.array(self._numbers_of(panes, keys), dtype=np.intp)

    def show(self, copy: int, kept: Numbers) -> None:
        """Make all of a picture of kept panes.

        Args:
            copy: the picture of which copy.
            kept: pane to the number of what it is to show, as of `find`; shape (panes,).
        """
        panes = np.flatnonzero(kept != self._kept[copy])
        self._put(np.full_like(panes, copy), panes, kept.take(panes))

    def _put(self, copies: Numbers, panes: Numbers, kept: Numbers) -> None:
        self._pictures.draw(copies, panes, kept, self._store.pixels)
        self._kept[copies, panes] = kept

    def _forget(self) -> None:
        """Forget all kept panes but those of the pictures, or these too if they take most of the room."""
        drawn = self._kept != UNKNOWN
        shown, places = np.unique(self._kept[drawn], return_inverse=True)
        self._store.keep(shown)
        self._kept[drawn] = places
        if not self._store.is_half_empty:
            self._store.clear()
            self._kept.fill(UNKNOWN)

    def _numbers_of(self, panes: Numbers, keys: Codes) -> list[int]:
        """The numbers of the kept panes with these keys, drawn where there are none yet."""
        known = self._store.numbers
        names = keys.view(f"S{keys.itemsize * keys.shape[1]}")[:, 0].tolist()
        numbers = [known.get(name, UNKNOWN) for name in names]
        if UNKNOWN in numbers:
            lacking = [place for place, number in enumerate(numbers) if number == UNKNOWN]
            for place in lacking:
                numbers[place] = self._numbered(int(panes[place]), keys[place])
        return numbers

    def _numbered(self, pane: int, key: Codes) -> int:
        """The number of a pane as it is to look, drawn unless there is such a one."""
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
        """A pane as it is to look, the agent aside."""
        around = dict(zip(self.grid.around[pane].tolist(), numbers, strict=True))
        sums = self.grid.ground(pane).copy()
        for cell, into, of in self.grid.parts(pane):
            sums[into] += self._sprites.draw(cell, around)[of]
        return rounded(sums)

    def _paint_agent(self, picture: Picture, corner: tuple[int, int], arrow: int, hand: int) -> None:
        """Paint what is seen of the agent and its hand over a pane with a corner in the picture."""
        if arrow != NOTHING_SEEN:
            left, top, length, heading = self.grid.arrow_of(arrow)
            paint_over(picture, draw_arrow(heading, self._headings, length, self._colors), left, top)
        if hand != NOTHING_SEEN:
            self._paint_hand(picture, self.grid.held_in(hand), *corner)

    def _paint_hand(self, picture: Picture, held: int, left: int, top: int) -> None:
        """A frame with what the agent holds, on a pane whose corner is at (left, top)."""
        box, shown = self._layout.hand, self._looks.shown(held)
        assert shown is not None
        x, y = box.left + box.width / 2, box.top + box.height / 2
        for layer in self._hand_layers(shown):
            column, row = corner_of(layer, x, y)
            paint_over(picture, layer, column - left, row - top)

    def _hand_layers(self, shown: ShownCell) -> tuple[Layer, Layer]:
        width = self._layout.hand.width
        glyph = colored(thing_glyph(shown.world, shown.look.things[0]), self._colors)
        return draw_glyph(_hand_frame(self._colors), width), draw_glyph(glyph, HELD * width, HELD_RIM * width, HALO)


class KeptPanes:
    """Panes that have been drawn, each picture once.

    Args:
        side: of each, in pixels.
        most_names: so many that may look alike are told apart.
    """

    def __init__(self, side: int, most_names: int) -> None:
        self.numbers: dict[bytes, int] = {}
        """What is equal for panes that look alike, to the number of their picture."""
        self._of_picture: dict[bytes, int] = {}
        self._pixels = GrowingArray((side, side, 3), np.uint8)
        self._most, self._most_names = MOST_KEPT // (3 * side * side), most_names

    @property
    def pixels(self) -> NDArray[np.uint8]:
        """Their pixels, shape (pictures, side, side, 3)."""
        return self._pixels.rows

    def has_room(self, count: int) -> bool:
        """Whether so many more may be kept."""
        return len(self._pixels) + count <= self._most and len(self.numbers) + count <= self._most_names

    @property
    def is_half_empty(self) -> bool:
        """Whether more panes may be kept than there are."""
        return self.has_room(max(len(self._pixels), len(self.numbers)))

    def keep(self, numbers: Numbers) -> None:
        """Forget all others, and number these anew.

        Args:
            numbers: ascending.
        """
        anew = {number: place for place, number in enumerate(numbers.tolist())}
        self.numbers, self._of_picture = (
            {key: anew[number] for key, number in each.items() if number in anew}
            for each in (self.numbers, self._of_picture)
        )
        pixels = self._pixels.rows[numbers]
        self._pixels.cut(0)
        self._pixels.extend(pixels)

    def clear(self) -> None:
        """Forget them all."""
        self.numbers.clear()
        self._of_picture.clear()
        self._pixels.cut(0)

    def add(self, key: bytes, picture: Picture) -> None:
        """Keep a pane."""
        digest = blake2b(picture.data, digest_size=DIGEST_BYTES).digest()
        number = self.numbers[key] = self._of_picture.setdefault(digest, len(self._pixels))
        if number == len(self._pixels):
            self._pixels.extend(picture)


def _hand_frame(colors: Colors) -> Glyph:
    """The frame around what the agent holds; it stands out from the wall that it lies upon."""
    return Glyph((Rectangle(0, 0, 1, 1, HALO), Rectangle(0.06, 0.06, 0.94, 0.94, colors.floor)))
