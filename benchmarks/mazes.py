"""Large mazes on which solvers are measured. They are the same whenever they are made."""

import random
from collections.abc import Set
from typing import Any

from gridworld.task.colors import COLOR_NAMES
from gridworld.task_spec import TaskSpecification

__all__ = ["crowded_maze", "empty_maze", "keyed_maze"]

NEVER = 100_000
"""More steps than any plan takes."""

Cell = tuple[int, int]
STEPS: tuple[Cell, ...] = ((2, 0), (0, 2), (-2, 0), (0, -2))
"""From one junction of a maze to the next."""


def empty_maze(side: int = 256) -> TaskSpecification:
    """A room without inner walls, from one corner to the opposite one.

    Args:
        side: columns and rows, border included.
    """
    return _task(f"empty_{side}", side, [], (1, 1), (side - 2, side - 2), {})


def keyed_maze(size: int = 64, doors: int = 4, seed: int = 0) -> TaskSpecification:
    """A maze with one way between any two places, and locked doors on the way from the start to the goal.

    Each key lies in a blind alley between the door before its own and its own, so that it can be fetched in time.

    Args:
        size: columns and rows, border included; where it is even, the last column and row inside are wall.
        doors: how many; at most as many as keys have colours.
        seed: which maze; a few small ones have no room for the keys, and others are tried.
    """
    rng = random.Random(seed)
    while True:
        floor = _perfect_maze(size, rng)
        barred = _doors_and_keys(floor, doors, rng)
        if barred is not None:
            break
    start, goal = min(floor), max(floor)
    walls = [(x, y) for y in range(1, size - 1) for x in range(1, size - 1) if (x, y) not in floor]
    mechanisms = {
        "doors": [
            {"id": f"{color}_door", "position": door, "requires_key": color}
            for (door, _), color in zip(barred, COLOR_NAMES, strict=False)
        ],
        "keys": [
            {"id": f"{color}_key", "position": key, "color": color}
            for (_, key), color in zip(barred, COLOR_NAMES, strict=False)
        ],
    }
    return _task(f"keyed_{size}_{doors}_{seed}", size, walls, start, goal, mechanisms)


def crowded_maze(mechanisms: int, side: int = 32) -> TaskSpecification:
    """A room without inner walls, in which keys, doors, switches and gates stand three cells apart.

    Args:
        mechanisms: how many, a multiple of four; as many of each kind.
        side: columns and rows, border included.
    """
    places = [(x, y) for y in range(3, side - 3, 3) for x in range(3, side - 3, 3)]
    kinds: dict[str, list[dict[str, Any]]] = {"keys": [], "doors": [], "switches": [], "gates": []}
    for number in range(mechanisms // len(kinds)):
        color = COLOR_NAMES[number % len(COLOR_NAMES)]
        key, door, switch, gate = places[4 * number : 4 * number + 4]
        kinds["keys"].append({"id": f"key_{number}", "position": key, "color": color})
        kinds["doors"].append({"id": f"door_{number}", "position": door, "requires_key": color})
        kinds["switches"].append({"id": f"switch_{number}", "position": switch, "controls": [f"gate_{number}"]})
        kinds["gates"].append({"id": f"gate_{number}", "position": gate})
    return _task(f"crowded_{mechanisms}", side, [], (1, 1), (side - 2, side - 2), kinds)


def _perfect_maze(size: int, rng: random.Random) -> set[Cell]:
    """The floor of a maze, carved depth first from the corner; junctions have odd coordinates."""
    floor, path = {(1, 1)}, [(1, 1)]
    while path:
        x, y = path[-1]
        ahead = [
            (x + dx, y + dy)
            for dx, dy in STEPS
            if 0 < x + dx < size - 1 and 0 < y + dy < size - 1 and (x + dx, y + dy) not in floor
        ]
        if not ahead:
            path.pop()
            continue
        to = rng.choice(ahead)
        floor |= {to, ((x + to[0]) // 2, (y + to[1]) // 2)}
        path.append(to)
    return floor


def _doors_and_keys(floor: Set[Cell], doors: int, rng: random.Random) -> list[tuple[Cell, Cell]] | None:
    """The cells of each door and of its key, from the start on; None where there is no blind alley for a key."""
    start, goal = min(floor), max(floor)
    way = _way(floor, start, goal)
    spacing = len(way) // (doors + 1)
    barred, behind = [], start
    shut = [way[spacing * (number + 1)] for number in range(doors)]
    for door in shut:
        section = _section(floor - {*shut}, behind)
        alleys = sorted(cell for cell in section if len(_beside(floor, cell)) == 1 and cell not in (start, goal))
        if not alleys:
            return None
        barred.append((door, rng.choice(alleys)))
        behind = way[way.index(door) + 1]
    return barred


def _beside(floor: Set[Cell], cell: Cell) -> list[Cell]:
    x, y = cell
    return [each for each in ((x + 1, y), (x, y + 1), (x - 1, y), (x, y - 1)) if each in floor]


def _section(floor: Set[Cell], start: Cell) -> dict[Cell, Cell]:
    """All cells that can be walked to, each with the one from which it is entered."""
    entered, frontier = {start: start}, [start]
    while frontier:
        cell = frontier.pop()
        for beside in _beside(floor, cell):
            if beside not in entered:
                entered[beside] = cell
                frontier.append(beside)
    return entered


def _way(floor: Set[Cell], start: Cell, goal: Cell) -> list[Cell]:
    """The one way between two cells, both included."""
    entered, way = _section(floor, start), [goal]
    while way[-1] != start:
        way.append(entered[way[-1]])
    return way[::-1]


def _task(
    name: str, side: int, walls: list[Cell], start: Cell, goal: Cell, mechanisms: dict[str, Any]
) -> TaskSpecification:
    return TaskSpecification.from_dict(
        {
            "task_id": name,
            "seed": 0,
            "difficulty_tier": 3,
            "max_steps": NEVER,
            "maze": {"dimensions": [side, side], "walls": walls, "start": start, "goal": goal},
            "mechanisms": mechanisms,
            "goal": {"type": "reach_position"},
        }
    )
