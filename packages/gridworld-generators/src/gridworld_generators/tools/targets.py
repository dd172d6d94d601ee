"""Things to collect, for goals of the type ``collect_all``."""

from __future__ import annotations

from collections.abc import Sequence

from gridworld.generation.generator import NothingDrawn
from gridworld.task_spec import GoalSpec, Position
from gridworld_generators.tools.colors import choose_color
from gridworld_generators.tools.dice import Dice
from gridworld_generators.tools.regions import cut_cells, reachable
from gridworld_generators.tools.sketch import BARRIERS, SOLID, Sketch

__all__ = ["TARGET_KINDS", "place_targets"]

TARGET_KINDS = ("key", "toggle", "one_shot")
"""What can be collected: keys, and switches of these types."""


def place_targets(sketch: Sketch, last: Position, count: int, kinds: Sequence[str], dice: Dice) -> None:
    """Put things to collect where the chain ends, and more of them before its first barrier or beyond its last one.

    What lies between could be out of reach once a gate has shut behind the agent. The goal becomes to collect them all,
    and ``maze.goal``, which then means nothing, some free cell.

    Args:
        sketch: with its start and chain.
        last: where the first of them goes: the end of the chain.
        count: how many there are, at least 1.
        kinds: what they may be (`TARGET_KINDS`).
        dice: decides.

    Raises:
        NothingDrawn: there is no room, or no colour is left.
    """
    sketch.goal = None
    barriers = sketch.cells_of(*BARRIERS)
    open_floor = sketch.floor - barriers
    ends = reachable(open_floor, last, sketch.neighbors)
    if sketch.start is not None:
        ends |= reachable(open_floor, sketch.start, sketch.neighbors)
    names = [_place(sketch, [last], kinds, dice)]
    beside = {there for cell in barriers for there in sketch.neighbors[cell]}
    while len(names) < count:
        names.append(_place(sketch, dice.shuffled(sorted(ends - beside)), kinds, dice))
    if not (free := sketch.free_cells()):
        raise NothingDrawn("no room for what is to be collected")
    sketch.goal = dice.choice(free)
    sketch.goal_spec = GoalSpec("collect_all", target_ids=tuple(sorted(names)))


def _place(sketch: Sketch, cells: Sequence[Position], kinds: Sequence[str], dice: Dice) -> str:
    solid = sketch.cells_of(*SOLID)
    passed = cut_cells(sketch.floor - solid, sketch.neighbors)
    passed |= {there for cell in solid for there in sketch.neighbors[cell]}
    for kind in dice.shuffled(kinds):
        colors = sketch.key_colors_left() if kind == "key" else sketch.switch_colors_left()
        possible = [cell for cell in cells if sketch.is_free(cell) and (kind != "key" or cell not in passed)]
        if not colors or not possible:
            continue
        color, cell = choose_color(colors, dice), possible[0]
        return sketch.place_key(cell, color) if kind == "key" else sketch.place_switch(cell, color, kind)
    raise NothingDrawn("no room for what is to be collected")
