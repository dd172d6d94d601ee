"""Rooms in the rock, joined by corridors."""

from __future__ import annotations

from collections.abc import Iterator

import attrs

from gridworld.task_spec import Position
from gridworld_generators.tools.dice import Dice
from gridworld_generators.tools.lattice import neighbors
from gridworld_generators.tools.regions import Neighbors, distances

__all__ = ["Dungeon", "Room", "dig_dungeon"]

TRIES = 10
"""How often a place for a room is looked for."""


@attrs.frozen
class Room:
    """A rectangle of floor."""

    left: int
    top: int
    width: int
    height: int

    def cells(self) -> Iterator[Position]:
        """Its cells, row by row."""
        for y in range(self.top, self.top + self.height):
            yield from (Position(x, y) for x in range(self.left, self.left + self.width))

    def distance(self, other: Room) -> int:
        """How many columns and rows lie between both at least, added up."""
        across = max(self.left - other.left - other.width, other.left - self.left - self.width, 0)
        return across + max(self.top - other.top - other.height, other.top - self.top - self.height, 0)

    def is_clear_of(self, other: Room, gap: int) -> bool:
        """Whether at least `gap` columns or rows lie between both."""
        return (
            self.left >= other.left + other.width + gap
            or other.left >= self.left + self.width + gap
            or self.top >= other.top + other.height + gap
            or other.top >= self.top + self.height + gap
        )


@attrs.frozen
class Dungeon:
    """Rooms and the corridors between them."""

    rooms: tuple[Room, ...]
    corridors: tuple[tuple[Position, ...], ...]
    """The cells of each corridor in their order, without those of the rooms at its ends: good places for doors are its
    first and its last."""

    def floor(self) -> set[Position]:
        """All cells of rooms and corridors."""
        return {cell for room in self.rooms for cell in room.cells()} | {
            cell for corridor in self.corridors for cell in corridor
        }


def dig_dungeon(width: int, height: int, rooms: int, dice: Dice, loops: int = 0) -> Dungeon:
    """Rooms of 2 to 4 by 2 to 4 cells that do not touch, and corridors that meet no other room and no other corridor.

    Args:
        width: lattice columns, border included.
        height: lattice rows, border included.
        rooms: how many there are to be; there are fewer if they find no place, or no corridor reaches them.
        dice: decides.
        loops: how many corridors there are to be beyond those that join all rooms.
    """
    nearby = neighbors(width, height)
    planned = _scatter(width, height, rooms, dice)
    if not planned:
        return Dungeon((), ())
    joined, waiting = [planned[0]], planned[1:]
    floor = set(planned[0].cells())
    blocked = {cell for room in planned for cell in room.cells()}
    corridors: list[tuple[Position, ...]] = []
    while waiting:
        waiting.sort(key=lambda room: min(room.distance(other) for other in joined))
        tried = ((room, _corridor(room, floor, blocked, nearby, dice)) for room in waiting)
        reached = next((pair for pair in tried if pair[1]), None)
        if reached is None:
            break
        room, corridor = reached
        waiting.remove(room)
        joined.append(room)
        corridors.append(corridor)
        floor |= {*room.cells()}
        blocked |= {*corridor}
    for room in dice.sample(joined[1:], loops):
        others = floor - {*room.cells()}
        corridor = _corridor(room, others, blocked, nearby, dice)
        if corridor:
            corridors.append(corridor)
            blocked |= {*corridor}
    return Dungeon(tuple(joined), tuple(corridors))


def _scatter(width: int, height: int, rooms: int, dice: Dice) -> list[Room]:
    """Rooms with two cells of rock between them, and where no more of them fit, with one."""
    placed: list[Room] = []
    for gap in (2, 1):
        for _ in range(TRIES * rooms):
            if len(placed) == rooms:
                return placed
            across, down = dice.between(2, min(4, width - 2)), dice.between(2, min(4, height - 2))
            room = Room(dice.between(1, width - 1 - across), dice.between(1, height - 1 - down), across, down)
            if all(room.is_clear_of(other, gap) for other in placed):
                placed.append(room)
    return placed


def _corridor(
    room: Room, floor: set[Position], blocked: set[Position], nearby: Neighbors, dice: Dice
) -> tuple[Position, ...]:
    """A shortest way through rock from a room to rooms that are joined already, touching nothing else; may be empty.

    Args:
        room: where it begins.
        floor: the cells of the rooms where it may end.
        blocked: the cells of all rooms and corridors.
        nearby: the neighbours of each cell.
        dice: decides between ways of one length.
    """
    own = frozenset(room.cells())
    rock = {cell for cell in nearby if cell not in blocked}
    clear = {cell for cell in rock if all(there in rock or there in own or there in floor for there in nearby[cell])}
    starts = [cell for cell in clear if any(there in own for there in nearby[cell])]
    ends = [cell for cell in sorted(clear) if sum(there in floor for there in nearby[cell]) == 1]
    inside = {cell for cell in clear if all(there in rock for there in nearby[cell])} | set(ends)
    steps = distances(inside | set(starts), sorted(starts), nearby)
    steps = {cell: count for cell, count in steps.items() if cell in inside or count == 0}
    reached = [cell for cell in ends if cell in steps]
    if not reached:
        return ()
    fewest = min(steps[cell] for cell in reached)
    way = [dice.choice([cell for cell in reached if steps[cell] == fewest])]
    while steps[way[-1]] > 0:
        way.append(dice.choice([there for there in nearby[way[-1]] if steps.get(there) == steps[way[-1]] - 1]))
    return tuple(reversed(way))
