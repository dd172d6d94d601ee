"""The letters on the things of a picture: those of the character map of the same moment."""

from __future__ import annotations

from collections.abc import Collection

from gridworld.observations.labels import label_things, names_on
from gridworld.observations.shown_cells import shown_cells
from gridworld.world import Episode
from gridworld.world.knowledge import Snapshot, shown_differently
from gridworld.world.looks import CellLook

__all__ = ["Lettering"]


class Lettering:
    """The letter of each cell, brought up to date as an episode goes on.

    The lattice cell on which the agent is has none, since maps have the agent there.

    Args:
        episode: whose moments are shown.
    """

    def __init__(self, episode: Episode) -> None:
        self._episode = episode
        self._letters: dict[int, str] = {}
        """Cell to the letter of what is there, the agent aside."""
        self._taken: tuple[int, ...] = ()
        """The cells of the patch that the agent is on."""
        self._moment: Snapshot | None = None
        self._names: dict[CellLook, str] = {}
        """Look to the name of its topmost thing or mark; empty where there is none."""

    @property
    def lettered(self) -> Collection[int]:
        """The cells with letters at the moment of the last `update`, those on which the agent is included."""
        return self._letters.keys()

    def on(self, cell: int) -> str:
        """The letter of a cell at the moment of the last `update`; empty for none."""
        return "" if cell in self._taken else self._letters.get(cell, "")

    def update(self) -> set[int]:
        """Go on to the present moment; returns the cells that have another letter now."""
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
