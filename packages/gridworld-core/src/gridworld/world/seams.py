"""Sealed seams: where the cells of two lattice cells touch that are only diagonal neighbours.

On squares nobody slips diagonally between two walls that meet in a corner. On tilings where such cells share an edge,
that edge is sealed if both lattice cells beside it are barriers, so that a maze keeps its meaning.
"""

from collections.abc import Container, Iterator
from functools import lru_cache

from gridworld.task_spec import Position
from gridworld.world.topology import NO_CELL, Topology

__all__ = ["Seam", "kept_seams", "sealed_exits", "sealed_seams"]

Seam = tuple[int, int]
"""Two neighbouring cells between which nothing passes."""


def sealed_seams(topology: Topology, barriers: Container[Position]) -> frozenset[Seam]:
    """All sealed seams, in both directions.

    Args:
        topology: the tiling.
        barriers: the lattice cells that are wall, door or gate, open or shut.
    """
    return frozenset(seam for seam in _diagonal_contacts(topology) if _is_sealed(topology, seam, barriers))


@lru_cache(maxsize=256)
def kept_seams(topology: Topology, barriers: frozenset[Position]) -> frozenset[Seam]:
    """What `sealed_seams` finds, kept for what was asked for last."""
    return sealed_seams(topology, barriers)


def _diagonal_contacts(topology: Topology) -> Iterator[Seam]:
    lattice, headings = topology.lattice, topology.heading_count
    for place, neighbour in enumerate(topology.exits):
        if neighbour == NO_CELL:
            continue
        cell = place // headings
        (x0, y0), (x1, y1) = lattice[cell], lattice[neighbour]
        if x0 != x1 and y0 != y1:
            yield (cell, neighbour)


def _is_sealed(topology: Topology, seam: Seam, barriers: Container[Position]) -> bool:
    (x0, y0), (x1, y1) = topology.lattice[seam[0]], topology.lattice[seam[1]]
    return Position(x0, y1) in barriers and Position(x1, y0) in barriers


def sealed_exits(topology: Topology, seams: Container[Seam]) -> tuple[int, ...]:
    """The exits of a tiling without those that lead through a sealed seam."""
    headings = topology.heading_count
    return tuple(
        NO_CELL if (place // headings, neighbour) in seams else neighbour
        for place, neighbour in enumerate(topology.exits)
    )
