"""`EpisodeLooks`: how the cells of an episode are shown, in numbers, brought up to date as it goes on."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
from numpy.typing import NDArray

from gridworld.backends.look_numbers import IN_VIEW, NOT_SHOWN, LookNumbers
from gridworld.observations.lettering import Lettering
from gridworld.world import Episode
from gridworld.world.knowledge import Snapshot, cells_changed, cells_of_numbered, shown_differently
from gridworld.world.looks import bare_look, held_look, look_at

__all__ = ["EpisodeLooks"]


class EpisodeLooks:
    """The numbers of the looks of the cells at the moment of the last `update`.

    Args:
        episode: whose moments are shown.
        looks: gives the numbers.
        lettering: the letters on cells; None for none.
    """

    def __init__(self, episode: Episode, looks: LookNumbers, lettering: Lettering | None = None) -> None:
        self._episode, self._looks, self._lettering = episode, looks, lettering
        cells = episode.world.topology.cell_count
        self.numbers: NDArray[np.uint32] = np.full(cells, NOT_SHOWN, dtype=np.uint32)
        """Cell to its number; shape (cells,)."""
        self._present = np.zeros(cells, dtype=np.uint32)
        """What the cells would have if all were in view, without letters."""
        self._bare = np.array([looks.in_view(episode.world, bare_look(episode.world, cell)) for cell in range(cells)])
        self._bare &= ~IN_VIEW
        self._moment: Snapshot | None = None

    @property
    def held(self) -> int:
        """The number of a look with what the agent holds alone; `NOT_SHOWN` for nothing."""
        world = self._episode.world
        look = held_look(world, self._episode.state, self._episode.knowledge.met)
        return NOT_SHOWN if look is None else self._looks.in_view(world, look)

    def update(self) -> set[int]:
        """Go on to the present moment; returns the cells that may be shown differently now."""
        now, before = self._episode.snapshot, self._moment
        relettered = set() if self._lettering is None else self._lettering.update()
        self._moment = now
        if before is None:
            changed = looking_different = set(range(len(self.numbers)))
        else:
            changed = shown_differently(self._episode.world, before, now)
            looking_different = self._looking_different(before, now)
        self._look(looking_different)
        if changed:
            self._show(changed, now)
        if self._lettering is not None:
            self._put_letters(self._lettering, changed | relettered)
        return changed | relettered

    def _looking_different(self, before: Snapshot, now: Snapshot) -> set[int]:
        """The cells that may look different, shown or not."""
        world = self._episode.world
        changed = cells_changed(world, before.state, now.state)
        if before.knowledge.met != now.knowledge.met:
            changed |= cells_of_numbered(world, before.state) | cells_of_numbered(world, now.state)
        return changed

    def _look(self, cells: Collection[int]) -> None:
        world, (state, knowledge) = self._episode.world, self._episode.snapshot
        for cell in cells:
            self._present[cell] = self._looks.in_view(world, look_at(world, state, cell, knowledge.met))

    def _show(self, cells: set[int], now: Snapshot) -> None:
        """Give cells the numbers of how they are shown."""
        numbers, knowledge = self.numbers, now.knowledge
        seen = _array(cells & knowledge.visible)
        numbers[seen] = self._present[seen]
        hidden = cells - knowledge.visible
        numbers[_array(hidden)] = NOT_SHOWN
        if self._episode.world.task.rules.observability == "fog_of_war":
            known = hidden & knowledge.explored
            left = _array(known)
            numbers[left] = self._bare[left]
            for cell in known & knowledge.remembered.keys():
                numbers[cell] = self._looks.in_view(self._episode.world, knowledge.remembered[cell]) & ~IN_VIEW

    def _put_letters(self, lettering: Lettering, cells: set[int]) -> None:
        """Give cells the numbers of how they are shown with their letters."""
        world = self._episode.world
        for cell in cells:
            look, letter = self._episode.look(cell), lettering.on(cell)
            if look is not None:
                unseen = 0 if cell in self._episode.knowledge.visible else IN_VIEW
                self.numbers[cell] = self._looks.in_view(world, look, letter) & ~unseen


def _array(cells: Collection[int]) -> NDArray[np.intp]:
    return np.fromiter(cells, dtype=np.intp, count=len(cells))
