"""`CellSprites`: the contribution of each cell to a picture, given its look and those around it."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from hashlib import blake2b

import attrs

from gridworld.backends.thing_glyphs import IN_VIEW, NOT_SHOWN, LookNumbers, ShownCell
from gridworld.support.caches import BoundedCache
from gridworld.task_spec import Position
from gridworld.world.looks import look_bars
from gridworld.world.topology import NO_CELL, Topology, beside_contact
from gridworld_multigrid.rendering.appearance import Appearance, appearance_of
from gridworld_multigrid.rendering.layout import Layout
from gridworld_multigrid.rendering.palette import Colors
from gridworld_multigrid.rendering.patches import PRECISION
from gridworld_multigrid.rendering.sprites import STRIPE_PERIOD, Guest, Sprite, draw_cell, draw_remembered, draw_unseen

Point = tuple[float, float]
BYTES_PER_SEAM = 320
"""Measured memory of a `Seam` in bytes."""


@attrs.frozen
class Seam:
    """One side of a seam: an edge of a cell, and the two lattice cells that seal it if both are barriers."""

    edge: int
    beside: tuple[Position, Position]


class Seams:
    """The seams of a tiling: edges where cells of diagonal neighbours touch.

    A seam is drawn as sealed if both lattice cells next to it look like barriers. This depends only on visible looks,
    so that pictures reveal nothing that the rules hide: a hidden entity that looks like wall counts as wall.
    """

    def __init__(self, topology: Topology) -> None:
        self._topology = topology
        self._of_cell: BoundedCache[int, tuple[Seam, ...]] = BoundedCache()

    def of(self, cell: int) -> tuple[Seam, ...]:
        """Return the seams of a cell."""
        seams = self._of_cell.get(cell)
        if seams is None:
            found = tuple(self._find(cell))
            seams = self._of_cell.put(cell, found, BYTES_PER_SEAM * len(found))
        return seams

    def _find(self, cell: int) -> Iterator[Seam]:
        topology, polygons, headings = self._topology, self._topology.polygons, self._topology.heading_count
        for neighbour in topology.exits[cell * headings : (cell + 1) * headings]:
            if neighbour != NO_CELL:
                beside = beside_contact(topology.lattice[cell], topology.lattice[neighbour])
                if beside is not None:
                    yield Seam(_common_edge(polygons[cell], polygons[neighbour]), beside)

    def sealed(self, cell: int, barred: Callable[[Position], bool]) -> frozenset[int]:
        """Return the edges of a cell drawn as sealed; `barred` tells whether a lattice cell looks like a barrier."""
        return frozenset(seam.edge for seam in self.of(cell) if all(map(barred, seam.beside)))


def _common_edge(polygon: Sequence[Point], neighbour: Sequence[Point]) -> int:
    corners, others = _rounded(polygon), set(_rounded(neighbour))
    pairs = zip(corners, [*corners[1:], corners[0]], strict=True)
    return next(edge for edge, (start, end) in enumerate(pairs) if start in others and end in others)


def _rounded(polygon: Sequence[Point]) -> list[tuple[int, int]]:
    return [(round(x * PRECISION), round(y * PRECISION)) for x, y in polygon]


Numbers = Mapping[int, int] | Sequence[int]
"""Number of each cell's look (`LookNumbers`)."""
DIGEST_BYTES = 16
BYTES_PER_ARRAY, BYTES_PER_KEY = 128, 512
"""Memory of a sprite without its pixels, and of its key, in bytes."""


