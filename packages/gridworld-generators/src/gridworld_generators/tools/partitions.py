"""Open halls split by partitions: chambers wall to wall, with a gap in each partition."""

from __future__ import annotations

import attrs

from gridworld.task_spec import Position
from gridworld_generators.tools.dice import Dice
from gridworld_generators.tools.lattice import inner_cells

__all__ = ["Partitioned", "partition"]


@attrs.frozen
class Partitioned:
    """A hall with partitions."""

    floor: frozenset[Position]
    """All cells that are not walls, gaps included."""
    gaps: tuple[Position, ...]
    """The one cell of each partition that is floor, in the order in which the hall was split."""


def partition(width: int, height: int, chambers: int, dice: Dice, least: int = 2) -> Partitioned:
    """Split a hall into chambers; their gaps make a tree.

    The largest chamber is split across its longer side, until there are enough. No partition meets another at a gap.

    Args:
        width: lattice columns, border included.
        height: lattice rows, border included.
        chambers: how many there are to be; there are fewer if they would become too small.
        dice: decides where.
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
"""The first column and row of a hall, and the last ones."""


def _possible_walls(hall: Hall, gaps: list[Position], least: int) -> list[list[Position]]:
    """The lines of cells across the longer side of a hall that leave room on both sides and meet no gap."""
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
