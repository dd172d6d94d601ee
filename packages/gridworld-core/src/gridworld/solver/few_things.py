"""`FewThings`: what is left of a world when all movable things but a few are forgotten.

Where nothing in a world does anything but stand in the way, that only clears the way for those that are left: whatever
can be done in the world itself can be done with them alone in as few actions.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping

import attrs
import numpy as np
from numpy.typing import NDArray

from gridworld.solver.distances import distances_to
from gridworld.solver.expansion import Expansion
from gridworld.solver.exploration import HOPELESS, Limits
from gridworld.solver.reachable_states import reach_all
from gridworld.solver.spaces import OfThings, StateSpace, WatchedSpace
from gridworld.world.state import GONE, State
from gridworld.world.world import World

__all__ = ["FewThings"]


class FewThings:
    """The states of some things when they are the only movable ones in the world.

    Args:
        world: the compiled task.
        things: their indices.
        start: where the search begins.
        limits: how many states there may be.
        lost: things to the cells on which all is lost; what comes after that is left out.

    Raises:
        TooManyStates: there are more.
    """

    def __init__(
        self, world: World, things: tuple[int, ...], start: State, limits: Limits, lost: Mapping[int, Iterable[int]]
    ) -> None:
        never = attrs.evolve(world, reached=lambda state: False)
        left = tuple(place if index in things else GONE for index, place in enumerate(start.places))
        space = StateSpace(never)
        expansion = Expansion(WatchedSpace(space, _nowhere(lost)) if lost else space)
        graph = reach_all(expansion, start._replace(places=left), limits)
        configuration, self._pose = np.divmod(graph.indices, expansion.poses.count)
        self._place_of = expansion.poses.place_of
        self.places: NDArray[np.int64] = expansion.configurations.places(configuration)[:, things].astype(np.int64)
        """Where they are, shape (states, things)."""
        self.successors = graph.successors
        """What each action leads to, shape (states, slots)."""
        self._shape = (*[len(expansion.poses.cells)] * len(things), expansion.poses.count)

    def at(self, wanted: Iterable[Iterable[int]]) -> NDArray[np.bool_]:
        """Whether each thing is on one of the cells where it is wanted; shape (states,)."""
        there = np.ones(len(self.places), dtype=bool)
        for places, cells in zip(self.places.T, wanted, strict=True):
            there &= np.isin(places, [self._place_of[cell] for cell in cells])
        return there

    def distances(self, there: NDArray[np.bool_]) -> NDArray[np.int32]:
        """The fewest steps to one of some states, by the place of each thing and the pose of the agent.

        Returns:
            Shape (places, ..., poses), with one axis of places for each thing; `HOPELESS` where there is no way, and
            for what is no state.
        """
        distances = np.full(self._shape, HOPELESS, dtype=np.int32)
        distances[(*self.places.T, self._pose)] = distances_to(self.successors, np.flatnonzero(there))
        return distances


def _nowhere(lost: Mapping[int, Iterable[int]]) -> OfThings:
    """Forbids every step that brings a thing to a cell where all is lost."""
    cells = {thing: frozenset(cells) for thing, cells in lost.items()}

    def watch(state: State, memory: Hashable) -> Hashable:
        return None if any(state.places[thing] in cells[thing] for thing in cells) else 0

    return OfThings(watch)