class CellSprites:
    """Draws the cells of a tiling.

    Args:
        topology: the tiling.
        layout: the positions of its cells.
        colors: the colours of the pictures.
        looks: the looks by number.
    """

    def __init__(self, topology: Topology, layout: Layout, colors: Colors, looks: LookNumbers) -> None:
        self._layout, self._colors, self._looks, self._patches = layout, colors, looks, topology.patches
        self._lattice, self._seams = topology.lattice, Seams(topology)
        self._shapes, self._phases = array("i"), array("b")
        """Number of each cell's shape, and phase of the stripes drawn on it while it is unseen."""
        numbers: dict[bytes, int] = {}
        for placed in layout.cells:
            shape = blake2b(repr(placed.shape).encode(), digest_size=DIGEST_BYTES).digest()
            self._shapes.append(numbers.setdefault(shape, len(numbers)))
            self._phases.append((placed.box.left + placed.box.top) % STRIPE_PERIOD)
        self._kept: dict[Hashable, Sprite] = {}
        """Sprites by what they depend on: no more pixels than the cells of a picture in all their looks."""
        self._barring: dict[int, bool] = {}
        """Whether looks are those of barriers, by number."""
        self.around = [
            array(
                "i",
                sorted(
                    {
                        *self._patches[self._lattice[cell]],
                        *(
                            other
                            for seam in self._seams.of(cell)
                            for position in seam.beside
                            for other in self._patches[position]
                        ),
                    }
                ),
            )
            for cell in range(topology.cell_count)
        ]
        """For each cell, the cells on which its drawing depends, including itself, ascending."""
        self.touched: list[list[int]] = [[] for _ in self.around]
        """For each cell, the cells whose drawing depends on it."""
        for cell, others in enumerate(self.around):
            for other in others:
                self.touched[other].append(cell)

    def _mates(self, cell: int) -> list[int]:
        """Return the other cells of a cell's patch."""
        return [other for other in self._patches[self._lattice[cell]] if other != cell]

    def draw(self, cell: int, numbers: Numbers) -> Sprite:
        """Return the contribution of a cell to the picture: its colours times its share of each pixel.

        Args:
            cell: the cell.
            numbers: the looks of the cells `around` it.
        """
        number = numbers[cell]
        if number == NOT_SHOWN:
            return self._unseen(cell)
        if len(self.around[cell]) > 1:
            return self._drawn(cell, numbers)
        key = self._shapes[cell], number
        sprite = self._kept.get(key)
        if sprite is None:
            sprite = self._kept[key] = self._drawn(cell, numbers)
        return sprite

    def _drawn(self, cell: int, numbers: Numbers) -> Sprite:
        """Return the sprite of a cell that is shown, drawn once for all cells that look alike."""
        shown = self._looks.shown(numbers[cell])
        assert shown is not None
        sealed = frozenset[int]() if shown.look.wall else self._seams.sealed(cell, lambda at: self._barred(at, numbers))
        loose = tuple(
            (mate, other)
            for mate in self._mates(cell)
            if (other := self._looks.shown(numbers[mate])) and (other.look.things or other.look.mark)
        )
        beside = tuple((self._shapes[mate], self._offset(cell, mate), numbers[mate] | IN_VIEW) for mate, _ in loose)
        key = (self._shapes[cell], sealed, numbers[cell] | IN_VIEW, beside)
        sprite = self._kept.get(key)
        if sprite is None:
            guests = []
            for mate, other in loose:
                glyphs = tuple(glyph for glyph in self._appearance(other).glyphs if not glyph.fills)
                guests.append(Guest(self._layout.cells[mate].shape, *self._offset(cell, mate), glyphs))
            shape, appearance = self._layout.cells[cell].shape, self._appearance(shown)
            sprite = self._kept[key] = draw_cell(shape, sealed, appearance, self._colors, guests)
        return sprite if shown.in_view else self._remembered(cell, sprite, key)

    def _barred(self, position: Position, numbers: Numbers) -> bool:
        """Whether a lattice cell visibly is a barrier."""
        return any(self._bars(numbers[cell]) for cell in self._patches[position])

    def _bars(self, number: int) -> bool:
        """Whether a look is that of a barrier."""
        bars = self._barring.get(number)
        if bars is None:
            shown = self._looks.shown(number)
            bars = self._barring[number] = shown is not None and look_bars(shown.world, shown.look)
        return bars

    def _appearance(self, shown: ShownCell) -> Appearance:
        return appearance_of(shown.world, shown.look, self._colors, shown.letter)

    def _offset(self, cell: int, mate: int) -> tuple[int, int]:
        """Return the offset of another cell's box from the box of `cell`, in pixels."""
        here, there = self._layout.box(cell), self._layout.box(mate)
        return there.left - here.left, there.top - here.top

    def _remembered(self, cell: int, sprite: Sprite, key: Hashable) -> Sprite:
        remembered = self._kept.get((key, "remembered"))
        if remembered is None:
            dimmed = draw_remembered(sprite, self._layout.cells[cell].shape, self._colors)
            remembered = self._kept[key, "remembered"] = dimmed
        return remembered

    def _unseen(self, cell: int) -> Sprite:
        key = (self._shapes[cell], self._phases[cell], NOT_SHOWN)
        sprite = self._kept.get(key)
        if sprite is None:
            sprite = draw_unseen(self._layout.cells[cell].shape, self._phases[cell], self._colors)
            self._kept[key] = sprite
        return sprite
