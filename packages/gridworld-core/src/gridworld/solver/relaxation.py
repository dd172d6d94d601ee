"""A relaxed space that forgets where entities have been dropped.

Most states of a task differ only in where keys and similar entities lie. In the relaxed space a dropped entity stays in
place until the agent turns or moves; after that it has no position, obstructs nothing, and can be picked up from any
free floor cell. Every plan of the world also works there, in at most as many actions. A shortest relaxed plan that also
wins in the world is therefore a shortest plan; if it does not win there, the relaxed distances are an admissible
heuristic for the search of the world.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator

import numpy as np

from gridworld.actions import Action
from gridworld.solver.expansion import Expansion
from gridworld.solver.exploration import HOPELESS, SearchLimits
from gridworld.solver.spaces import SEARCH_ORDER, Configuration, Ints, StateSpace, Step
from gridworld.solver.state_graph import reach_all, success_distances
from gridworld.world.mechanism_type import Trait
from gridworld.world.rules import transition
from gridworld.world.state import GONE, NOTHING, State
from gridworld.world.topology import NO_CELL
from gridworld.world.world import World

AHEAD = -2
"""Position of an entity that has just been dropped."""


def forgettable_entities(world: World) -> tuple[int, ...]:
    """Return the entities that can be dropped and have no effect where they lie; none if anything may depend on that.

    Mechanisms and goals declare their independence of it (`ignores_dropped`). In a world with carriers, nothing can be
    forgotten: an entity in the way may keep the agent from being carried.
    """
    goal = world.goal_type
    sensitive = not all(entity.type.ignores_dropped for entity in world.entities)
    if goal.timed or not goal.ignores_dropped or sensitive or world.carrying:
        return ()
    return tuple(index for index in range(len(world.start.places)) if _is_only_carried(world, index))


def _is_only_carried(world: World, index: int) -> bool:
    ever = 0
    for traits in world.traits[index]:
        ever |= traits
    kind = world.entities[index].type
    acts = any((kind.admits, kind.on_enter, kind.on_toggle, kind.sense, kind.derive, kind.carries, kind.tick))
    solid = all(traits & Trait.SOLID for traits in world.traits[index])
    return bool(ever & Trait.PORTABLE) and not ever & (Trait.PUSHABLE | Trait.TAKES_BLOCKS) and solid and not acts


class RelaxedSpace(StateSpace):
    """The states of a world that forgets where some entities were dropped.

    The kept data has one bit for each forgotten entity and, above these, one bit for each entity that lies ahead, where
    it has just been dropped. In a configuration the latter have the position `AHEAD`.

    Args:
        world: the compiled task.
        forgettable: the entities to forget once they have been dropped.
    """

    def __init__(self, world: World, forgettable: tuple[int, ...]) -> None:
        super().__init__(world)
        self._forgettable = forgettable
        self._count = len(world.start.places)
        repeated = {Action.PICKUP: 1 + len(forgettable)}
        self.slots = tuple(action for action in SEARCH_ORDER for _ in range(repeated.get(action, 1)))

    def steps(self, state: State, kept: Hashable, action: Action) -> tuple[Step, ...]:
        """Return the outcomes of an action; forgotten entities can also be picked up."""
        assert isinstance(kept, int)
        now, events = transition(self.world, state, action)
        found = list(self._pick_up_forgotten(state, kept)) if action is Action.PICKUP and kept else []
        return ((*self._remember(state, now, kept), events), *found)

    def configuration(self, state: State, kept: Hashable) -> Configuration:
        """Return the configuration of a state."""
        assert isinstance(kept, int)
        ahead = kept >> self._count
        if not ahead:
            return super().configuration(state, kept)
        places = tuple(AHEAD if ahead >> index & 1 else place for index, place in enumerate(state.places))
        forgotten = kept & (1 << self._count) - 1
        return super().configuration(state, forgotten)._replace(places=places)

    def state(self, configuration: Configuration, cell: int, heading: int) -> tuple[State, Hashable]:
        """Return the state with a configuration and a pose."""
        if AHEAD not in configuration.places:
            return super().state(configuration, cell, heading)
        in_front = self.world.exits[cell * self.world.headings + heading]
        places = tuple(in_front if place == AHEAD else place for place in configuration.places)
        ahead = sum(1 << index for index, place in enumerate(configuration.places) if place == AHEAD)
        state, forgotten = super().state(configuration._replace(places=places), cell, heading)
        assert isinstance(forgotten, int)
        return state, forgotten | ahead << self._count

    def images(self, configuration: Configuration) -> Iterator[Configuration]:
        """Yield candidates for the relaxed form of a configuration of the world; one of them is right.

        Each entity on the floor was dropped and forgotten, still lies ahead, or was never dropped.
        """
        lying = [index for index in self._forgettable if configuration.places[index] != GONE]
        for chosen in range(1 << len(lying)):
            dropped = [index for number, index in enumerate(lying) if chosen >> number & 1]
            for ahead in (None, *dropped):
                places = list(configuration.places)
                for index in dropped:
                    places[index] = AHEAD if index == ahead else GONE
                forgotten = sum(1 << index for index in dropped if index != ahead)
                yield configuration._replace(places=tuple(places), kept=forgotten)

    def _remember(self, before: State, now: State, kept: int) -> tuple[State, int]:
        """Forget the entity ahead if the agent has turned or moved; record a newly dropped one."""
        turned = (now.cell, now.heading) != (before.cell, before.heading)
        for index in self._forgettable:
            ahead = 1 << self._count + index
            moved = now.places[index] != before.places[index]
            if now.places[index] == GONE:
                kept &= ~ahead
            elif (kept & ahead and not moved) or (moved and before.carried == index):
                kept |= ahead
                if turned:
                    now, kept = now.with_place(index, GONE), kept & ~ahead | 1 << index
            elif moved:
                kept &= ~(ahead | 1 << index)
        return now, kept

    def _pick_up_forgotten(self, state: State, forgotten: int) -> Iterator[Step]:
        world = self.world
        ahead = world.ahead(state)
        occupied = ahead == NO_CELL or ahead in world.walls or world.thing_at(state, ahead) != NOTHING
        if occupied or state.carried != NOTHING:
            return
        for index in self._forgettable:
            if forgotten & 1 << index:
                now, events = transition(world, state.with_place(index, ahead), Action.PICKUP)
                yield now, forgotten & ~(1 << index), events


class RelaxedDistanceHeuristic:
    """Heuristic for the states of a world: fewest actions to success in the relaxed space.

    Args:
        space: the relaxed space.
        relaxed: an expansion of it.
        expansion: an expansion of the world itself.
        start: the start state of the search.
        limits: limits of its tables.

    Raises:
        TooManyStates: the search of the relaxed space reached a limit.
    """

    def __init__(
        self, space: RelaxedSpace, relaxed: Expansion, expansion: Expansion, start: State, limits: SearchLimits
    ) -> None:
        self._space, self._relaxed, self._expansion = space, relaxed, expansion
        self._graph = reach_all(self._relaxed, start, limits)
        self._distances = success_distances(self._graph.successors)
        self._images_of = np.zeros((0, 1), dtype=np.int64)

    def __call__(self, indices: Ints) -> Ints:
        """Return lower bounds on the steps to success for state indices of the world."""
        configurations, poses = np.divmod(indices, self._expansion.poses.count)
        images = self._images()[configurations]
        places = np.where(images >= 0, images * self._relaxed.poses.count + poses[:, None], 0)
        numbers = np.where(images >= 0, self._graph.numbers_of(places), -1)
        distances = np.where(numbers >= 0, self._distances[np.maximum(numbers, 0)], HOPELESS)
        return np.asarray(distances.min(axis=1), dtype=np.int64)

    def _images(self) -> Ints:
        """Map configuration numbers of the world to those of their relaxed candidates, padded with -1."""
        met = self._expansion.configurations
        if len(met) == len(self._images_of):
            return self._images_of
        known, candidates = self._relaxed.configurations.known, self._space.images
        rows = [
            [number for number in map(known, candidates(each)) if number >= 0]
            for each in met.since(len(self._images_of))
        ]
        width = max([self._images_of.shape[1], *map(len, rows)])
        images = np.full((len(met), width), -1, dtype=np.int64)
        images[: len(self._images_of), : self._images_of.shape[1]] = self._images_of
        for number, row in enumerate(rows, len(self._images_of)):
            images[number, : len(row)] = row
        self._images_of = images
        return images
