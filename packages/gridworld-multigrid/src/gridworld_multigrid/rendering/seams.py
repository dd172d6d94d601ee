"""Which seams are drawn as sealed: those between two lattice cells that are both seen to be barriers.

A sealed seam tells that there is wall, door or gate on both sides of it. What is drawn depends on nothing but how these
look, so that no picture shows what the rules hide: what is hidden and looks like wall counts as wall.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import attrs

from gridworld.support.bounded_cache import BoundedCache
from gridworld.task_spec import Position
from gridworld.world.seams import beside_contact
from gridworld.world.topology import NO_CELL, Topology
from gridworld_multigrid.rendering.patches import PRECISION

__all__ = ["Seam", "Seams"]

Point = tuple[float, float]
BYTES_PER_SEAM = 320
"""Bytes of a `Seam`, as measured."""


@attrs.frozen
class Seam:
    """One side of a seam: the edge of a cell, and the lattice cells that seal it if both are barriers."""

    edge: int
    beside: tuple[Position, Position]


class Seams:
    """The seams of a tiling: where cells of diagonal neighbours touch.

    Args:
        topology: the tiling.
    """

    def __init__(self, topology: Topology) -> None:
        self._topology = topology
        self._of_cell: BoundedCache[int, tuple[Seam, ...]] = BoundedCache()

    def of(self, cell: int) -> tuple[Seam, ...]:
        """The seams of a cell."""
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
        """The edges of a cell that are drawn as sealed.

        Args:
            cell: the cell.
            barred: whether a lattice cell is seen to be a barrier.
        """
        return frozenset(seam.edge for seam in self.of(cell) if all(map(barred, seam.beside)))


def _common_edge(polygon: Sequence[Point], neighbour: Sequence[Point]) -> int:
    corners, others = _rounded(polygon), set(_rounded(neighbour))
    pairs = zip(corners, [*corners[1:], corners[0]], strict=True)
    return next(edge for edge, (start, end) in enumerate(pairs) if start in others and end in others)


def _rounded(polygon: Sequence[Point]) -> list[tuple[int, int]]:
    return [(round(x * PRECISION), round(y * PRECISION)) for x, y in polygon]
