"""The letters on the things of a picture: those of the character map of the same moment."""

from __future__ import annotations

from gridworld.observations.labels import label_things, names_on
from gridworld.observations.shown_cells import shown_cells
from gridworld.world import Episode
from gridworld.world.knowledge import Snapshot
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
        self._moment: Snapshot | None = None
        self._names: dict[CellLook, str] = {}
        """Look to the name of its topmost thing or mark; empty where there is none."""

    def on(self, cell: int) -> str:
        """The letter of a cell at the moment of the last `update`; empty for none."""
        return self._letters.get(cell, "")

    def update(self) -> set[int]:
        """Go on to the present moment; returns the cells that have another letter now."""
        now = self._episode.snapshot
        if now is self._moment:
            return set()
        self._moment, former, self._letters = now, self._letters, self._present_letters()
        cells = former.keys() | self._letters.keys()
        return {cell for cell in cells if former.get(cell) != self._letters.get(cell)}

    def _present_letters(self) -> dict[int, str]:
        world = self._episode.world
        labels = label_things(world, shown_cells(self._episode))
        taken = world.topology.patches[world.topology.lattice[self._episode.state.cell]]
        names = {cell: self._name(cell) for cell in range(world.topology.cell_count) if cell not in taken}
        return {cell: labels[name] for cell, name in names.items() if name in labels}

    def _name(self, cell: int) -> str:
        look = self._episode.look(cell)
        if look is None or not (look.things or look.mark):
            return ""
        if look not in self._names:
            self._names[look] = names_on(self._episode.world, look)[-1]
        return self._names[look]
