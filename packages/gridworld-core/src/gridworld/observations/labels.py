"""The letters that things are given: the same on character maps and on pictures with letters."""

from __future__ import annotations

import string
import unicodedata
from collections.abc import Iterable, Iterator
from itertools import chain

from gridworld.observations.shown_cells import ShownCell
from gridworld.world import World
from gridworld.world.looks import CellLook
from gridworld.world.names import describe_mark, describe_thing

__all__ = [
    "FIXED_LABELS",
    "GOAL",
    "LABELS",
    "TARGET",
    "UNLABELLED",
    "every_label",
    "label_of",
    "label_things",
    "names_on",
]

GOAL = "G"
"""The place to reach."""
TARGET = "X"
"""A target that nothing belongs to."""
FIXED_LABELS = {"goal": GOAL, "target": TARGET}
"""The names of marks that have a character of their own."""
UNLABELLED = "*"
"""Stands for all things for which no label is left."""
LABELS = [letter for letter in string.ascii_uppercase if letter not in FIXED_LABELS.values()] + list(string.digits)
"""In the order in which they are given out."""


def names_on(world: World, look: CellLook | None) -> list[str]:
    """What is shown of the mark and of the things on a cell, in words, from the ground up."""
    if look is None:
        return []
    names = [] if look.mark is None else [describe_mark(look.mark)]
    return names + [describe_thing(world, shown) for shown in look.things]


def label_things(world: World, cells: Iterable[ShownCell]) -> dict[str, str]:
    """Name to label of all that is shown: one label for all things of one name.

    They are given out in reading order; when they run out, the rest share a star.
    """
    labels = dict(FIXED_LABELS)
    for shown in cells:
        for name in names_on(world, shown.look):
            if name not in labels:
                taken = len(labels) - len(FIXED_LABELS)
                labels[name] = LABELS[taken] if taken < len(LABELS) else UNLABELLED
    return labels


def label_of(world: World, look: CellLook | None, labels: dict[str, str]) -> str:
    """The label of the topmost thing on a cell, or of its mark; empty where there is neither."""
    names = names_on(world, look)
    return labels[names[-1]] if names else ""


def every_label() -> Iterator[str]:
    """Characters for things: those of the text view first, none that looks like another or is broader."""
    letters = (letter for letter in string.ascii_lowercase if letter != "v")
    others = (chr(code) for code in chain(range(0xC0, 0x250), range(0x391, 0x530)))
    narrow = (each for each in others if each.isalpha() and unicodedata.east_asian_width(each) not in ("W", "F"))
    return chain(LABELS, letters, narrow)
