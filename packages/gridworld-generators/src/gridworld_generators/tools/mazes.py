"""Mazes of corridors: perfect mazes by four algorithms, dead ends opened into loops, and spirals.

The rooms of a perfect maze are the cells with odd column and row, with exactly one path between any two; the cell
between two neighbouring rooms is a passage or a wall. The algorithms draw spanning trees of different character:

- ``backtracker``: depth-first, few dead ends, long winding corridors;
- ``prim``: grows on all sides, many short dead ends, short paths;
- ``wilson``: uniform over all trees, between those two;
- ``division``: splits a hall recursively, long straight walls.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from functools import lru_cache
from itertools import pairwise

from gridworld.task_spec import Position
from gridworld_generators.tools.dice import Dice
from gridworld_generators.tools.lattice import NEIGHBORS

Rooms = Mapping[Position, tuple[Position, ...]]
"""Neighbouring rooms of each room, two cells away: right, down, left, up."""
Passage = tuple[Position, Position]
"""Two neighbouring rooms that are joined."""


def carve(algorithm: str, columns: int, rows: int, dice: Dice) -> set[Position]:
    """Return the floor of a perfect maze on a lattice of 2 `columns` + 1 by 2 `rows` + 1 cells.

    Args:
        algorithm: one of `CARVERS`.
        columns: number of columns of rooms, at least 1.
        rows: number of rows of rooms, at least 1.
        dice: the source of chance.
    """
    rooms = room_grid(columns, rows)
    return to_floor(rooms, CARVERS[algorithm](rooms, dice))


@lru_cache(maxsize=64)
def room_grid(columns: int, rows: int) -> Rooms:
    """Return the rooms of a maze, row by row."""
    rooms = [Position(2 * column + 1, 2 * row + 1) for row in range(rows) for column in range(columns)]
    known = frozenset(rooms)
    return {
        room: tuple(there for dx, dy in NEIGHBORS if (there := Position(room.x + 2 * dx, room.y + 2 * dy)) in known)
        for room in rooms
    }


def to_floor(rooms: Iterable[Position], passages: Iterable[Passage]) -> set[Position]:
    """Return the cells of the rooms and passages."""
    return {*rooms, *(Position((a.x + b.x) // 2, (a.y + b.y) // 2) for a, b in passages)}


def _backtracker(rooms: Rooms, dice: Dice) -> Iterator[Passage]:
    here = dice.choice(list(rooms))
    seen, trail = {here}, [here]
    while trail:
        here = trail[-1]
        ways = [there for there in rooms[here] if there not in seen]
        if not ways:
            trail.pop()
            continue
        there = dice.choice(ways)
        yield here, there
        seen.add(there)
        trail.append(there)


def _prim(rooms: Rooms, dice: Dice) -> Iterator[Passage]:
    """Add random passages out of the maze so far."""
    first = dice.choice(list(rooms))
    seen = {first}
    edge = [(first, there) for there in rooms[first]]
    while edge:
        number = dice.below(len(edge))
        edge[number], edge[-1] = edge[-1], edge[number]
        here, there = edge.pop()
        if there not in seen:
            yield here, there
            seen.add(there)
            edge += [(there, onward) for onward in rooms[there] if onward not in seen]


def _wilson(rooms: Rooms, dice: Dice) -> Iterator[Passage]:
    """Connect rooms by loop-erased random walks, each until it meets the maze so far (Wilson, STOC 1996)."""
    order = dice.shuffled(rooms)
    seen = {order[0]}
    for start in order[1:]:
        onward: dict[Position, Position] = {}
        here = start
        while here not in seen:
            onward[here] = dice.choice(rooms[here])
            here = onward[here]
        here = start
        while here not in seen:
            seen.add(here)
            yield here, onward[here]
            here = onward[here]


def _division(rooms: Rooms, dice: Dice) -> Iterator[Passage]:
    last = max(rooms)
    halls = [(1, 1, last.x, last.y)]
    while halls:
        left, top, right, bottom = halls.pop()
        across = _splits_across(right - left, bottom - top, dice)
        if across is None:
            cells = [Position(x, y) for y in range(top, bottom + 1, 2) for x in range(left, right + 1, 2)]
            yield from pairwise(cells)
        elif across:
            wall, gap = top + 1 + 2 * dice.below((bottom - top) // 2), left + 2 * dice.below((right - left) // 2 + 1)
            yield Position(gap, wall - 1), Position(gap, wall + 1)
            halls += [(left, top, right, wall - 1), (left, wall + 1, right, bottom)]
        else:
            wall, gap = left + 1 + 2 * dice.below((right - left) // 2), top + 2 * dice.below((bottom - top) // 2 + 1)
            yield Position(wall - 1, gap), Position(wall + 1, gap)
            halls += [(left, top, wall - 1, bottom), (wall + 1, top, right, bottom)]


def _splits_across(width: int, height: int, dice: Dice) -> bool | None:
    """Return whether to split a hall with a horizontal wall; None if it is one room wide or high."""
    if width == 0 or height == 0:
        return None
    return dice.chance(0.5) if width == height else height > width


CARVERS: dict[str, Callable[[Rooms, Dice], Iterator[Passage]]] = {
    "backtracker": _backtracker,
    "division": _division,
    "prim": _prim,
    "wilson": _wilson,
}
"""Algorithms by name; each returns the passages of a spanning tree of the rooms."""


def dead_ends(floor: Set[Position]) -> list[Position]:
    """Return the floor cells with at most one neighbour on the floor, sorted."""
    return sorted(cell for cell in floor if sum(there in floor for there in _beside(cell, 1)) <= 1)


def braid(floor: Set[Position], share: float, dice: Dice) -> set[Position]:
    """Return the floor of a maze after opening dead ends through the wall behind them.

    Args:
        floor: the floor of a maze with rooms and walls of one cell, as made by `carve`.
        share: the share of dead ends to open, 0 to 1; two that lie back to back are opened to each other.
        dice: the source of randomness.
    """
    opened = set(floor)
    closed = dead_ends(floor)
    for cell in dice.sample(closed, round(share * len(closed))):
        if sum(there in opened for there in _beside(cell, 1)) > 1:
            continue
        ways = [wall for wall, there in zip(_beside(cell, 1), _beside(cell, 2), strict=True)
                if wall not in opened and there in opened]  # fmt: skip
        if ways:
            opened.add(dice.choice(ways))
    return opened


def _beside(cell: Position, distance: int) -> list[Position]:
    return [Position(cell.x + distance * dx, cell.y + distance * dy) for dx, dy in NEIGHBORS]


def spiral_order(columns: int, rows: int) -> Iterator[Position]:
    """Yield all cells of a grid, clockwise from the top left corner inwards."""
    left, top, right, bottom = 0, 0, columns - 1, rows - 1
    while left <= right and top <= bottom:
        yield from (Position(x, top) for x in range(left, right + 1))
        yield from (Position(right, y) for y in range(top + 1, bottom + 1))
        if bottom > top:
            yield from (Position(x, bottom) for x in range(right - 1, left - 1, -1))
        if right > left:
            yield from (Position(left, y) for y in range(bottom - 1, top, -1))
        left, top, right, bottom = left + 1, top + 1, right - 1, bottom - 1


def spiral_floor(columns: int, rows: int, lane: int = 1) -> set[Position]:
    """Return a spiral floor with walls of one cell; `columns` * (`lane` + 1) + 1 by `rows` * (`lane` + 1) + 1 cells.

    Args:
        columns: number of lanes side by side.
        rows: number of lanes one below the other.
        lane: width of the corridor in cells.
    """
    pitch = lane + 1
    blocks = [Position(1 + column * pitch, 1 + row * pitch) for column, row in spiral_order(columns, rows)]
    floor = {Position(block.x + dx, block.y + dy) for block in blocks for dx in range(lane) for dy in range(lane)}
    for here, there in pairwise(blocks):
        floor |= {
            Position(x, y)
            for x in range(min(here.x, there.x), max(here.x, there.x) + lane)
            for y in range(min(here.y, there.y), max(here.y, there.y) + lane)
        }
    return floor
