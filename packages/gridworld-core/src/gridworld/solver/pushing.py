"""What things that are pushed need at least, each of them on its own: a heuristic for worlds of such puzzles.

The distances of a thing that is alone never overestimate, and where it is lost alone, all is lost
(`gridworld.solver.few_things`). Since no action moves two things, the pushes that each of them needs add up.

Two things that are in each other's way need more than each of them: in large puzzles those that have to be pushed are
looked at two by two as well.
"""

from __future__ import annotations

from itertools import combinations
from math import comb

import numpy as np
from numpy.typing import NDArray

from gridworld.solver.distances import distances_to
from gridworld.solver.expansion import Expansion
from gridworld.solver.exploration import HOPELESS, Limits
from gridworld.solver.few_things import FewThings
from gridworld.world.state import State
from gridworld.world.traits import Trait
from gridworld.world.world import World

__all__ = ["PairDistances", "PushingDistances", "is_all_pushing", "pairs_help"]

NEVER = HOPELESS // 64
"""More pushes than any thing needs; those of some things can be added up."""
MOST_OF_A_PAIR = 1 << 20
MOST_OF_PAIRS = 1 << 23
"""A pair of things, and all pairs together, that may have more states would take longer than they help."""


def is_all_pushing(world: World) -> bool:
    """Whether success takes things to be pushed somewhere, and no mechanism does anything of its own."""
    inert = all(entity.type.is_inert for entity in world.entities)
    needed = _needed(world)
    carried = any(_ever(world, thing, Trait.PORTABLE) for thing in needed)
    # Whoever pushes a block off a thing that takes blocks comes to stand there, however solid it is.
    climbed = any(_ever(world, thing.index, Trait.TAKES_BLOCKS) for thing in world.entities)
    return inert and world.remember is None and bool(needed) and not carried and not climbed


def pairs_help(world: World, limits: Limits) -> bool:
    """Whether pairs of things are much smaller than the world itself, and so small that there is room for them."""
    things, places = len(_needed(world)), world.topology.cell_count - len(world.walls)
    states = places**3 * world.headings
    return things > 2 and states <= min(limits.states, MOST_OF_A_PAIR) and states * comb(things, 2) <= MOST_OF_PAIRS


def _needed(world: World) -> dict[int, frozenset[int]]:
    """Movable thing to the cells on one of which it has to be, in the order of the things."""
    wanted = world.goal_type.thing_cells
    return {} if wanted is None else {thing: frozenset(cells) for thing, cells in sorted(wanted(world).items())}


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
        self._tables = [_Alone(world, thing, cells, start, limits) for thing, cells in _needed(world).items()]

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

    def lost(self) -> dict[int, list[int]]:
        """Things to the cells on which they cannot be pushed to where they have to be any more."""
        cells = self._expansion.poses.cells
        return {
            table.thing: [cells[place] for place in np.flatnonzero(table.pushes >= NEVER).tolist()]
            for table in self._tables
        }


class PairDistances(PushingDistances):
    """A heuristic that expects more than `PushingDistances`, and takes longer to make.

    Args:
        world: the compiled task.
        expansion: of the world.
        start: where the search begins.
        limits: how much its tables may hold.

    Raises:
        TooManyStates: two things alone have more states than that.
    """

    def __init__(self, world: World, expansion: Expansion, start: State, limits: Limits) -> None:
        super().__init__(world, expansion, start, limits)
        needed, lost = _needed(world), self.lost()
        self._steps = {}
        for pair in combinations(needed, 2):
            few = FewThings(world, pair, start, limits, {thing: lost[thing] for thing in pair})
            self._steps[pair] = few.distances(few.at([needed[thing] for thing in pair]))

    def __call__(self, indices: NDArray[np.int64]) -> NDArray[np.int64]:
        """The fewest steps to success of states, by their indices: at least 1, or `HOPELESS`."""
        configurations, poses = np.divmod(indices, self._expansion.poses.count)
        places = self._expansion.configurations.places(configurations)
        least = super().__call__(indices)
        for (first, second), steps in self._steps.items():
            least = np.maximum(least, steps[places[:, first], places[:, second], poses])
        return least


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
        few = FewThings(world, (thing,), start, limits, {})
        there = few.at([cells])
        self.steps = few.distances(there)
        """(place of the thing, pose) to the fewest steps until it is there."""
        self.pushes = _pushes(few.places[:, 0], few.successors, there, len(self.steps))
        """Place of the thing to the fewest times that it has to be moved, or `NEVER`; shape (places,)."""


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
    return np.minimum(distances, NEVER)
