"""Perfect mazes: corridors between rooms of one cell, with exactly one way between any two of them.

The rooms are the cells of odd column and row; between neighbouring rooms lies a cell that is dug or not. The algorithms
draw spanning trees of the same grid of rooms, of different character:

- ``backtracker`` goes on until it is stuck, then back: few dead ends, and long winding corridors like rivers;
- ``prim`` grows on all sides at once: many dead ends, most of them one room deep, and short ways;
- ``wilson`` draws every tree with the same probability: no bias at all, between the two;
- ``division`` splits an empty hall again and again: long straight walls, and halls behind halls.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from itertools import pairwise

from gridworld.task_spec import Position
from gridworld_generators.tools.dice import Dice
from gridworld_generators.tools.lattice import NEIGHBORS

__all__ = ["CARVERS", "Passage", "Rooms", "carve", "room_grid", "to_floor"]

Rooms = Mapping[Position, tuple[Position, ...]]
"""Each room with the rooms next to it, two cells away: right, down, left, up."""
Passage = tuple[Position, Position]
"""Two rooms next to each other between which there is a way."""


def carve(algorithm: str, columns: int, rows: int, dice: Dice) -> set[Position]:
    """The floor of a perfect maze on a lattice of 2 `columns` + 1 by 2 `rows` + 1 cells.

    Args:
        algorithm: one of `CARVERS`.
        columns: how many rooms lie side by side, at least 1.
        rows: how many rooms lie one below the other, at least 1.
        dice: decides.
    """
    rooms = room_grid(columns, rows)
    return to_floor(rooms, CARVERS[algorithm](rooms, dice))


@lru_cache(maxsize=64)
def room_grid(columns: int, rows: int) -> Rooms:
    """The rooms of a maze, row by row."""
    rooms = [Position(2 * column + 1, 2 * row + 1) for row in range(rows) for column in range(columns)]
    known = frozenset(rooms)
    return {
        room: tuple(there for dx, dy in NEIGHBORS if (there := Position(room.x + 2 * dx, room.y + 2 * dy)) in known)
        for room in rooms
    }


def to_floor(rooms: Iterable[Position], passages: Iterable[Passage]) -> set[Position]:
    """The cells of rooms and of passages between them."""
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
    """Take any passage that leads out of what has been dug, again and again."""
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
    """Random walks whose loops are erased, each up to what has been dug before (Wilson, STOC 1996)."""
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
    """Whether a hall is split from left to right; None if it is one room wide or high already."""
    if width == 0 or height == 0:
        return None
    return dice.chance(0.5) if width == height else height > width


CARVERS: dict[str, Callable[[Rooms, Dice], Iterator[Passage]]] = {
    "backtracker": _backtracker,
    "division": _division,
    "prim": _prim,
    "wilson": _wilson,
}
"""The algorithms by name: from rooms to the passages of a spanning tree."""
