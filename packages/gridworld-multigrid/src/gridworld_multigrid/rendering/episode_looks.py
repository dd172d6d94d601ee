"""`EpisodeLooks`: how the cells of an episode are shown, in numbers, brought up to date as it goes on."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np
from numpy.typing import NDArray

from gridworld.backends.look_numbers import IN_VIEW, NOT_SHOWN, LookNumbers
from gridworld.observations.lettering import Lettering
from gridworld.support.bounded_cache import bounded, bytes_of_ints
from gridworld.world import Episode
from gridworld.world.knowledge import Knowledge, Snapshot, looking_different
from gridworld.world.looks import CellLook, bare_look, held_look, look_at

__all__ = ["EpisodeLooks"]

Numbers = NDArray[np.uint32]


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
        self.numbers: Numbers = np.full(cells, NOT_SHOWN, dtype=np.uint32)
        """Cell to its number; shape (cells,). Another array whenever there may be other numbers."""
        self._present = np.zeros(cells, dtype=np.uint32)
        """What the cells would have if all were in view, without letters."""
        bare = [looks.in_view(episode.world, bare_look(episode.world, cell)) for cell in range(cells)]
        self._bare = np.array(bare, dtype=np.uint32) & ~np.uint32(IN_VIEW)
        self._moment: Snapshot | None = None

    @property
    def held(self) -> int:
        """The number of a look with what the agent holds alone; `NOT_SHOWN` for nothing."""
        world = self._episode.world
        look = held_look(world, self._episode.state, self._episode.knowledge.met)
        return NOT_SHOWN if look is None else self._looks.in_view(world, look)

    def update(self) -> None:
        """Go on to the present moment."""
        now, before = self._episode.snapshot, self._moment
        self._moment = now
        if before is None:
            self._look(range(len(self.numbers)))
            self._show(now.knowledge)
        elif now is not before:
            different = looking_different(self._episode.world, before, now)
            self._look(different)
            # Letters go where the agent does not stand.
            if different or now.knowledge is not before.knowledge or self._lettering is not None:
                self._show(now.knowledge)

    def _look(self, cells: Iterable[int]) -> None:
        world, (state, knowledge) = self._episode.world, self._episode.snapshot
        for cell in cells:
            self._present[cell] = self._looks.in_view(world, look_at(world, state, cell, knowledge.met))

    def _show(self, knowledge: Knowledge) -> None:
        """Give the cells the numbers of how they are shown."""
        cells = len(self.numbers)
        in_view = _mask(cells, knowledge.visible)
        if self._episode.world.task.rules.observability == "fog_of_war":
            hidden = np.where(_mask(cells, knowledge.explored), self._bare, np.uint32(NOT_SHOWN))
            self._put(hidden, knowledge.remembered)
            self.numbers = np.where(in_view, self._present, hidden)
        else:
            self.numbers = np.where(in_view, self._present, np.uint32(NOT_SHOWN))
        if self._lettering is not None:
            self._put_letters(self._lettering)

    def _put(self, hidden: Numbers, remembered: Mapping[int, CellLook]) -> None:
        """Give cells out of view the numbers of what was seen there last."""
        world = self._episode.world
        for cell, look in remembered.items():
            hidden[cell] = self._looks.in_view(world, look) & ~IN_VIEW

    def _put_letters(self, lettering: Lettering) -> None:
        """Give cells with letters the numbers of how they are shown with them."""
        world = self._episode.world
        lettering.update()
        for cell in lettering.lettered:
            look = self._episode.look(cell)
            if look is not None:
                unseen = 0 if cell in self._episode.knowledge.visible else IN_VIEW
                self.numbers[cell] = self._looks.in_view(world, look, lettering.on(cell)) & ~unseen


@bounded(lambda mask, _, cells: mask.nbytes + bytes_of_ints(cells))
def _mask(cell_count: int, cells: frozenset[int]) -> NDArray[np.bool_]:
    """True for some of the cells; shape (cell_count,). It cannot be written to, since it is shared."""
    mask = np.zeros(cell_count, dtype=np.bool_)
    mask[np.fromiter(cells, dtype=np.intp, count=len(cells))] = True
    mask.flags.writeable = False
    return mask
