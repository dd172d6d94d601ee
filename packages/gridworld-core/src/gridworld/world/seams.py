"""Sealed seams: where the cells of two lattice cells touch that are only diagonal neighbours.

On squares nobody slips diagonally between two walls that meet in a corner. On tilings where such cells share an edge,
that edge is sealed if both lattice cells beside it are barriers, so that a maze keeps its meaning.
"""

import sys
from collections.abc import Container, Iterator

from gridworld.task_spec import Position
from gridworld.world.topology import NO_CELL, Topology

__all__ = ["Seam", "beside_contact", "kept_seams", "sealed_exits", "sealed_seams"]

Seam = tuple[int, int]
"""Two neighbouring cells between which nothing passes."""


def sealed_seams(topology: Topology, barriers: Container[Position]) -> frozenset[Seam]:
    """All sealed seams, in both directions.

    Args:
        topology: the tiling.
        barriers: the lattice cells that are wall, door or gate, open or shut.
    """
    contacts = _diagonal_contacts(topology)
    return frozenset(seam for seam, (one, other) in contacts if one in barriers and other in barriers)


BYTES_PER_SEAM = 56
"""Bytes of a pair of cells."""


def kept_seams(topology: Topology, barriers: frozenset[Position]) -> frozenset[Seam]:
    """What `sealed_seams` finds, kept for what was asked for last."""
    key = "seams", barriers
    found: frozenset[Seam] | None = topology.kept.get(key)
    if found is None:
        found = sealed_seams(topology, barriers)
        size = sys.getsizeof(barriers) + sys.getsizeof(found) + BYTES_PER_SEAM * len(found)
        topology.kept.put(key, found, size)
    return found


def beside_contact(first: Position, second: Position) -> tuple[Position, Position] | None:
    """The lattice cells beside the place where two diagonal neighbours touch; None for two in one row or column."""
    (x0, y0), (x1, y1) = first, second
    return None if x0 == x1 or y0 == y1 else (Position(x0, y1), Position(x1, y0))


def _diagonal_contacts(topology: Topology) -> Iterator[tuple[Seam, tuple[Position, Position]]]:
    """Each seam between diagonal neighbours, with the lattice cells beside it."""
    lattice, headings = topology.lattice, topology.heading_count
    for place, neighbour in enumerate(topology.exits):
        if neighbour == NO_CELL:
            continue
        cell = place // headings
        beside = beside_contact(lattice[cell], lattice[neighbour])
        if beside is not None:
            yield (cell, neighbour), beside


def sealed_exits(topology: Topology, seams: Container[Seam]) -> tuple[int, ...]:
    """The exits of a tiling without those that lead through a sealed seam."""
    headings = topology.heading_count
    return tuple(
        NO_CELL if (place // headings, neighbour) in seams else neighbour
        for place, neighbour in enumerate(topology.exits)
    )
