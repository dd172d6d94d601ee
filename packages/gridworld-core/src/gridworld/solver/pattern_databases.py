"""Pattern databases for push puzzles (Culberson and Schaeffer 1998).

A pattern database holds the distances in a world with only a few of its movable entities. If entities merely obstruct
each other, removing some only clears the way for the others: every plan of the world also works without them, in at
most as many actions. The distances are therefore admissible, and an entity that is stuck alone makes the whole puzzle
unwinnable. Since no action moves two entities, the numbers of pushes that each entity needs can be summed.

Two entities that obstruct each other need more actions than either of them alone, so large puzzles also have a database
for each pair.
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
from gridworld.solver.exploration import HOPELESS, SearchLimits
from gridworld.solver.spaces import Bools, Ints, StateSpace, Step
from gridworld.solver.state_graph import distances_to, reach_all
from gridworld.world.mechanism_type import Trait
from gridworld.world.rules import transition
from gridworld.world.state import GONE, State
from gridworld.world.world import World

NEVER = HOPELESS // 64
"""More pushes than any entity needs, small enough that sums do not overflow."""
MOST_OF_A_PAIR = 1 << 20
MOST_OF_PAIRS = 1 << 23
"""State limits for databases of pairs: for one pair, and for all pairs."""


def is_push_puzzle(world: World) -> bool:
    """Whether the goal is to push entities somewhere, and no mechanism has a hook."""
    inert = all(entity.type.is_inert for entity in world.entities)
    needed = _targets(world)
    carried = any(traits & Trait.PORTABLE for index in needed for traits in world.traits[index])
    return inert and world.remember is None and bool(needed) and not carried


def pairs_help(world: World, limits: SearchLimits) -> bool:
    """Whether pair databases are much smaller than the state space, and small enough to be built."""
    entities, places = len(_targets(world)), world.topology.cell_count - len(world.walls)
    states = places**3 * world.headings
    small = states <= min(limits.states, MOST_OF_A_PAIR) and states * comb(entities, 2) <= MOST_OF_PAIRS
    return entities > 2 and small


def _targets(world: World) -> dict[int, frozenset[int]]:
    """Return the target cells of each movable entity, in the order of the entities."""
    wanted = world.goal_type.thing_cells
    return {} if wanted is None else {index: frozenset(cells) for index, cells in sorted(wanted(world).items())}


class SingleDistanceHeuristic:
    """Heuristic for a push puzzle, with one database per entity.

    The heuristic is the larger of two bounds: the most steps that any entity needs alone, and the sum of all pushes.

    Args:
        world: the compiled task.
        expansion: an expansion of the world.
        start: the start state of the search.
        limits: limits of its tables.

    Raises:
        TooManyStates: a database reached a limit.
    """

    def __init__(self, world: World, expansion: Expansion, start: State, limits: SearchLimits) -> None:
        self._expansion = expansion
        self._tables = [
            _SingleDistances(world, index, cells, start, limits) for index, cells in _targets(world).items()
        ]

    def __call__(self, indices: Ints) -> Ints:
        """Return lower bounds on the steps to success for state indices: at least 1, or `HOPELESS`."""
        configurations, poses = np.divmod(indices, self._expansion.poses.count)
        places = self._expansion.configurations.places(configurations)
        least = np.ones(len(indices), dtype=np.int64)
        pushes = np.zeros(len(indices), dtype=np.int64)
        for table in self._tables:
            least = np.maximum(least, table.steps[places[:, table.entity], poses])
            pushes += table.pushes[places[:, table.entity]]
        return np.where(least >= HOPELESS, HOPELESS, np.maximum(least, pushes))

    def dead_cells(self) -> dict[int, list[int]]:
        """Return, for each entity, the cells from which it can no longer be pushed to a target."""
        cells = self._expansion.poses.cells
        return {
            table.entity: [cells[place] for place in np.flatnonzero(table.pushes >= NEVER).tolist()]
            for table in self._tables
        }


class PairDistanceHeuristic(SingleDistanceHeuristic):
    """Heuristic for a push puzzle that adds a database per pair: tighter, but slower to build."""

    def __init__(self, world: World, expansion: Expansion, start: State, limits: SearchLimits) -> None:
        super().__init__(world, expansion, start, limits)
        targets, dead = _targets(world), self.dead_cells()
        self._steps = {}
        for pair in combinations(targets, 2):
            database = PatternDatabase(world, pair, start, limits, {index: dead[index] for index in pair})
            self._steps[pair] = database.distances(database.at([targets[index] for index in pair]))

    def __call__(self, indices: Ints) -> Ints:
        """Return lower bounds on the steps to success for state indices: at least 1, or `HOPELESS`."""
        configurations, poses = np.divmod(indices, self._expansion.poses.count)
        places = self._expansion.configurations.places(configurations)
        least = super().__call__(indices)
        for (first, second), steps in self._steps.items():
            least = np.maximum(least, steps[places[:, first], places[:, second], poses])
        return least


class _SingleDistances:
    """Steps and pushes of one entity in a world without other movable entities.

    Args:
        world: the compiled task.
        entity: the entity's index.
        cells: the entity's targets.
        start: the start state of the search.
        limits: limits of the table.
    """

    def __init__(self, world: World, entity: int, cells: frozenset[int], start: State, limits: SearchLimits) -> None:
        self.entity = entity
        database = PatternDatabase(world, (entity,), start, limits, {})
        there = database.at([cells])
        self.steps = database.distances(there)
        """Fewest steps until the entity is on a target, by its floor cell and the agent's pose."""
        self.pushes = _pushes(database.places[:, 0], database.successors, there, len(self.steps))
        """Fewest pushes to a target, or `NEVER`, by the entity's floor cell; shape (places,)."""


