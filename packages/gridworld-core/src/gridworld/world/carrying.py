"""What is carried along in a step: the agent and movable things on belts, currents and the like.

All wishes are read from one state, and what is refused does not depend on the order in which things are listed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from math import dist

import attrs

from gridworld.task_spec import Position
from gridworld.world.acts import enter
from gridworld.world.events import Carried, Event
from gridworld.world.hook_results import check_direction
from gridworld.world.mechanism_type import Trait
from gridworld.world.square import DIRECTIONS
from gridworld.world.state import GONE, NOTHING, State
from gridworld.world.topology import NO_CELL
from gridworld.world.world import Entity, World

__all__ = ["carry"]

AGENT = -1
"""Stands for the agent among the riders; things are their indices."""
UNWELCOMING = int(Trait.SOLID | Trait.DEADLY)
"""Fixed things with one of these refuse things that are carried: nothing but the agent gets into a hazard."""
SOLID, MOVABLE = int(Trait.SOLID), int(Trait.MOVABLE)


@attrs.frozen
class _Wish:
    """Somebody or something that would be carried to a neighbouring lattice cell."""

    rider: int
    carrier: Entity
    direction: int
    cell: int
    origin: Position
    target: Position


def carry(world: World, state: State, events: tuple[Event, ...]) -> tuple[State, tuple[Event, ...]]:
    """Move everything that is carried, all at once, and let the agent enter where it has come to."""
    wishes = _granted(world, state, list(_wishes(world, state)))
    if not wishes:
        return state, events
    moved = state
    for wish in wishes:
        moved, event = _moved(world, moved, wish)
        events = (*events, event)
    agent = next((wish for wish in wishes if wish.rider == AGENT), None)
    return (moved, events) if agent is None else _enter(world, state, moved, events)


def _wishes(world: World, state: State) -> Iterator[_Wish]:
    """Whom every carrier would carry, as it is in one state."""
    timeless = state._replace(steps=0)
    riders = [(AGENT, state.cell), *_movable_things(world, state)]
    for carrier, hook in world.carrying:
        direction = hook(world, timeless, carrier)
        if direction is None:
            continue
        check_direction(carrier, "carries", direction)
        dx, dy = DIRECTIONS[direction]
        for rider, cell in riders:
            if cell in carrier.cells:
                origin = world.topology.lattice[cell]
                yield _Wish(rider, carrier, direction, cell, origin, Position(origin.x + dx, origin.y + dy))


def _movable_things(world: World, state: State) -> Iterator[tuple[int, int]]:
    """(entity, cell) of what lies about and can be moved as it is now."""
    for thing, cell in enumerate(state.places):
        if cell != GONE and world.traits_of(state, thing) & MOVABLE:
            yield thing, cell


def _granted(world: World, state: State, wishes: list[_Wish]) -> list[_Wish]:
    """Those wishes that are left when the refused, the competing, the swapping and the blocked ones are dropped."""
    wishes = [wish for wish in wishes if _is_admitted(world, state, wish)]
    targets = Counter(wish.target for wish in wishes)
    wishes = [wish for wish in wishes if targets[wish.target] == 1]
    ways = {(wish.origin, wish.target) for wish in wishes}
    wishes = [wish for wish in wishes if (wish.target, wish.origin) not in ways]
    return _unblocked(world, state, wishes)


def _unblocked(world: World, state: State, wishes: list[_Wish]) -> list[_Wish]:
    """Drop those whose target is taken by what stays, until nothing changes."""
    lattice = world.topology.lattice
    riders = {AGENT: lattice[state.cell]}
    riders.update((thing, lattice[cell]) for thing, cell in enumerate(state.places) if cell != GONE)
    while True:
        leaving = {wish.rider for wish in wishes}
        taken = {place for rider, place in riders.items() if rider not in leaving}
        left = [wish for wish in wishes if wish.target not in taken]
        if len(left) == len(wishes):
            return wishes
        wishes = left


def _is_admitted(world: World, state: State, wish: _Wish) -> bool:
    """Whether no wall, sealed seam or fixed thing is in the way."""
    target = world.topology.patches[wish.target][0] if wish.target in world.topology.patches else None
    if target is None or target in world.walls or (wish.cell, target) in world.seams:
        return False
    fixed = world.fixed_at[target]
    if fixed == NOTHING:
        return True
    travelling = _travelling(world, state.at(wish.cell), target)
    return not world.refuses(travelling, fixed, SOLID if wish.rider == AGENT else UNWELCOMING)


def _travelling(world: World, state: State, target: int) -> State:
    """The state with the direction of travel to a target for a heading.

    It is that in which one walks onto the target from the nearest of the cells beside it, which is the agent's own cell
    where that is one of them.
    """
    centres, headings = world.topology.centres, world.headings
    beside = world.exits[target * headings : (target + 1) * headings]
    ways = [
        (round(dist(centres[state.cell], centres[cell]), 6), (outward + headings // 2) % headings)
        for outward, cell in enumerate(beside)
        if cell != NO_CELL
    ]
    return state.facing(min(ways)[1]) if ways else state


def _moved(world: World, state: State, wish: _Wish) -> tuple[State, Event]:
    target = world.topology.patches[wish.target][0]
    if wish.rider == AGENT:
        return state.at(target), Carried(wish.carrier.id, None, wish.cell, target)
    thing = world.entities[wish.rider].id
    return state.with_place(wish.rider, target), Carried(wish.carrier.id, thing, wish.cell, target)


def _enter(world: World, before: State, moved: State, events: tuple[Event, ...]) -> tuple[State, tuple[Event, ...]]:
    """What lies there acts as if the agent had walked onto it, in the direction in which it was carried."""
    heading = _travelling(world, before, moved.cell).heading
    return enter(world, moved.facing(heading), events, before.heading)
