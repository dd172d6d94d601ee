"""Small Sokoban levels, made by pulling boxes off their targets; whoever pushes them back has solved the level.

python tests/sokoban_levels.py COUNT > tests/gridworld_generators/importers/sokoban_levels.txt
"""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator

__all__ = ["level_text", "levels_text"]

Cell = tuple[int, int]
DIRECTIONS = ((1, 0), (0, 1), (-1, 0), (0, -1))
FEWEST_BOXES_MOVED = 3
"""Cells that the boxes are pulled altogether, at least."""


def levels_text(count: int) -> str:
    """So many levels, each with a title."""
    return "\n".join(f"; pulled {seed}\n{level_text(seed)}\n" for seed in range(count))


def level_text(seed: int) -> str:
    """The level of a seed."""
    rng = random.Random(f"sokoban {seed}")
    while True:
        level = _Level(rng)
        if level.pull(rng.randint(30, 200)):
            return level.text()


class _Level:
    """A room with pillars, and boxes that all stand on their targets at first."""

    def __init__(self, rng: random.Random) -> None:
        self._rng = rng
        self._width, self._height = rng.randint(6, 9), rng.randint(5, 8)
        inside = [(x, y) for y in range(1, self._height - 1) for x in range(1, self._width - 1)]
        self._floor: set[Cell] = set()
        while len(self._floor) < len(inside) // 2:
            pillars = set(rng.sample(inside, len(inside) * rng.randint(5, 30) // 100))
            self._floor = self._connected([cell for cell in inside if cell not in pillars])
        self._targets: list[Cell] = rng.sample(sorted(self._floor), rng.randint(1, 3))
        self._boxes = list(self._targets)
        self._player = rng.choice(sorted(self._floor - set(self._boxes)))

    def _connected(self, floor: list[Cell]) -> set[Cell]:
        """The floor around one of its cells."""
        found, waiting = {floor[0]}, [floor[0]]
        while waiting:
            new = [cell for cell in self._around(waiting.pop()) if cell in floor and cell not in found]
            found |= set(new)
            waiting += new
        return found

    def _around(self, cell: Cell) -> Iterator[Cell]:
        return ((cell[0] + dx, cell[1] + dy) for dx, dy in DIRECTIONS)

    def pull(self, steps: int) -> bool:
        """Walk about at random and mostly pull what is behind; whether boxes have been moved enough."""
        for _ in range(steps):
            (x, y), (dx, dy) = self._player, self._rng.choice(DIRECTIONS)
            ahead, behind = (x + dx, y + dy), (x - dx, y - dy)
            if ahead not in self._floor or ahead in self._boxes:
                continue
            if behind in self._boxes and self._rng.random() < 0.8:
                self._boxes[self._boxes.index(behind)] = self._player
            self._player = ahead
        moved = (abs(a - c) + abs(b - d) for (a, b), (c, d) in zip(self._boxes, self._targets, strict=True))
        return sum(moved) >= FEWEST_BOXES_MOVED and set(self._boxes) != set(self._targets)

    def text(self) -> str:
        """The level in the common format."""
        rows = ("".join(self._character((x, y)) for x in range(self._width)) for y in range(self._height))
        return "\n".join(row.rstrip() for row in rows)

    def _character(self, cell: Cell) -> str:
        if cell not in self._floor:
            return "#"
        thing = "box" if cell in self._boxes else "player" if cell == self._player else ""
        return {"box": "$*", "player": "@+", "": " ."}[thing][cell in self._targets]


if __name__ == "__main__":
    sys.stdout.write(levels_text(int(sys.argv[1])))
