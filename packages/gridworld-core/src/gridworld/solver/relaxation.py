"""A smaller search space: one that forgets where things were dropped.

Every place where a key may be dropped makes a state of its own, and nearly all of them are alike. In the relaxed world
a dropped thing stays where it is until the agent walks on; then it is nowhere in particular: it bars nobody's way and
can be picked up from any free floor. Whatever can be done in the world itself can be done there in as few actions. So a
shortest plan of the relaxed world that also wins in the world itself is a shortest plan there too; and where it does
not, the distances of the relaxed world never overestimate those of the world itself and guide an A* search.
"""

from __future__ import annotations

from collections.abc import Iterator

from gridworld.actions import Action
from gridworld.world.rules import transition
from gridworld.world.state import GONE, NOTHING, State
from gridworld.world.topology import NO_CELL
from gridworld.world.traits import Trait
from gridworld.world.world import World

__all__ = ["Relaxation", "forgettable_things"]

Successor = tuple[Action, State, int]


def forgettable_things(world: World) -> frozenset[int]:
    """The entities that can be dropped, where nothing in the world minds where they lie; otherwise none.

    Where something carries, a thing that lies in the way may keep the agent from being carried off: it cannot be
    forgotten.
    """
    goal = world.goal_type
    minding = not all(entity.type.ignores_dropped for entity in world.entities)
    if goal.timed or not goal.ignores_dropped or minding or world.carrying:
        return frozenset()
    return frozenset(thing for thing in range(len(world.start.places)) if _is_portable(world, thing))


def _is_portable(world: World, thing: int) -> bool:
    return any(traits & Trait.PORTABLE for traits in world.traits[thing])


class Relaxation:
    """The steps of a world that forgets where some things were dropped.

    Args:
        world: the world, without a step budget.
        start: where the search begins; things that still lie there are not forgotten.
        things: the entities to forget.
    """

    def __init__(self, world: World, start: State, things: frozenset[int]) -> None:
        self._world = world
        self._start = start
        self._things = tuple(sorted(things))

    def steps(self, action: Action, state: State, forgotten: int) -> Iterator[Successor]:
        """What an action can lead to; `forgotten` has one bit for each thing that lies nowhere in particular."""
        if action is Action.PICKUP and forgotten:
            yield from self._pick_up_forgotten(state, forgotten)
        following, _ = transition(self._world, state, action)
        yield action, *self._forget(state, following, forgotten)

    def image(self, before: State, now: State, forgotten: int) -> tuple[State, int]:
        """The state of the relaxed world that stands for one of the world itself, after a step there."""
        forgotten &= ~(1 << now.carried) if now.carried != NOTHING else -1
        _, forgotten = self._forget(before, now, forgotten)
        places = tuple(GONE if forgotten & 1 << thing else place for thing, place in enumerate(now.places))
        return now._replace(places=places), forgotten

    def _forget(self, before: State, now: State, forgotten: int) -> tuple[State, int]:
        if now.cell == before.cell:
            return now, forgotten
        for thing in self._things:
            if now.places[thing] not in (GONE, self._start.places[thing]):
                now, forgotten = now.with_place(thing, GONE), forgotten | 1 << thing
        return now, forgotten

    def _pick_up_forgotten(self, state: State, forgotten: int) -> Iterator[Successor]:
        world = self._world
        ahead = world.exits[state.cell * world.headings + state.heading]
        occupied = ahead == NO_CELL or ahead in world.walls or world.thing_at(state, ahead) != NOTHING
        if occupied or state.carried != NOTHING:
            return
        for thing in self._things:
            if forgotten & 1 << thing:
                following, _ = transition(world, state.with_place(thing, ahead), Action.PICKUP)
                yield Action.PICKUP, following, forgotten & ~(1 << thing)
