"""Reproducible random walks that mostly choose actions suitable for the cell ahead."""

from __future__ import annotations

import random
from collections.abc import Iterator

from gridworld.actions import Action
from gridworld.world import Episode, State, World, transition
from gridworld.world.events import Event
from gridworld.world.mechanism_type import Trait
from gridworld.world.state import NOTHING
from gridworld.world.topology import NO_CELL

__all__ = ["WalkedStep", "roaming_action", "walk", "walk_through"]

WalkedStep = tuple[State, Action, State, tuple[Event, ...]]
"""State before, action, state after, and events."""

TURNS = (Action.TURN_LEFT, Action.TURN_RIGHT)


def roaming_action(world: World, state: State, rng: random.Random) -> Action:
    """Return a random action, usually one suitable for the cell ahead."""
    ahead = world.exits[state.cell * world.headings + state.heading]
    thing = NOTHING if ahead == NO_CELL else world.thing_at(state, ahead)
    draw = rng.random()
    if draw < 0.3:
        return rng.choice(tuple(Action))
    if thing != NOTHING and draw < 0.7:
        if world.traits_of(state, thing) & Trait.PORTABLE:
            return Action.PICKUP
        if world.entities[thing].type.on_toggle:
            return Action.TOGGLE
    pushable = thing != NOTHING and world.traits_of(state, thing) & Trait.PUSHABLE
    if draw < 0.8 and (pushable or world.is_free(state, ahead)):
        return Action.MOVE_FORWARD
    return rng.choice(TURNS)


def walk(world: World, seed: int, length: int) -> Iterator[WalkedStep]:
    """Yield random steps from the start of a world, up to the end of the episode or `length` steps."""
    rng = random.Random(seed)
    state = world.start
    while not world.is_over(state) and state.steps < length:
        action = roaming_action(world, state, rng)
        following, events = transition(world, state, action)
        yield state, action, following, events
        state = following


def walk_through(episode: Episode, seed: int, length: int) -> Iterator[tuple[Event, ...]]:
    """Play the actions of `walk` in an episode; yield the events of each, and an empty tuple for the start."""
    episode.reset()
    yield ()
    for _, action, _, _ in walk(episode.world, seed, length):
        yield episode.step(action)
