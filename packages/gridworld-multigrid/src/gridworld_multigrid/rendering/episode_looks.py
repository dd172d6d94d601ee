"""`EpisodeLooks`: numbers for the looks of an episode's cells, updated as it proceeds."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping

import numpy as np
from numpy.typing import NDArray

from gridworld.backends.looks import IN_VIEW, NOT_SHOWN, LookNumbers
from gridworld.observations.labels import Lettering
from gridworld.support.caches import bounded
from gridworld.world import Episode
from gridworld.world.knowledge import Knowledge, Snapshot, looking_different
from gridworld.world.looks import CellLook, bare_look, held_look, look_at

Numbers = NDArray[np.uint32]


class EpisodeLooks:
    """Numbers of the looks of all cells, as of the last `update`.

    Args:
        episode: the episode.
        looks: assigns numbers to looks.
        lettering: the letters on cells; None for none.
    """

    def __init__(self, episode: Episode, looks: LookNumbers, lettering: Lettering | None = None) -> None:
        self._episode, self._looks, self._lettering = episode, looks, lettering
        cells = episode.world.topology.cell_count
        self.numbers: Numbers = np.full(cells, NOT_SHOWN, dtype=np.uint32)
        """Number of each cell's look, shape (cells,); replaced by a new array when numbers may have changed."""
        self._present = np.zeros(cells, dtype=np.uint32)
        """Numbers as if all cells were in view, without letters."""
        bare = [looks.in_view(episode.world, bare_look(episode.world, cell)) for cell in range(cells)]
        self._bare = np.array(bare, dtype=np.uint32) & ~np.uint32(IN_VIEW)
        self._explored: frozenset[int] | None = None
        """Explored cells for which `_bare_explored` was computed."""
        self._bare_explored = self._bare
        self._snapshot: Snapshot | None = None

    @property
    def held(self) -> int:
        """Number of the held object's look; `NOT_SHOWN` for none."""
        world = self._episode.world
        look = held_look(world, self._episode.state, self._episode.knowledge.met)
        return NOT_SHOWN if look is None else self._looks.in_view(world, look)

    def update(self) -> None:
        """Advance to the current snapshot."""
        now, before = self._episode.snapshot, self._snapshot
        self._snapshot = now
        if before is None:
            self._look(range(len(self.numbers)))
            self._show(now.knowledge)
        elif now is not before:
            different = looking_different(self._episode.world, before, now)
            self._look(different)
            # Letters avoid the agent.
            if different or now.knowledge is not before.knowledge or self._lettering is not None:
                self._show(now.knowledge)

    def _look(self, cells: Iterable[int]) -> None:
        world, (state, knowledge) = self._episode.world, self._episode.snapshot
        for cell in cells:
            self._present[cell] = self._looks.in_view(world, look_at(world, state, cell, knowledge.met))

    def _show(self, knowledge: Knowledge) -> None:
        """Compute the numbers of the cells as they are shown."""
        cells = len(self.numbers)
        if len(knowledge.visible) == cells:
            self.numbers = self._present.copy()
        else:
            in_view = _places(knowledge.visible)
            if self._episode.world.task.rules.observability == "fog_of_war":
                self.numbers = self._bare_where(knowledge.explored).copy()
                self._put(self.numbers, knowledge.remembered)
            else:
                self.numbers = np.full(cells, NOT_SHOWN, dtype=np.uint32)
            self.numbers[in_view] = self._present[in_view]
        if self._lettering is not None:
            self._put_letters(self._lettering)

    def _bare_where(self, explored: frozenset[int]) -> Numbers:
        """Return the numbers of explored, empty cells out of view; all other cells are not shown."""
        if self._explored is not explored:
            self._explored = explored
            self._bare_explored = np.full(len(self._bare), NOT_SHOWN, dtype=np.uint32)
            seen = np.fromiter(explored, dtype=np.intp, count=len(explored))
            self._bare_explored[seen] = self._bare[seen]
        return self._bare_explored

    def _put(self, hidden: Numbers, remembered: Mapping[int, CellLook]) -> None:
        """Set the numbers of cells out of view to what was last seen there."""
        world = self._episode.world
        for cell, look in remembered.items():
            hidden[cell] = self._looks.in_view(world, look) & ~IN_VIEW

    def _put_letters(self, lettering: Lettering) -> None:
        """Set the numbers of cells with letters."""
        world = self._episode.world
        lettering.update()
        for cell in lettering.lettered:
            look = self._episode.look(cell)
            if look is not None:
                unseen = 0 if cell in self._episode.knowledge.visible else IN_VIEW
                self.numbers[cell] = self._looks.in_view(world, look, lettering.on(cell)) & ~unseen


@bounded(lambda places, cells: places.nbytes + sys.getsizeof(cells))
def _places(cells: frozenset[int]) -> NDArray[np.intp]:
    """Return cells as a shared read-only array."""
    places = np.fromiter(cells, dtype=np.intp, count=len(cells))
    places.flags.writeable = False
    return places
