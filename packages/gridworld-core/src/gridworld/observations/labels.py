"""Letters of entities and marks, the same on character maps and on pictures with letters."""

from __future__ import annotations

import string
import unicodedata
from collections.abc import Collection, Iterable, Iterator
from itertools import chain

from gridworld.observations.shown_cells import ShownCell, shown_cells
from gridworld.world import Episode, World
from gridworld.world.knowledge import Snapshot, shown_differently
from gridworld.world.looks import CellLook, describe_mark, describe_thing

GOAL = "G"
"""Letter of the cell to reach."""
TARGET = "X"
"""Letter of a target without a block."""
FIXED_LABELS = {"goal": GOAL, "target": TARGET}
"""Fixed characters of marks by name."""
UNLABELLED = "*"
"""Label shared by all names after the other labels run out."""
LABELS = [letter for letter in string.ascii_uppercase if letter not in FIXED_LABELS.values()] + list(string.digits)
"""Labels in the order of assignment."""


def names_on(world: World, look: CellLook | None) -> list[str]:
    """Return the names of the mark and the entities on a cell, from bottom to top."""
    if look is None:
        return []
    names = [] if look.mark is None else [describe_mark(look.mark)]
    return names + [describe_thing(world, shown) for shown in look.things]


def label_things(world: World, cells: Iterable[ShownCell]) -> dict[str, str]:
    """Assign labels to names in reading order; when they run out, the rest share a star."""
    labels = dict(FIXED_LABELS)
    for shown in cells:
        for name in names_on(world, shown.look):
            if name not in labels:
                taken = len(labels) - len(FIXED_LABELS)
                labels[name] = LABELS[taken] if taken < len(LABELS) else UNLABELLED
    return labels


def label_of(world: World, look: CellLook | None, labels: dict[str, str]) -> str:
    """Return the label of the topmost entity or mark on a cell; empty for a cell without either."""
    names = names_on(world, look)
    return labels[names[-1]] if names else ""


def every_label() -> Iterator[str]:
    """Yield distinct characters of normal width, starting with the characters of the text view."""
    letters = (letter for letter in string.ascii_lowercase if letter != "v")
    others = (chr(code) for code in chain(range(0xC0, 0x250), range(0x391, 0x530)))
    narrow = (each for each in others if each.isalpha() and unicodedata.east_asian_width(each) not in ("W", "F"))
    return chain(LABELS, letters, narrow)


class Lettering:
    """Letters on the cells of a running episode.

    The agent's lattice cell has none, since maps show the agent there.

    Args:
        episode: the episode.
    """

    def __init__(self, episode: Episode) -> None:
        self._episode = episode
        self._letters: dict[int, str] = {}
        """Letters by cell, ignoring the agent."""
        self._taken: tuple[int, ...] = ()
        """Cells of the agent's patch."""
        self._moment: Snapshot | None = None
        self._names: dict[CellLook, str] = {}
        """Name of the topmost entity or mark for each look; empty for none."""

    @property
    def lettered(self) -> Collection[int]:
        """Cells with letters after the last `update`, including those under the agent."""
        return self._letters.keys()

    def on(self, cell: int) -> str:
        """Return the letter of a cell after the last `update`; empty for a cell without a letter."""
        return "" if cell in self._taken else self._letters.get(cell, "")

    def update(self) -> set[int]:
        """Update to the current state; return the cells with changed letters."""
        world, now, before = self._episode.world, self._episode.snapshot, self._moment
        if now is before:
            return set()
        self._moment, left, known = now, self._taken, self._letters
        self._taken = world.topology.patches[world.topology.lattice[now.state.cell]]
        if before is None or shown_differently(world, before, now):
            self._letters = self._present_letters()
        cells = {*left, *self._taken}
        if self._letters is not known:
            cells |= known.keys() | self._letters.keys()
        return {cell for cell in cells if ("" if cell in left else known.get(cell, "")) != self.on(cell)}

    def _present_letters(self) -> dict[int, str]:
        world = self._episode.world
        labels = label_things(world, shown_cells(self._episode))
        names = {cell: self._name(cell) for cell in range(world.topology.cell_count)}
        return {cell: labels[name] for cell, name in names.items() if name in labels}

    def _name(self, cell: int) -> str:
        look = self._episode.look(cell)
        if look is None or not (look.things or look.mark):
            return ""
        if look not in self._names:
            self._names[look] = names_on(self._episode.world, look)[-1]
        return self._names[look]
