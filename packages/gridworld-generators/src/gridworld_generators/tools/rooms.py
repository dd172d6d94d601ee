"""Layouts of open floor: halls split by partitions, dungeons, caves and irregular halls."""

from __future__ import annotations

from collections.abc import Iterator

import attrs

from gridworld.task_spec import Position
from gridworld_generators.tools.dice import Dice
from gridworld_generators.tools.lattice import AROUND, around, inner_cells, neighbors
from gridworld_generators.tools.regions import Neighbors, components, distances


@attrs.frozen
class Partitioned:
    """A hall divided by partitions."""

    floor: frozenset[Position]
    """All cells that are not walls, including gaps."""
    gaps: tuple[Position, ...]
    """The gap in each partition, in the order of the splits."""


def partition(width: int, height: int, chambers: int, dice: Dice, least: int = 2) -> Partitioned:
    """Split a hall into chambers, joined as a tree by one gap in each partition.

    The largest chamber is split across its longer side until there are enough. No partition meets another at a gap.

    Args:
        width: lattice columns, border included.
        height: lattice rows, border included.
        chambers: number of chambers; there are fewer if they would become too small.
        dice: the source of chance.
        least: the shortest side of a chamber.
    """
    floor = set(inner_cells(width, height))
    halls, gaps = [(1, 1, width - 2, height - 2)], list[Position]()
    stuck: list[tuple[int, int, int, int]] = []
    while halls and len(halls) + len(stuck) < chambers:
        hall = max(halls, key=lambda each: ((each[2] - each[0] + 1) * (each[3] - each[1] + 1), each))
        halls.remove(hall)
        walls = _possible_walls(hall, gaps, least)
        if not walls:
            stuck.append(hall)
            continue
        wall = dice.choice(walls)
        gap = dice.choice(wall)
        floor.difference_update(wall)
        floor.add(gap)
        gaps.append(gap)
        halls += _parts(hall, wall)
    return Partitioned(frozenset(floor), tuple(gaps))


Hall = tuple[int, int, int, int]
"""First column, first row, last column and last row of a hall."""


def _possible_walls(hall: Hall, gaps: list[Position], least: int) -> list[list[Position]]:
    """Return possible partitions, across the longer side if any leaves room on both sides and meets no gap."""
    left, top, right, bottom = hall
    upright = [
        [Position(x, y) for y in range(top, bottom + 1)]
        for x in range(left + least, right - least + 1)
        if Position(x, top - 1) not in gaps and Position(x, bottom + 1) not in gaps
    ]
    level = [
        [Position(x, y) for x in range(left, right + 1)]
        for y in range(top + least, bottom - least + 1)
        if Position(left - 1, y) not in gaps and Position(right + 1, y) not in gaps
    ]
    return (upright or level) if right - left >= bottom - top else (level or upright)


def _parts(hall: Hall, wall: list[Position]) -> list[Hall]:
    left, top, right, bottom = hall
    x, y = wall[0]
    if wall[-1].x == x:
        return [(left, top, x - 1, bottom), (x + 1, top, right, bottom)]
    return [(left, top, right, y - 1), (left, y + 1, right, bottom)]


TRIES = 10
"""Number of attempts to place each room."""


@attrs.frozen
class Room:
    """A rectangle of floor."""

    left: int
    top: int
    width: int
    height: int

    def cells(self) -> Iterator[Position]:
        """Yield the cells of the room, row by row."""
        for y in range(self.top, self.top + self.height):
            yield from (Position(x, y) for x in range(self.left, self.left + self.width))

    def distance(self, other: Room) -> int:
        """Return the distance to another room in columns plus rows."""
        across = max(self.left - other.left - other.width, other.left - self.left - self.width, 0)
        return across + max(self.top - other.top - other.height, other.top - self.top - self.height, 0)

    def is_clear_of(self, other: Room, gap: int) -> bool:
        """Whether at least `gap` columns or rows lie between both rooms."""
        return (
            self.left >= other.left + other.width + gap
            or other.left >= self.left + self.width + gap
            or self.top >= other.top + other.height + gap
            or other.top >= self.top + self.height + gap
        )


