"""Which seams are drawn as sealed: those between two lattice cells that are both seen to be barriers.

A sealed seam tells that there is wall, door or gate on both sides of it. What is drawn depends on nothing but how these
look, so that no picture shows what the rules hide: what is hidden and looks like wall counts as wall.
"""

from __future__ import annotations

from collections.abc import Iterable

import attrs

from gridworld.task_spec import Position
from gridworld.world import World
from gridworld.world.looks import ShownLook, looks_barred
from gridworld.world.seams import beside_contact
from gridworld.world.topology import NO_CELL
from gridworld_multigrid.rendering.layout import Layout, PlacedCell
from gridworld_multigrid.rendering.raster import UNITS

__all__ = ["Seams"]


@attrs.frozen
class _Seam:
    """One side of a seam: the edge of a cell, and the lattice cells that seal it if both are barriers."""

    edge: int
    beside: tuple[Position, Position]


class Seams:
    """The seams of a world: where cells of diagonal neighbours touch.

    Args:
        world: the world.
        layout: where its cells are drawn.
        look: how a cell is shown now; None for one that is not.
    """

    def __init__(self, world: World, layout: Layout, look: ShownLook) -> None:
        self._world = world
        self._look = look
        self._of_cell: dict[int, list[_Seam]] = {}
        self._beside: dict[int, set[int]] = {}
        for place, neighbour in enumerate(world.topology.exits):
            if neighbour != NO_CELL:
                self._add(place // world.headings, neighbour, layout)

    def _add(self, cell: int, neighbour: int, layout: Layout) -> None:
        topology = self._world.topology
        beside = beside_contact(topology.lattice[cell], topology.lattice[neighbour])
        if beside is None:
            return
        edge = _common_edge(layout.cells[cell], layout.cells[neighbour])
        self._of_cell.setdefault(cell, []).append(_Seam(edge, beside))
        for position in beside:
            for other in topology.patches[position]:
                self._beside.setdefault(other, set()).add(cell)

    def touched(self, cells: Iterable[int]) -> set[int]:
        """The cells whose seams may look different when the looks of some cells have changed."""
        return {cell for changed in cells for cell in self._beside.get(changed, ())}

    def drawn(self, cell: int) -> frozenset[int]:
        """The edges of a cell that are drawn as sealed."""
        seams = self._of_cell.get(cell, ())
        return frozenset(seam.edge for seam in seams if self._is_sealed(seam))

    def _is_sealed(self, seam: _Seam) -> bool:
        return all(looks_barred(self._world, self._look, position) for position in seam.beside)


def _common_edge(cell: PlacedCell, neighbour: PlacedCell) -> int:
    corners, others = _corners(cell), set(_corners(neighbour))
    pairs = zip(corners, [*corners[1:], corners[0]], strict=True)
    return next(edge for edge, (start, end) in enumerate(pairs) if start in others and end in others)


def _corners(cell: PlacedCell) -> list[tuple[int, int]]:
    left, top = cell.box.left * UNITS, cell.box.top * UNITS
    return [(left + x, top + y) for x, y in cell.shape.corners]
