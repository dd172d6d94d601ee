"""Carrying: simultaneous moves of the agent and of movable entities by belts, currents and similar mechanisms.

All move requests are computed from one state, and which of them are refused does not depend on the order of entities.
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

AGENT = -1
"""Number of the agent among the riders; entities are numbered by their indices."""
UNWELCOMING = int(Trait.SOLID | Trait.DEADLY)
"""Fixed entities with one of these traits refuse carried entities; only the agent can be carried into a hazard."""
SOLID, MOVABLE = int(Trait.SOLID), int(Trait.MOVABLE)


@attrs.frozen
class _MoveRequest:
    """A request to move a rider to a neighbouring lattice cell."""

    rider: int
    carrier: Entity
    cell: int
    origin: Position
    target: Position


def carry(world: World, state: State, events: tuple[Event, ...]) -> tuple[State, tuple[Event, ...]]:
    """Carry out all moves simultaneously, and let the agent enter its new cell."""
    requests = _granted(world, state, list(_requests(world, state)))
    if not requests:
        return state, events
    moved = state
    for request in requests:
        target = world.topology.patches[request.target][0]
        agent = request.rider == AGENT
        moved = moved.at(target) if agent else moved.with_place(request.rider, target)
        rider = None if agent else world.entities[request.rider].id
        events = (*events, Carried(request.carrier.id, rider, request.cell, target))
    if all(request.rider != AGENT for request in requests):
        return moved, events
    heading = _travelling(world, state, moved.cell).heading
    return enter(world, moved.facing(heading), events, state.heading)


def _requests(world: World, state: State) -> Iterator[_MoveRequest]:
    timeless = state._replace(steps=0)
    riders = [(AGENT, state.cell)]
    riders += [
        (entity, cell)
        for entity, cell in enumerate(state.places)
        if cell != GONE and world.traits_of(state, entity) & MOVABLE
    ]
    for carrier, hook in world.carrying:
        direction = hook(world, timeless, carrier)
        if direction is None:
            continue
        check_direction(carrier, "carries", direction)
        dx, dy = DIRECTIONS[direction]
        for rider, cell in riders:
            if cell in carrier.cells:
                origin = world.topology.lattice[cell]
                yield _MoveRequest(rider, carrier, cell, origin, Position(origin.x + dx, origin.y + dy))


def _granted(world: World, state: State, requests: list[_MoveRequest]) -> list[_MoveRequest]:
    """Return the requests that are admitted and not blocked, and neither compete for a target nor swap places."""
    requests = [request for request in requests if _is_admitted(world, state, request)]
    targets = Counter(request.target for request in requests)
    requests = [request for request in requests if targets[request.target] == 1]
    ways = {(request.origin, request.target) for request in requests}
    requests = [request for request in requests if (request.target, request.origin) not in ways]
    return _unblocked(world, state, requests)


def _unblocked(world: World, state: State, requests: list[_MoveRequest]) -> list[_MoveRequest]:
    """Drop requests whose target holds a rider that stays, until nothing changes."""
    lattice = world.topology.lattice
    riders = {AGENT: lattice[state.cell]}
    riders.update((entity, lattice[cell]) for entity, cell in enumerate(state.places) if cell != GONE)
    while True:
        leaving = {request.rider for request in requests}
        taken = {place for rider, place in riders.items() if rider not in leaving}
        left = [request for request in requests if request.target not in taken]
        if len(left) == len(requests):
            return requests
        requests = left


def _is_admitted(world: World, state: State, request: _MoveRequest) -> bool:
    """Whether no wall, sealed seam or fixed entity is in the way."""
    target = world.topology.patches[request.target][0] if request.target in world.topology.patches else None
    if target is None or target in world.walls or (request.cell, target) in world.seams:
        return False
    fixed = world.fixed_at[target]
    if fixed == NOTHING:
        return True
    travelling = _travelling(world, state.at(request.cell), target)
    return not world.refuses(travelling, fixed, SOLID if request.rider == AGENT else UNWELCOMING)


def _travelling(world: World, state: State, target: int) -> State:
    """Return the state with the direction of travel to a target as its heading.

    This is the heading of a step onto the target from the nearest of its neighbouring cells, or from the agent's own
    cell if that is one of them.
    """
    centres, headings = world.topology.centres, world.headings
    beside = world.exits[target * headings : (target + 1) * headings]
    ways = [
        (round(dist(centres[state.cell], centres[cell]), 6), (outward + headings // 2) % headings)
        for outward, cell in enumerate(beside)
        if cell != NO_CELL
    ]
    return state.facing(min(ways)[1]) if ways else state