def _pushes(place: Ints, successors: NDArray[np.int32], there: Bools, places: int) -> Ints:
    """Compute distances on the graph of floor cells, regardless of the pose."""
    onward = np.where(successors >= 0, place[np.maximum(successors, 0)], -1)
    moves = np.unique(np.stack([np.repeat(place, successors.shape[1]), onward.ravel()], axis=1), axis=0)
    moves = moves[moves[:, 1] >= 0]
    order = np.arange(len(moves)) - np.searchsorted(moves[:, 0], moves[:, 0])
    graph = np.full((places, int(order.max(initial=0)) + 1), -1, dtype=np.int32)
    graph[moves[:, 0], order] = moves[:, 1]
    distances = distances_to(graph, np.unique(place[there]))
    return np.minimum(distances, NEVER)


class PatternDatabase:
    """All states of a world that keeps only some of its movable entities.

    Args:
        world: the compiled task.
        entities: indices of the entities kept.
        start: the start state of the search.
        limits: limits on its states.
        dead: for each entity, the cells from which it can no longer reach a target; it is not pushed there.

    Raises:
        TooManyStates: a limit was reached.
    """

    def __init__(
        self,
        world: World,
        entities: tuple[int, ...],
        start: State,
        limits: SearchLimits,
        dead: Mapping[int, Iterable[int]],
    ) -> None:
        never = attrs.evolve(world, reached=lambda state: False)
        left = tuple(place if index in entities else GONE for index, place in enumerate(start.places))
        expansion = Expansion(_AliveSpace(never, dead))
        graph = reach_all(expansion, start._replace(places=left), limits)
        configuration, self._pose = np.divmod(graph.indices, expansion.poses.count)
        self._place_of = expansion.poses.place_of
        self.places: Ints = expansion.configurations.places(configuration)[:, entities].astype(np.int64)
        """Floor cells of the entities, shape (states, entities)."""
        self.successors = graph.successors
        """Target state of each action, shape (states, slots)."""
        self._shape = (*[len(expansion.poses.cells)] * len(entities), expansion.poses.count)

    def at(self, wanted: Iterable[Iterable[int]]) -> Bools:
        """Whether each entity is on one of its target cells; shape (states,)."""
        there = np.ones(len(self.places), dtype=bool)
        for places, cells in zip(self.places.T, wanted, strict=True):
            there &= np.isin(places, [self._place_of[cell] for cell in cells])
        return there

    def distances(self, there: Bools) -> NDArray[np.int32]:
        """Return the fewest steps to the nearest of some states, by the entities' floor cells and the agent's pose.

        Returns:
            Shape (places, ..., poses), with one axis of places for each entity; `HOPELESS` where no path exists, and
            for combinations that are not states.
        """
        distances = np.full(self._shape, HOPELESS, dtype=np.int32)
        distances[(*self.places.T, self._pose)] = distances_to(self.successors, np.flatnonzero(there))
        return distances


class _AliveSpace(StateSpace):
    """The states of a world without pushes onto dead cells.

    Args:
        world: the compiled task.
        dead: the dead cells of each entity.
    """

    def __init__(self, world: World, dead: Mapping[int, Iterable[int]]) -> None:
        super().__init__(world)
        self._dead = [(index, frozenset(cells)) for index, cells in dead.items()]

    def steps(self, state: State, kept: Hashable, action: Action) -> tuple[Step, ...]:
        """Return the outcomes of an action; none if it pushes an entity onto a dead cell."""
        now, events = transition(self.world, state, action)
        if now.places != state.places and any(now.places[index] in cells for index, cells in self._dead):
            return ()
        return ((now, kept, events),)
