"""Pulling blocks away from where they are to be: a puzzle that is made backwards can be solved forwards.

Whoever pulls a block stands beside it, on the side that it is to go to, and steps back; this undoes a push. All is said
of the cells of a tiling, on which a heading leads straight on in its own way, so that puzzles can be made for each.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Sequence
from typing import NamedTuple

import attrs

from gridworld.task_spec import Position
from gridworld.world.square import square_topology
from gridworld.world.topology import NO_CELL, Topology, kept_seams, sealed_exits
from gridworld_generators.tools.dice import Dice

__all__ = ["Pulled", "Push", "Yard", "make_yard", "pull_apart", "square_cell", "square_position", "square_yard"]


class Push(NamedTuple):
    """One push: an agent on the cell `stand` moves forward in `heading`, into the block `block`."""

    block: int
    stand: int
    heading: int


class Pull(NamedTuple):
    """The undoing of a push: the block comes to `cell`, and whoever pulls it from there to `stand`."""

    heading: int
    cell: int
    stand: int


@attrs.frozen
class Pulled:
    """Blocks that were pulled away."""

    blocks: tuple[int, ...]
    """Block to its cell, in the order of the targets."""
    room: int
    """The cells where an agent can be to begin with, as a set of bits."""
    pushes: tuple[Push, ...]
    """What brings all blocks onto their targets, in order; between two pushes the agent walks."""
    lines: int
    """How many straight lines these pushes make."""

    def may_start_on(self, cell: int) -> bool:
        """Whether an agent on a cell can walk to where the first push is made."""
        return bool(self.room >> cell & 1)


@attrs.frozen
class Yard:
    """The floor of a maze as seen by whoever pulls blocks about in it."""

    floor: int
    """The cells that are floor, as a set of bits."""
    shifts: tuple[tuple[int, int], ...]
    """By how much the number of a cell grows on a way to a neighbour, and the cells, as a set of bits, where there is
    such a way."""
    pulls: tuple[tuple[Pull, ...], ...]
    """Cell to the ways in which a block on it can be pulled, as far as only walls hinder."""

    def room(self, cell: int, blocked: int) -> int:
        """The cells that can be walked to from one of them, as a set of bits; `blocked` holds those in the way."""
        free = self.floor & ~blocked
        room, before = 1 << cell, 0
        while room != before:
            before = room
            for shift, cells in self.shifts:
                way = room & cells
                room |= (way << shift if shift > 0 else way >> -shift) & free
        return room

    def rooms(self, blocked: int) -> Iterator[int]:
        """The parts into which things in the way divide the floor, by their lowest cells."""
        rest = self.floor & ~blocked
        while rest:
            room = self.room((rest & -rest).bit_length() - 1, blocked)
            yield room
            rest &= ~room


def make_yard(topology: Topology, walls: Iterable[Position]) -> Yard:
    """The yard of a maze on a tiling; `walls` are all lattice cells that are walls, or that no block may come onto."""
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
        # Turning finds only headings that have an edge on the cell.
        stands = [stand for stand in into.get((cell, heading), ()) if heading in topology.edges[stand]]
        pulls[there] += [Pull(heading, cell, stand) for stand in stands]
    floor = sum(1 << cell for cell, is_open in enumerate(is_floor) if is_open)
    return Yard(floor, tuple(sorted(shifts.items())), tuple(map(tuple, pulls)))


def square_yard(width: int, height: int, floor: Container[Position]) -> Yard:
    """The yard of some floor on squares."""
    topology = square_topology(width, height)
    return make_yard(topology, (cell for cell in topology.patches if cell not in floor))


def square_cell(position: Position, width: int) -> int:
    """The number of a cell on squares, of which there are `width` in a row."""
    return position.y * width + position.x


def square_position(cell: int, width: int) -> Position:
    """Where the cell of a number lies on squares."""
    return Position(cell % width, cell // width)


@attrs.frozen(eq=False)
class _Place:
    """Where blocks have been pulled to."""

    blocks: tuple[int, ...]
    room: int
    after: _Place | None
    """Where the first push leads."""
    push: Push | None

    def pushes(self) -> Iterator[Push]:
        place: _Place | None = self
        while place is not None and place.push is not None:
            yield place.push
            place = place.after


def pull_apart(yard: Yard, targets: Sequence[int], lines: int, breadth: int, dice: Dice) -> list[list[Pulled]]:
    """Pull blocks away from their targets, one straight line after the other.

    Args:
        yard: where.
        targets: block to the cell that it has to be pushed to, all different ones on floor.
        lines: how many lines to go back at most.
        breadth: from how many places to go on after each line; others are left out at random.
        dice: decides which.

    Returns:
        What was found after one line, after two, and so on; the last list is not empty. As long as nothing was left out
        each place is in the list of the fewest lines that lead back from it.
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
    """What one line of pulls makes of a place, as far as it has not been seen."""
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
