"""Pattern databases for puzzles of things to push (Culberson and Schaeffer 1998).

A pattern database holds the distances in a world whose movable things have all been forgotten but a few. Where nothing
in the world does anything but stand in the way, that only clears the way for the others: a movable thing never lets a
block or an agent in where it could not go without it. So whatever can be done in the world itself can be done with them
alone in as few actions; these distances are admissible, and where a thing is lost alone, all is lost. Since no action
moves two things, the pushes that each of them needs may be added up.

Two things that are in each other's way need more than each of them: in large puzzles there is a database for each pair
as well.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from itertools import combinations
from math import comb

import attrs
import numpy as np
from numpy.typing import NDArray

from gridworld.actions import Action
from gridworld.solver.expansion import Expansion
from gridworld.solver.exploration import HOPELESS, Limits
from gridworld.solver.spaces import StateSpace, Step
from gridworld.solver.state_graph import distances_to, reach_all
from gridworld.world.mechanism_type import Trait
from gridworld.world.rules import transition
from gridworld.world.state import GONE, State
from gridworld.world.world import World

NEVER = HOPELESS // 64
"""More pushes than any thing needs; sums of a few of them do not overflow."""
MOST_OF_A_PAIR = 1 << 20
MOST_OF_PAIRS = 1 << 23
"""The number of states of a pair of things, and of all pairs together, up to which databases of pairs are worth it."""


def is_push_puzzle(world: World) -> bool:
    """Whether success takes things to be pushed somewhere, and no mechanism does anything of its own."""
    inert = all(entity.type.is_inert for entity in world.entities)
    needed = _targets(world)
    carried = any(traits & Trait.PORTABLE for thing in needed for traits in world.traits[thing])
    return inert and world.remember is None and bool(needed) and not carried


def pairs_help(world: World, limits: Limits) -> bool:
    """Whether databases of pairs are much smaller than the world itself, and small enough to be made."""
    things, places = len(_targets(world)), world.topology.cell_count - len(world.walls)
    states = places**3 * world.headings
    return things > 2 and states <= min(limits.states, MOST_OF_A_PAIR) and states * comb(things, 2) <= MOST_OF_PAIRS


def _targets(world: World) -> dict[int, frozenset[int]]:
    """Movable thing to the cells on one of which it has to be, in the order of the things."""
    wanted = world.goal_type.thing_cells
    return {} if wanted is None else {thing: frozenset(cells) for thing, cells in sorted(wanted(world).items())}


class SingleDistanceHeuristic:
    """Heuristic for a push puzzle from a database of each thing.

    It is the larger of two bounds: the most steps that any thing needs alone, and the sum of the pushes of all.

    Args:
        world: the compiled task.
        expansion: an expansion of the world.
        start: where the search begins.
        limits: limits of its tables.

    Raises:
        TooManyStates: one thing alone has more states than that.
    """

    def __init__(self, world: World, expansion: Expansion, start: State, limits: Limits) -> None:
        self._expansion = expansion
        self._tables = [
            _SingleDistances(world, thing, cells, start, limits) for thing, cells in _targets(world).items()
        ]

    def __call__(self, indices: NDArray[np.int64]) -> NDArray[np.int64]:
        """Lower bounds on the steps to success, by the indices of states: at least 1, or `HOPELESS`."""
        configurations, poses = np.divmod(indices, self._expansion.poses.count)
        places = self._expansion.configurations.places(configurations)
        least = np.ones(len(indices), dtype=np.int64)
        pushes = np.zeros(len(indices), dtype=np.int64)
        for table in self._tables:
            least = np.maximum(least, table.steps[places[:, table.thing], poses])
            pushes += table.pushes[places[:, table.thing]]
        return np.where(least >= HOPELESS, HOPELESS, np.maximum(least, pushes))

    def dead_cells(self) -> dict[int, list[int]]:
        """Things to the cells from which they cannot be pushed to a target any more."""
        cells = self._expansion.poses.cells
        return {
            table.thing: [cells[place] for place in np.flatnonzero(table.pushes >= NEVER).tolist()]
            for table in self._tables
        }


class PairDistanceHeuristic(SingleDistanceHeuristic):
    """Heuristic for a push puzzle from a database of each pair of things, too: tighter, and slower to make.

    It is made as the other, and refused with `TooManyStates` where two things alone have more states than the limits.
    """

    def __init__(self, world: World, expansion: Expansion, start: State, limits: Limits) -> None:
        super().__init__(world, expansion, start, limits)
        targets, dead = _targets(world), self.dead_cells()
        self._steps = {}
        for pair in combinations(targets, 2):
            database = PatternDatabase(world, pair, start, limits, {thing: dead[thing] for thing in pair})
            self._steps[pair] = database.distances(database.at([targets[thing] for thing in pair]))

    def __call__(self, indices: NDArray[np.int64]) -> NDArray[np.int64]:
        """Lower bounds on the steps to success, by the indices of states: at least 1, or `HOPELESS`."""
        configurations, poses = np.divmod(indices, self._expansion.poses.count)
        places = self._expansion.configurations.places(configurations)
        least = super().__call__(indices)
        for (first, second), steps in self._steps.items():
            least = np.maximum(least, steps[places[:, first], places[:, second], poses])
        return least


class _SingleDistances:
    """Steps and pushes of one thing when it is the only movable one in the world.

    Args:
        world: the compiled task.
        thing: its index.
        cells: its targets.
        start: where the search begins.
        limits: limits of the table.
    """

    def __init__(self, world: World, thing: int, cells: frozenset[int], start: State, limits: Limits) -> None:
        self.thing = thing
        database = PatternDatabase(world, (thing,), start, limits, {})
        there = database.at([cells])
        self.steps = database.distances(there)
        """(place of the thing, pose) to the fewest steps until it is there."""
        self.pushes = _pushes(database.places[:, 0], database.successors, there, len(self.steps))
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


class PatternDatabase:
    """The states of some things when they are the only movable ones in the world.

    Args:
        world: the compiled task.
        things: their indices.
        start: where the search begins.
        limits: limits on its states.
        dead: things to the cells from which they can no longer be brought home; they are not pushed there.

    Raises:
        TooManyStates: there are more.
    """

    def __init__(
        self, world: World, things: tuple[int, ...], start: State, limits: Limits, dead: Mapping[int, Iterable[int]]
    ) -> None:
        never = attrs.evolve(world, reached=lambda state: False)
        left = tuple(place if index in things else GONE for index, place in enumerate(start.places))
        expansion = Expansion(_AliveSpace(never, dead))
        graph = reach_all(expansion, start._replace(places=left), limits)
        configuration, self._pose = np.divmod(graph.indices, expansion.poses.count)
        self._place_of = expansion.poses.place_of
        self.places: NDArray[np.int64] = expansion.configurations.places(configuration)[:, things].astype(np.int64)
        """Places of the things, shape (states, things)."""
        self.successors = graph.successors
        """Targets of each action, shape (states, slots)."""
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


class _AliveSpace(StateSpace):
    """The states of a world in which nothing is pushed onto a dead cell.

    Args:
        world: the compiled task.
        dead: things to such cells.
    """

    def __init__(self, world: World, dead: Mapping[int, Iterable[int]]) -> None:
        super().__init__(world)
        self._dead = [(thing, frozenset(cells)) for thing, cells in dead.items()]

    def steps(self, state: State, kept: Hashable, action: Action) -> tuple[Step, ...]:
        """Outcomes of an action; none if it pushes a thing onto a dead cell."""
        now, events = transition(self.world, state, action)
        if now.places != state.places and any(now.places[thing] in cells for thing, cells in self._dead):
            return ()
        return ((now, kept, events),)
