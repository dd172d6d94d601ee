"""Topologies: the cells, headings and exits of a tiling, without entities, and its sealed seams.

Cells are integers ``0 .. cell_count - 1`` and headings integers ``0 .. heading_count - 1``, clockwise. Lattice
coordinates appear only in `patches` and `lattice`.

Seams are edges between cells of two lattice cells that are only diagonal neighbours. On squares, the agent cannot slip
diagonally between two walls that meet at a corner; on other tilings such an edge is sealed if both lattice cells next
to it are barriers, so that a maze keeps its meaning.
"""

import sys
from collections.abc import Callable, Collection, Container
from functools import cached_property, wraps
from threading import RLock
from typing import Any, Protocol
from weakref import WeakValueDictionary

import attrs

from gridworld.support.caches import BoundedCache
from gridworld.task.validation import MAX_SIDE
from gridworld.task_spec import Position

NO_CELL = -1
"""Marks "no cell" in integer tables."""

Point = tuple[float, float]


@attrs.frozen(eq=False, slots=False)
class Topology:
    """A tiling of a lattice of `width` x `height`.

    Tables over (cell, heading) are flat tuples, indexed by ``cell * heading_count + heading``.
    """

    name: str
    width: int
    height: int
    heading_count: int

    exits: tuple[int, ...]
    """Neighbouring cell of each (cell, heading), or `NO_CELL`."""

    edges: tuple[tuple[int, ...], ...]
    """Headings that face the edges of each cell, ascending, including edges at the border of the tiling."""

    patches: dict[Position, tuple[int, ...]]
    """Cells of each lattice cell's patch, the anchor first."""

    centres: tuple[Point, ...]
    """Centre of each cell, in units of the lattice spacing, y growing downwards."""

    polygons: tuple[tuple[Point, ...], ...]
    """Corners of each cell, clockwise, in units of the lattice spacing."""

    sight: "Callable[[int, int, int], FieldOfView]"
    """Returns the field of view of an agent, from ``(cell, heading, view_size)``."""

    explanation: str = ""
    """What models should know beyond the tables, such as the shapes of cells: whole sentences on one line."""

    @property
    def cell_count(self) -> int:
        """Number of cells."""
        return len(self.centres)

    @cached_property
    def kept(self) -> BoundedCache[tuple[Any, ...], Any]:
        """Cache of values derived from the tiling and sets of its cells; keys begin with the kind of value."""
        return BoundedCache()

    @cached_property
    def lattice(self) -> tuple[Position, ...]:
        """Lattice cell whose patch contains each cell."""
        owners = {cell: position for position, cells in self.patches.items() for cell in cells}
        return tuple(owners[cell] for cell in range(self.cell_count))

    @cached_property
    def anchors(self) -> tuple[tuple[Position, int], ...]:
        """The lattice cells in reading order, each with its anchor."""
        positions = (Position(x, y) for y in range(self.height) for x in range(self.width))
        return tuple((position, self.anchor(position)) for position in positions)

    @cached_property
    def left(self) -> tuple[int, ...]:
        """Next heading counter-clockwise, for each (cell, heading), that has an edge on the cell."""
        return self._turns(-1)

    @cached_property
    def right(self) -> tuple[int, ...]:
        """Next heading clockwise, for each (cell, heading), that has an edge on the cell."""
        return self._turns(+1)

    def _turns(self, sense: int) -> tuple[int, ...]:
        count = self.heading_count
        return tuple(
            min(edges, key=lambda edge: (sense * (edge - heading) - 1) % count)
            for edges in self.edges
            for heading in range(count)
        )

    def anchor(self, position: Position) -> int:
        """Return the cell of a lattice cell's patch on which entities are placed."""
        return self.patches[position][0]


class FieldOfView(Protocol):
    """The field of view from one cell with one heading."""

    def seen(self, opaque: Collection[int], seams: Collection[tuple[int, int]] = ()) -> frozenset[int]:
        """Return the visible cells, including the agent's, given the cells and seams that block sight."""
        ...


BYTES_PER_POINT = 104
"""Memory of a pair of coordinates in bytes."""


def shared_topology(make: Callable[[int, int], Topology]) -> Callable[[int, int], Topology]:
    """Decorate a function that lays out a tiling, so that it returns the same topology as long as one is in use.

    Unused topologies stay cached within the common budget (`gridworld.support.caches`). The function raises ValueError
    for more columns or rows than a maze may have.

    Args:
        make: makes a topology from ``(columns, rows)``.
    """
    lock = RLock()
    kept: BoundedCache[tuple[int, int], Topology] = BoundedCache()
    in_use: WeakValueDictionary[tuple[int, int], Topology] = WeakValueDictionary()

    @wraps(make)
    def topology(width: int, height: int) -> Topology:
        found = kept.get((width, height))
        if found is not None:
            return found
        if max(width, height) > MAX_SIDE:
            raise ValueError(f"expected at most {MAX_SIDE} columns and rows, got {width} x {height}")
        with lock:
            found = in_use.get((width, height))
            if found is None:
                found = in_use[width, height] = make(width, height)
        return kept.put((width, height), found, _size(found))

    return topology


def _size(topology: Topology) -> int:
    """Return the size of the tables in bytes, doubled to cover tables made on demand and fields of view."""
    corners = sum(map(len, topology.polygons))
    tables = sum(map(sys.getsizeof, (topology.exits, topology.edges, topology.polygons, topology.centres)))
    cells = topology.cell_count * 2 * sys.getsizeof(()) + BYTES_PER_POINT * (topology.cell_count + corners)
    return 2 * (tables + cells + sys.getsizeof(topology.patches))


Seam = tuple[int, int]
"""Two neighbouring cells between which nothing can pass."""


def sealed_seams(topology: Topology, barriers: Container[Position]) -> frozenset[Seam]:
    """Return all sealed seams, each in both directions.

    Args:
        topology: the tiling.
        barriers: the lattice cells with a wall, a door or a gate, open or closed.
    """
    lattice, headings, seams = topology.lattice, topology.heading_count, []
    for place, neighbour in enumerate(topology.exits):
        if neighbour == NO_CELL:
            continue
        cell = place // headings
        beside = beside_contact(lattice[cell], lattice[neighbour])
        if beside is not None and beside[0] in barriers and beside[1] in barriers:
            seams.append((cell, neighbour))
    return frozenset(seams)


BYTES_PER_SEAM = 56
"""Memory of a pair of cells in bytes."""


def kept_seams(topology: Topology, barriers: frozenset[Position]) -> frozenset[Seam]:
    """Return the result of `sealed_seams`, cached with the topology."""
    key = "seams", barriers
    found: frozenset[Seam] | None = topology.kept.get(key)
    if found is None:
        found = sealed_seams(topology, barriers)
        size = sys.getsizeof(barriers) + sys.getsizeof(found) + BYTES_PER_SEAM * len(found)
        topology.kept.put(key, found, size)
    return found


def beside_contact(first: Position, second: Position) -> tuple[Position, Position] | None:
    """Return the two lattice cells next to the contact of diagonal neighbours; None for cells in one row or column."""
    (x0, y0), (x1, y1) = first, second
    return None if x0 == x1 or y0 == y1 else (Position(x0, y1), Position(x1, y0))


def sealed_exits(topology: Topology, seams: Container[Seam]) -> tuple[int, ...]:
    """Return the exits of a tiling, with `NO_CELL` in place of exits through a sealed seam."""
    headings = topology.heading_count
    return tuple(
        NO_CELL if (place // headings, neighbour) in seams else neighbour
        for place, neighbour in enumerate(topology.exits)
    )