@attrs.frozen
class Dungeon:
    """Rooms, and the corridors between them."""

    rooms: tuple[Room, ...]
    corridors: tuple[tuple[Position, ...], ...]
    """The cells of each corridor in order, without the rooms at its ends; doors fit on the first and the last."""

    def floor(self) -> set[Position]:
        """Return all cells of rooms and corridors."""
        return {cell for room in self.rooms for cell in room.cells()} | {
            cell for corridor in self.corridors for cell in corridor
        }


def dig_dungeon(width: int, height: int, rooms: int, dice: Dice, loops: int = 0) -> Dungeon:
    """Dig rooms of 2 to 4 by 2 to 4 cells that do not touch, and corridors that meet no other room or corridor.

    Args:
        width: lattice columns, border included.
        height: lattice rows, border included.
        rooms: number of rooms; there are fewer if they do not fit, or no corridor reaches them.
        dice: the source of randomness.
        loops: number of corridors beyond those that connect all rooms.
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
    """Return rooms separated by two cells of rock, or by one cell where no more rooms fit."""
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
    """Return a shortest path through rock from a room to `floor` that touches nothing else; empty if there is none."""
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


ROCK = 0.43
"""Initial probability of rock."""
CROWDED = 5
"""Number of rocks among the eight neighbours that turns floor into rock; one fewer keeps rock."""


def grow_cave(width: int, height: int, dice: Dice, rounds: int = 2) -> set[Position]:
    """Return the floor of a cave: the largest region that a cellular automaton leaves of random rock.

    Args:
        width: lattice columns, border included; the border is rock.
        height: lattice rows, border included.
        dice: the source of chance.
        rounds: steps of the automaton; more give smoother walls and wider halls.
    """
    nearby = around(width, height)
    floor = {cell for cell in inner_cells(width, height) if not dice.chance(ROCK)}
    for _ in range(rounds):
        rocks = {cell: 8 - sum(there in floor for there in cells) for cell, cells in nearby.items()}
        floor = {cell for cell, count in rocks.items() if count < CROWDED - (cell not in floor)}
    parts = components(floor, neighbors(width, height))
    return parts[0] if parts else set()


MOST_PILLARS = 2
LEAST_SIDE, MOST_SIDE = 2, 4
"""Range of the sides of the rectangles that form a hall; in halls one cell wide nothing can be pushed aside."""


def carve_hall(left: int, top: int, width: int, height: int, walls: int, dice: Dice) -> frozenset[Position]:
    """Return the connected floor of a hall: overlapping rectangles with a few pillars.

    Args:
        left: first column.
        top: first row.
        width: columns it may fill, at least 2.
        height: rows it may fill, at least 2.
        walls: approximate share of wall in percent, below 100.
        dice: the source of chance.
    """
    wanted = max(LEAST_SIDE**2, width * height * (100 - walls) // 100)
    floor: set[Position] = set()
    while len(floor) < wanted:
        part = _rectangle(left, top, width, height, dice)
        if not floor or not floor.isdisjoint(part):
            floor |= part
    return frozenset(floor - _pillars(floor, dice))


def _pillars(floor: set[Position], dice: Dice) -> set[Position]:
    """Return up to `MOST_PILLARS` floor cells, apart from each other and from all walls."""
    pillars: set[Position] = set()
    for cell in dice.sample(sorted(floor), 3 * MOST_PILLARS):
        around = {Position(cell.x + dx, cell.y + dy) for dx, dy in AROUND}
        if around <= floor - pillars and len(pillars) < MOST_PILLARS:
            pillars.add(cell)
    return pillars


def _rectangle(left: int, top: int, width: int, height: int, dice: Dice) -> frozenset[Position]:
    wide, high = dice.between(LEAST_SIDE, min(MOST_SIDE, width)), dice.between(LEAST_SIDE, min(MOST_SIDE, height))
    x, y = left + dice.below(width - wide + 1), top + dice.below(height - high + 1)
    return frozenset(Position(column, row) for column in range(x, x + wide) for row in range(y, y + high))
