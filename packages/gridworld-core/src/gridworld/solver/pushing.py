"""What things that are pushed need at least, each of them on its own: a heuristic for worlds of such puzzles.

Where nothing in a world does anything but stand in the way, forgetting all movable things but one only clears the way
for it. So the distances of a thing that is alone never overestimate, and where it is lost alone, all is lost. Since no
action moves two things, the pushes that each of them needs add up.
"""

from __future__ import annotations

import attrs
import numpy as np
from numpy.typing import NDArray

from gridworld.solver.distances import distances_to
from gridworld.solver.expansion import Expansion
from gridworld.solver.exploration import HOPELESS, Limits
from gridworld.solver.reachable_states import reach_all
from gridworld.solver.spaces import StateSpace
from gridworld.world.state import GONE, State
from gridworld.world.traits import Trait
from gridworld.world.world import World

__all__ = ["PushingDistances", "is_all_pushing"]


def is_all_pushing(world: World) -> bool:
    """Whether success takes things to be pushed somewhere, and no mechanism does anything of its own."""
    inert = all(entity.type.is_inert for entity in world.entities)
    needed = _needed(world)
    carried = any(_ever(world, thing, Trait.PORTABLE) for thing in needed)
    # Whoever pushes a block off a thing that takes blocks comes to stand there, however solid it is.
    climbed = any(_ever(world, thing.index, Trait.TAKES_BLOCKS) for thing in world.entities)
    return inert and world.remember is None and bool(needed) and not carried and not climbed


def _needed(world: World) -> dict[int, frozenset[int]]:
    """Movable thing to the cells on one of which it has to be."""
    wanted = world.goal_type.thing_cells
    return {} if wanted is None else {thing: frozenset(cells) for thing, cells in wanted(world).items()}


def _ever(world: World, thing: int, trait: Trait) -> bool:
    return any(traits & trait for traits in world.traits[thing])


class PushingDistances:
    """A heuristic for the states of a world in which `is_all_pushing`.

    Args:
        world: the compiled task.
        expansion: of the world.
        start: where the search begins.
        limits: how much its tables may hold.

    Raises:
        TooManyStates: one thing alone has more states than that.
    """

    def __init__(self, world: World, expansion: Expansion, start: State, limits: Limits) -> None:
        self._expansion = expansion
        self._tables = [_Alone(world, thing, cells, start, limits) for thing, cells in sorted(_needed(world).items())]

    def __call__(self, indices: NDArray[np.int64]) -> NDArray[np.int64]:
        """The fewest steps to success of states, by their indices: at least 1, or `HOPELESS`."""
        configurations, poses = np.divmod(indices, self._expansion.poses.count)
        places = self._expansion.configurations.places(configurations)
        least = np.ones(len(indices), dtype=np.int64)
        pushes = np.zeros(len(indices), dtype=np.int64)
        for table in self._tables:
            least = np.maximum(least, table.steps[places[:, table.thing], poses])
            pushes += table.pushes[places[:, table.thing]]
        return np.where(least >= HOPELESS, HOPELESS, np.maximum(least, pushes))


class _Alone:
    """The distances of one thing when it is the only movable one in the world.

    Args:
        world: the compiled task.
        thing: its index.
        cells: where it has to be.
        start: where the search begins.
        limits: how much the table may hold.
    """

    def __init__(self, world: World, thing: int, cells: frozenset[int], start: State, limits: Limits) -> None:
        self.thing = thing
        never = attrs.evolve(world, reached=lambda state: False)
        alone = tuple(place if index == thing else GONE for index, place in enumerate(start.places))
        expansion = Expansion(StateSpace(never))
        graph = reach_all(expansion, start._replace(places=alone), limits)
        configuration, pose = np.divmod(graph.indices, expansion.poses.count)
        place = expansion.configurations.places(configuration)[:, thing].astype(np.int64)
        there = np.isin(place, [expansion.poses.place_of[cell] for cell in cells])
        distances = distances_to(graph.successors, np.flatnonzero(there))
        shape = (len(expansion.poses.cells), expansion.poses.count)
        self.steps = np.full(shape, HOPELESS, dtype=np.int64)
        """(place of the thing, pose) to the fewest steps until it is there."""
        self.steps[place, pose] = distances
        self.pushes = _pushes(place, graph.successors, there, shape[0])
        """Place of the thing to the fewest times that it has to be moved; shape (places,)."""


def _pushes(
    place: NDArray[np.int64], successors: NDArray[np.int32], there: NDArray[np.bool_], places: int
) -> NDArray[np.int64]:
    """Distances on the graph of places, whatever the pose."""
    onward = np.where(successors >= 0, place[np.maximum(successors, 0)], -1)
    moves = np.unique(np.stack([np.repeat(place, successors.shape[1]), onward.ravel()], axis=1), axis=0)
    moves = moves[moves[:, 1] >= 0]
    order = np.arange(len(moves)) - np.searchsorted(moves[:, 0], moves[:, 0])
    graph = np.full((places, int(order.max(initial=0)) + 1), -1, dtype=np.int32)
    graph[moves[:, 0], order] = moves[:, 1]
    distances = distances_to(graph, np.unique(place[there]))
    return np.minimum(distances, HOPELESS // 64)
