"""`ShownWorld`: a world as far as it has been shown, to plan in without knowing more."""

from __future__ import annotations

import attrs

from gridworld.world.knowledge import Snapshot, known_state
from gridworld.world.state import GONE, NOTHING, State
from gridworld.world.traits import Trait
from gridworld.world.world import World

__all__ = ["ShownWorld", "remembering"]

SOLID = int(Trait.SOLID)


@attrs.frozen(eq=False)
class ShownWorld:
    """A world in which nothing is but what has been shown: what is unknown is wall."""

    world: World
    state: State
    """What is thought to be the present state."""
    unknown: frozenset[int]
    """The cells that have not been seen."""
    known: frozenset[int]
    """The entities that have been."""

    @classmethod
    def of(cls, world: World, snapshot: Snapshot) -> ShownWorld:
        """What a moment tells, hidden things being what they look like.

        What an unknown thing controls stays as that thing was at the start of the task.

        Args:
            world: one that `remembering` has made.
            snapshot: a moment of an episode of it.
        """
        believed, known = known_state(world, snapshot)
        unknown = frozenset(range(world.topology.cell_count)) - snapshot.knowledge.explored
        absent = [entity for entity in world.entities if entity.index not in known]
        cells = {entity.index: frozenset(world.cells_of(snapshot.state, entity)) for entity in absent}
        looks_like_wall = frozenset[int]().union(
            *(
                cells[each.index]
                for each in absent
                if world.is_hidden(snapshot.state, each.index) and world.traits_of(snapshot.state, each.index) & SOLID
            )
        )
        gone = {each.index for each in absent}
        shown = attrs.evolve(
            world,
            walls=world.walls | unknown | looks_like_wall,
            fixed_at=tuple(NOTHING if thing in gone else thing for thing in world.fixed_at),
            hidden=0,
        )
        places = tuple(GONE if thing in gone else place for thing, place in enumerate(believed.places))
        return cls(shown, believed._replace(places=places), unknown, known)


def remembering(world: World) -> World:
    """The world to somebody who remembers what has been in view, where the task's rules show the view alone."""
    rules = world.task.rules
    if rules.observability != "view_cone":
        return world
    return attrs.evolve(world, task=attrs.evolve(world.task, rules=attrs.evolve(rules, observability="fog_of_war")))
