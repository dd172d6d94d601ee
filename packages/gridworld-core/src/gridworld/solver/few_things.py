"""`FewThings`: what is left of a world when all movable things but a few are forgotten.

Where nothing in a world does anything but stand in the way, that only clears the way for those that are left: whatever
can be done in the world itself can be done with them alone in as few actions.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping

import attrs
import numpy as np
from numpy.typing import NDArray

from gridworld.actions import Action
from gridworld.solver.distances import distances_to
from gridworld.solver.expansion import Expansion
from gridworld.solver.exploration import HOPELESS, Limits
from gridworld.solver.reachable_states import reach_all
from gridworld.solver.spaces import StateSpace, Step
from gridworld.world.rules import transition
from gridworld.world.state import GONE, State
from gridworld.world.world import World

__all__ = ["FewThings"]


class _SavingSpace(StateSpace):
    """The states of a world in which nothing is pushed to where all is lost.

    Args:
        world: the compiled task.
        lost: things to such cells.
    """

    def __init__(self, world: World, lost: Mapping[int, Iterable[int]]) -> None:
        super().__init__(world)
        self._lost = [(thing, frozenset(cells)) for thing, cells in lost.items()]

    def steps(self, state: State, kept: Hashable, action: Action) -> tuple[Step, ...]:
        """What an action can lead to; nothing if a thing is lost by it."""
        now, events = transition(self.arena, state, action)
        if now.places != state.places and any(now.places[thing] in cells for thing, cells in self._lost):
            return ()
        return ((now, kept, events),)


class FewThings:
    """The states of some things when they are the only movable ones in the world.

    Args:
        world: the compiled task.
        things: their indices.
        start: where the search begins.
        limits: how many states there may be.
        lost: things to the cells on which all is lost; they are not pushed there.

    Raises:
        TooManyStates: there are more.
    """

    def __init__(
        self, world: World, things: tuple[int, ...], start: State, limits: Limits, lost: Mapping[int, Iterable[int]]
    ) -> None:
        never = attrs.evolve(world, reached=lambda state: False)
        left = tuple(place if index in things else GONE for index, place in enumerate(start.places))
        expansion = Expansion(_SavingSpace(never, lost))
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
