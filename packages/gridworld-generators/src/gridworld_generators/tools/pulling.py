"""Block puzzles built backwards: blocks are pulled away from their targets, so that they can be pushed there.

A pull undoes a push: the agent stands next to the block and steps back, and the block follows. Cells are those of a
tiling, so that puzzles can be made for any tiling.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Sequence
from typing import NamedTuple

import attrs

from gridworld.task_spec import Position
from gridworld.world.square import square_topology
from gridworld.world.topology import NO_CELL, Topology, kept_seams, sealed_exits
from gridworld_generators.tools.dice import Dice


class Push(NamedTuple):
    """A push: the agent on cell `stand` moves forward in `heading`, pushing block number `block`."""

    block: int
    stand: int
    heading: int


class Pull(NamedTuple):
    """The reverse of a push: the block moves to `cell`, and the agent moves from there to `stand`."""

    heading: int
    cell: int
    stand: int


@attrs.frozen
class Pulled:
    """Blocks pulled away from their targets."""

    blocks: tuple[int, ...]
    """The cell of each block, in the order of the targets."""
    room: int
    """Cells where the agent can start, as a bit set."""
    pushes: tuple[Push, ...]
    """Pushes that bring all blocks onto their targets; the agent walks between them."""
    lines: int
    """Number of straight lines in these pushes."""

    def may_start_on(self, cell: int) -> bool:
        """Whether the agent can walk from a cell to the first push."""
        return bool(self.room >> cell & 1)


@attrs.frozen
class Yard:
    """The floor of a maze in which blocks are pulled."""

    floor: int
    """The floor cells, as a bit set."""
    shifts: tuple[tuple[int, int], ...]
    """For each neighbour direction, the offset of the neighbour's cell number and the bit set of cells that have one.
    """
    pulls: tuple[tuple[Pull, ...], ...]
    """Possible pulls of a block on each cell, considering only walls."""

    def room(self, cell: int, blocked: int) -> int:
        """Return the bit set of cells reachable from a cell, without the bit set `blocked`."""
        free = self.floor & ~blocked
        room, before = 1 << cell, 0
        while room != before:
            before = room
            for shift, cells in self.shifts:
                way = room & cells
                room |= (way << shift if shift > 0 else way >> -shift) & free
        return room

    def rooms(self, blocked: int) -> Iterator[int]:
        """Yield the connected parts of the floor without the bit set `blocked`, ordered by lowest cell."""
        rest = self.floor & ~blocked
        while rest:
            room = self.room((rest & -rest).bit_length() - 1, blocked)
            yield room
            rest &= ~room


def make_yard(topology: Topology, walls: Iterable[Position]) -> Yard:
    """Return the yard of a maze on a tiling; blocks and agent cannot enter the lattice cells `walls`."""
    closed = frozenset(walls)
    exits, headings = sealed_exits(topology, kept_seams(topology, closed)), topology.heading_count
    is_floor = [position not in closed for position in topology.lattice]
    ways = [
        (cell, heading, exits[cell * headings + heading])
        for cell in range(topology.cell_count)
        for heading in range(headings)
        if is_floor[cell] and exits[cell * headings + heading] != NO_CELL
    ]
    ways = [way for way in ways if is_floor[way[2]]]
    shifts: dict[int, int] = {}
    into: dict[tuple[int, int], list[int]] = {}
    for cell, heading, there in ways:
        shifts[there - cell] = shifts.get(there - cell, 0) | 1 << cell
        into.setdefault((there, heading), []).append(cell)
    pulls: list[list[Pull]] = [[] for _ in range(topology.cell_count)]
    for cell, heading, there in ways:
        # The agent can face only headings with an edge on its cell.
        stands = [stand for stand in into.get((cell, heading), ()) if heading in topology.edges[stand]]
        pulls[there] += [Pull(heading, cell, stand) for stand in stands]
    floor = sum(1 << cell for cell, is_open in enumerate(is_floor) if is_open)
    return Yard(floor, tuple(sorted(shifts.items())), tuple(map(tuple, pulls)))


def square_yard(width: int, height: int, floor: Container[Position]) -> Yard:
    """Return the yard of a floor on the square tiling."""
    topology = square_topology(width, height)
    return make_yard(topology, (cell for cell in topology.patches if cell not in floor))


def square_cell(position: Position, width: int) -> int:
    """Convert a position to its cell number on the square tiling with `width` columns."""
    return position.y * width + position.x


def square_position(cell: int, width: int) -> Position:
    """Convert a cell number on the square tiling with `width` columns to its position."""
    return Position(cell % width, cell // width)


@attrs.frozen(eq=False)
class _Place:
    """A search node: the cells of the blocks, and the region that the agent can reach."""

    blocks: tuple[int, ...]
    room: int
    after: _Place | None
    """The node after the first push."""
    push: Push | None

    def pushes(self) -> Iterator[Push]:
        place: _Place | None = self
        while place is not None and place.push is not None:
            yield place.push
            place = place.after


def pull_apart(yard: Yard, targets: Sequence[int], lines: int, breadth: int, dice: Dice) -> list[list[Pulled]]:
    """Pull blocks away from their targets, one straight line after the other.

    Args:
        yard: the floor.
        targets: target cell of each block, all different and on floor.
        lines: maximum number of lines to go back.
        breadth: beam width: number of nodes kept after each line, drawn at random.
        dice: the source of randomness.

    Returns:
        The nodes found after one line, after two, and so on; no list is empty. Unless the beam dropped nodes, each is
        in the list for the smallest number of lines that lead back from it.
    """
    start = tuple(targets)
    layer = [_Place(start, room, None, None) for room in yard.rooms(_bits(start))]
    seen = {(place.blocks, place.room) for place in layer}
    layers: list[list[Pulled]] = []
    while len(layers) < lines:
        layer = [further for place in layer for further in _further(yard, place, seen)]
        if not layer:
            break
        layers.append([Pulled(each.blocks, each.room, tuple(each.pushes()), len(layers) + 1) for each in layer])
        layer = dice.sample(layer, breadth)
    return layers


def _further(yard: Yard, place: _Place, seen: set[tuple[tuple[int, ...], int]]) -> Iterator[_Place]:
    """Yield the unseen nodes after one more line of pulls."""
    for block, cell in enumerate(place.blocks):
        for pull in yard.pulls[cell]:
            if place.room >> pull.cell & 1:
                yield from _line(yard, place, block, pull, seen)


def _line(
    yard: Yard, place: _Place, block: int, pull: Pull | None, seen: set[tuple[tuple[int, ...], int]]
) -> Iterator[_Place]:
    others = _bits(place.blocks[:block] + place.blocks[block + 1 :])
    while pull is not None and not others >> pull.stand & 1 and not others >> pull.cell & 1:
        blocks = (*place.blocks[:block], pull.cell, *place.blocks[block + 1 :])
        room = yard.room(pull.stand, _bits(blocks))
        place = _Place(blocks, room, place, Push(block, pull.stand, pull.heading))
        if (blocks, room) not in seen:
            seen.add((blocks, room))
            yield place
        pull = _straight_on(yard, pull)


def _straight_on(yard: Yard, pull: Pull) -> Pull | None:
    for further in yard.pulls[pull.cell]:
        if further.heading == pull.heading and further.cell == pull.stand:
            return further
    return None


def _bits(cells: Iterable[int]) -> int:
    return sum(1 << cell for cell in cells)
