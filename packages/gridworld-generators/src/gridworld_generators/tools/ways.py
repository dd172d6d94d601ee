"""Start and goal, and the paths of a plan between them."""

from __future__ import annotations

from itertools import pairwise

from gridworld.task_spec import Position
from gridworld_generators.tools.dice import Dice
from gridworld_generators.tools.regions import cut_cells, distances
from gridworld_generators.tools.sketch import BARRIERS, SOLID, Sketch

FAR = 0.25
"""The goal is chosen from this share of the cells, the farthest from the start."""


def place_ends(sketch: Sketch, dice: Dice) -> None:
    """Put the start anywhere on connected floor and the goal far from it, in a dead end if possible."""
    start = dice.choice(sorted(sketch.floor))
    order = sorted(distances(sketch.floor, [start], sketch.neighbors).items(), key=lambda item: (-item[1], item[0]))
    far = [cell for cell, _ in order[: max(1, round(FAR * len(order)))]]
    closed = [cell for cell in far if len(sketch.floor_beside(cell)) == 1]
    sketch.start, sketch.goal = start, dice.choice(closed or far)


PER_MOVE, PER_THING = 1.5, 3
"""Estimated actions per move, including turns, and per mechanism handled."""
DETOUR = 3
"""Extra moves on squares of a path that may be shortest on another tiling or with fewer turns."""


def waypoints(sketch: Sketch) -> list[Position]:
    """Return the cells of the start, of each step of the chain in order, and of the goal or the items to collect."""
    names = [name for step in sketch.chain for name in (step.element, step.unlocks)]
    names += [name for name in sketch.goal_spec.target_ids if name not in names]
    cells = [sketch.things[name].cells[0] for name in names]
    ends = [sketch.goal] if sketch.goal_spec.type == "reach_position" else []
    return [cell for cell in (sketch.start, *cells, *ends) if cell is not None]


def estimated_length(sketch: Sketch) -> int:
    """Return the estimated number of actions of a plan on squares."""
    stops = waypoints(sketch)
    moves = sum(distances(sketch.floor, [here], sketch.neighbors).get(there, 0) for here, there in pairwise(stops))
    return round(PER_MOVE * moves) + PER_THING * len(stops)


def cells_on_ways(sketch: Sketch) -> set[Position]:
    """Return the cells on paths between consecutive waypoints at most `DETOUR` moves longer than the shortest one."""
    reach = {stop: distances(sketch.floor, [stop], sketch.neighbors) for stop in waypoints(sketch)}
    return {
        cell
        for here, there in pairwise(reach)
        if here in reach[there]
        for cell, moves in reach[here].items()
        if moves + reach[there][cell] <= reach[here][there] + DETOUR
    }


def quiet_cells(sketch: Sketch) -> list[Position]:
    """Return the free cells where a solid mechanism would obstruct no path, row by row.

    They are off the plan's paths and not next to solid mechanisms and barriers, and the floor stays connected without
    each of them.
    """
    solid = sketch.cells_of(*SOLID)
    beside = {there for cell in solid | sketch.cells_of(*BARRIERS) for there in sketch.neighbors[cell]}
    needed = cut_cells(sketch.floor - solid, sketch.neighbors) | cells_on_ways(sketch)
    return [cell for cell in sketch.free_cells() if cell not in beside and cell not in needed]
