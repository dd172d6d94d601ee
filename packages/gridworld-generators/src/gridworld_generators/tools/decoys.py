"""Decoys: mechanisms and branches that look useful but are not needed and cannot lose the task.

They are placed one by one, so that with the same dice the first ones are the same for any number of decoys.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from gridworld.generation.generator import NothingDrawn
from gridworld.task.validation import LABEL_DISTRACTOR
from gridworld.task_spec import Position
from gridworld_generators.tools.dice import Dice
from gridworld_generators.tools.sketch import Sketch, choose_color
from gridworld_generators.tools.ways import cells_on_ways, quiet_cells

LARGEST_CLOSET = 6
"""Maximum number of cells of a dead end that can become a closet."""


def place_decoys(sketch: Sketch, count: int, kinds: Sequence[str], dice: Dice) -> None:
    """Place decoys away from the plan's paths, and add them to the sketch.

    Args:
        sketch: a sketch with chain and goal; walls may become floor.
        count: number of decoys.
        kinds: possible kinds of decoys (`DECOY_KINDS`).
        dice: the source of randomness.

    Raises:
        NothingDrawn: no room or no colour is left.
    """
    for _ in range(count):
        placed = any(DECOY_KINDS[kind](sketch, dice) for kind in dice.shuffled(kinds))
        if not placed and "dead_end" in kinds:
            placed = any(_note_dead_end(sketch, branch[-1]) for branch in _empty_branches(sketch, dice))
        if not placed:
            raise NothingDrawn("no room for a decoy")


def _wrong_key(sketch: Sketch, dice: Dice) -> bool:
    """Place a key without a door."""
    cells, colors = quiet_cells(sketch), sketch.key_colors_left()
    if not cells or not colors:
        return False
    key = sketch.place_key(dice.choice(cells), choose_color(colors, dice))
    sketch.add_distractor("distractor_key", key, "Opens nothing.")
    return True


def _idle_switch(sketch: Sketch, dice: Dice) -> bool:
    """Place a switch without a gate."""
    cells, colors = quiet_cells(sketch), sketch.switch_colors_left()
    if not cells or not colors:
        return False
    switch = sketch.place_switch(dice.choice(cells), choose_color(colors, dice), dice.choice(("toggle", "one_shot")))
    sketch.add_distractor("distractor_switch", switch, "Is wired to nothing.")
    return True


def _dead_end(sketch: Sketch, dice: Dice) -> bool:
    """Dig a corridor into the rock that leads nowhere."""
    corridor = _new_corridor(sketch, dice, 3) or _new_corridor(sketch, dice, 2) or _new_corridor(sketch, dice, 1)
    sketch.dig(corridor)
    return bool(corridor) and _note_dead_end(sketch, corridor[-1])


def _note_dead_end(sketch: Sketch, end: Position) -> bool:
    """Register a dead end as a decoy, unless it already is one."""
    label = f"dead_end_{end.x}_{end.y}"
    if any(label == each.element_id for each in sketch.distractors):
        return False
    sketch.add_distractor(LABEL_DISTRACTOR, label, "A way that leads nowhere.")
    return True


def _locked_closet(sketch: Sketch, dice: Dice) -> bool:
    """Place a closet behind a locked door, with its key elsewhere."""
    colors = sketch.key_colors_left()
    return bool(colors) and _bar_closet(sketch, dice, choose_color(colors, dice), "key")


def _gated_closet(sketch: Sketch, dice: Dice) -> bool:
    """Place a closet behind a gate, with its switch elsewhere."""
    colors = sketch.switch_colors_left()
    return bool(colors) and _bar_closet(sketch, dice, choose_color(colors, dice), dice.choice(("toggle", "one_shot")))


DECOY_KINDS: dict[str, Callable[[Sketch, Dice], bool]] = {
    "dead_end": _dead_end,
    "idle_switch": _idle_switch,
    "wrong_key": _wrong_key,
    "locked_closet": _locked_closet,
    "gated_closet": _gated_closet,
}
"""Functions that place a decoy, by kind; if it does not fit, they change nothing and return False."""


def _bar_closet(sketch: Sketch, dice: Dice, color: str, kind: str) -> bool:
    """Close an empty closet with a barrier for a key or a switch (of type `kind`)."""
    dug: list[Position] = []
    closet = next((branch for branch in _empty_branches(sketch, dice) if len(branch) > 1), [])
    if not closet:
        closet = dug = _new_corridor(sketch, dice, 2)
    if not closet:
        return False
    outside = [cell for cell in quiet_cells(sketch) if cell not in closet and cell not in sketch.neighbors[closet[0]]]
    if not outside:
        return False
    sketch.dig(dug)
    if kind == "key":
        sketch.add_distractor("distractor_door", sketch.place_door(closet[0], color), "Closes an empty closet.")
        sketch.add_distractor("distractor_key", sketch.place_key(dice.choice(outside), color), "Opens an empty closet.")
        return True
    gate = sketch.place_gate(closet[0], color)
    switch = sketch.place_switch(dice.choice(outside), color, kind, gate)
    sketch.add_distractor("distractor_gate", gate, "Closes an empty closet.")
    sketch.add_distractor("distractor_switch", switch, "Opens an empty closet.")
    return True


def _new_corridor(sketch: Sketch, dice: Dice, length: int) -> list[Position]:
    """Return a straight line of cells into rock, with rock beside it and at its end; empty if there is none.

    No mechanism is near its mouth, so that no path becomes shorter on any tiling.
    """
    found = []
    for here in sketch.inner_cells:
        if here not in sketch.floor or here in sketch.taken:
            continue
        for there in sketch.neighbors[here]:
            step = (there.x - here.x, there.y - here.y)
            line = [Position(here.x + step[0] * n, here.y + step[1] * n) for n in range(1, length + 1)]
            if _is_in_rock(sketch, here, line):
                found.append(line)
    return dice.choice(found) if found else []


def _is_in_rock(sketch: Sketch, mouth: Position, line: Sequence[Position]) -> bool:
    """Whether a line of cells is rock, touches floor only at its mouth, and touches no mechanism diagonally."""
    allowed = {mouth, *line}
    return all(
        cell in sketch.neighbors
        and cell not in sketch.floor
        and all(there in allowed or there not in sketch.floor for there in sketch.neighbors[cell])
        and all(there not in sketch.taken for there in sketch.around[cell])
        for cell in line
    )


def _empty_branches(sketch: Sketch, dice: Dice) -> Iterator[list[Position]]:
    """Yield empty dead ends away from the plan's paths, each from mouth to end, in random order."""
    busy = cells_on_ways(sketch) | set(sketch.taken)
    busy |= {cell for cell in (sketch.start, sketch.goal) if cell is not None}
    ends = [cell for cell in sorted(sketch.floor) if len(sketch.floor_beside(cell)) == 1 and cell not in busy]
    for end in dice.shuffled(ends):
        branch = [end]
        while len(branch) < LARGEST_CLOSET:
            onward = [there for there in sketch.floor_beside(branch[-1]) if there not in branch]
            if len(onward) != 1 or onward[0] in busy or len(sketch.floor_beside(onward[0])) != 2:
                break
            branch.append(onward[0])
        yield branch[::-1]
