"""How much of the things on a board was said."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import attrs

from gridworld.task_spec import Position
from multinet_eval.probing.board import SeenThing
from multinet_eval.probing.grading import Counts, Grade, Item, overlap, verdict
from multinet_eval.probing.probes.labels import labels_of

__all__ = ["grade_things"]

Things = frozenset[SeenThing]
MISSED = "nothing"
"""What was said of a thing on whose cell nothing was said to be."""


def grade_things(truth: Things, answer: Things, agent: Position) -> Grade:
    """Micro-F1 over (cell, kind, colour, state); the best under a shift of all; and whether all of it is right.

    A kind of which nothing has a colour is compared without colours.
    """
    answer = _as_colored_as(truth, answer)
    scores = {
        "things": overlap(truth, answer),
        "shifted": _best_shift(truth, answer),
        "exact": verdict(truth == answer),
    }
    return Grade(scores, tuple(_items(truth, answer, agent)))


def _as_colored_as(truth: Things, answer: Things) -> Things:
    colored = {thing.name.kind for thing in truth if thing.name.color}
    plain = {thing.name.kind for thing in truth} - colored
    return frozenset(
        attrs.evolve(thing, name=attrs.evolve(thing.name, color="")) if thing.name.kind in plain else thing
        for thing in answer
    )


def _best_shift(truth: Things, answer: Things) -> Counts:
    """The overlap where most of what was said is moved onto something of its name, all by as much."""
    shifts = Counter(
        (one.cell.x - other.cell.x, one.cell.y - other.cell.y)
        for one in truth
        for other in answer
        if one.name == other.name
    )
    hits = max(shifts.values(), default=0)
    return Counts(hits, len(answer), len(truth))


def _items(truth: Things, answer: Things, agent: Position) -> Iterator[Item]:
    said: dict[Position, list[SeenThing]] = {}
    for thing in sorted(answer):
        said.setdefault(thing.cell, []).append(thing)
    for thing in sorted(truth):
        right = thing in answer
        there = said.get(thing.cell, [])
        instead = next((each.name.kind for each in there), MISSED)
        yield Item(labels_of(thing.name, thing.cell, agent), thing.name.kind if right else instead, right)
