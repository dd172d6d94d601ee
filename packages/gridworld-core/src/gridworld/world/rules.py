"""The rules: what each action does, written once for every backend, tiling and the solver.

A step has a fixed order: act, enter, discover, sense, derive, tick, hazard, goal. `World.is_over` truncates.
"""

from __future__ import annotations

from collections.abc import Callable

import attrs

from gridworld.actions import ACTION_SPACE, Action
from gridworld.errors import EpisodeOver, InvalidAction, InvalidTaskError, Problem
from gridworld.plugin_types import Hook
from gridworld.task_spec import TaskSpecification
from gridworld.traits import Trait
from gridworld.world.events import (
    Bumped,
    Died,
    Discovered,
    Dropped,
    Event,
    Moved,
    NoEffect,
    PickedUp,
    Pushed,
    Succeeded,
    Turned,
    Waited,
)
from gridworld.world.state import GONE, NOTHING, State, Status
from gridworld.world.topology import NO_CELL, Topology
from gridworld.world.world import Entity, World, build_world

__all__ = ["Outcome", "compile_world", "reward_of", "transition"]

Outcome = tuple[State, tuple[Event, ...]]
"""A state and what led to it."""

DEADLY, PORTABLE, PUSHABLE = int(Trait.DEADLY), int(Trait.PORTABLE), int(Trait.PUSHABLE)
TAKES_BLOCKS, TOGGLED_UNDERFOOT = int(Trait.TAKES_BLOCKS), int(Trait.TOGGLED_UNDERFOOT)

INTO_WALL = (Bumped(None),)
WAITED = (Waited(),)
NOTHING_TO_PICK_UP = (NoEffect("there is nothing to pick up in front"),)
HAND_FULL = (NoEffect("the hand is full"),)
HAND_EMPTY = (NoEffect("the hand is empty"),)
NO_ROOM = (NoEffect("there is no free floor in front"),)
NOTHING_TO_TOGGLE = (NoEffect("there is nothing to toggle"),)


def transition(world: World, state: State, action: int) -> Outcome:
    """The state after one action, and what happened. Pure: the given state stays as it is.

    Raises:
        EpisodeOver: the episode of `state` has ended.
        InvalidAction: `action` is not one of the seven.
    """
    cell, heading, carried, values, places, steps, status, discovered = state
    if status or steps >= world.max_steps:
        raise EpisodeOver(f"the episode ended after {steps} steps; reset before the next action")
    try:
        act = ACTS[action]
    except (KeyError, TypeError):
        raise InvalidAction(f"action {action!r} is not in the action space {ACTION_SPACE}") from None
    now, events = act(world, State(cell, heading, carried, values, places, steps + 1, 0, discovered))
    if now.cell != cell:
        now, events = _enter(world, now, events)
    if world.hidden & ~discovered and action in REACHING:
        now, events = _discover(world, state, now, events)
    if world.reactive:
        now, events = _react(world, state, now, events)
    if world.deadly:
        now, events = _die(world, now, events)
    if not now.status and world.reached(now):
        return now.ended(Status.SUCCEEDED), (*events, Succeeded())
    return now, events


def compile_world(task: TaskSpecification, topology: Topology) -> World:
    """Compile a task against a topology and settle its start: sensors feel what stands on them, gates follow.

    Raises:
        InvalidTaskError: the task cannot be, with every problem named.
    """
    world = build_world(task, topology)
    start, _ = _settle(world, world.start, ())
    if world.reached(start):
        raise InvalidTaskError([Problem("goal", "it is already reached at the start")], task.task_id)
    return attrs.evolve(world, start=start)


def reward_of(world: World, state: State) -> float:
    """The reward of the step that led to `state`: the goal type's on success, otherwise 0."""
    if state.status != Status.SUCCEEDED:
        return 0.0
    return world.goal_type.reward(state.steps, world.max_steps)


def _turn_left(world: World, state: State) -> Outcome:
    return state.facing(world.left[state.cell * world.headings + state.heading]), (Turned(state.cell, False),)


def _turn_right(world: World, state: State) -> Outcome:
    return state.facing(world.right[state.cell * world.headings + state.heading]), (Turned(state.cell, True),)


def _cell_ahead(world: World, state: State) -> int:
    return world.exits[state.cell * world.headings + state.heading]


def _move_forward(world: World, state: State) -> Outcome:
    target = _cell_ahead(world, state)
    if target == NO_CELL or target in world.walls:
        return state, INTO_WALL
    thing = world.thing_at(state, target)
    if thing != NOTHING:
        if world.traits_of(state, thing) & PUSHABLE:
            return _push(world, state, thing, target)
        obstacle = world.obstacle_at(state, target)
        if obstacle is not None:
            return state, (Bumped(obstacle.id),)
    return state.at(target), (Moved(state.cell, target),)


def _push(world: World, state: State, thing: int, target: int) -> Outcome:
    block = world.entities[thing].id
    beyond = world.exits[target * world.headings + state.heading]
    if not _takes_block(world, state, beyond):
        return state, (Bumped(block),)
    pushed = state.with_place(thing, beyond).at(target)
    return pushed, (Pushed(block, target, beyond), Moved(state.cell, target))


def _takes_block(world: World, state: State, cell: int) -> bool:
    if cell == NO_CELL or cell in world.walls:
        return False
    thing = world.thing_at(state, cell)
    return thing == NOTHING or bool(world.traits_of(state, thing) & TAKES_BLOCKS)


def _pickup(world: World, state: State) -> Outcome:
    target = _cell_ahead(world, state)
    thing = NOTHING if target == NO_CELL else world.thing_at(state, target)
    if thing == NOTHING or not world.traits[thing][state.values[thing]] & PORTABLE:
        return state, NOTHING_TO_PICK_UP
    if state.carried != NOTHING:
        return state, HAND_FULL
    entity = world.entities[thing]
    taken = state.with_place(thing, GONE).holding(thing)
    events: tuple[Event, ...] = (PickedUp(entity.id, target),)
    hook = entity.type.on_pickup
    further = hook(world, taken, entity) if hook else None
    return (further[0], events + further[1]) if further else (taken, events)


def _drop(world: World, state: State) -> Outcome:
    thing = state.carried
    if thing == NOTHING:
        return state, HAND_EMPTY
    target = _cell_ahead(world, state)
    blocked = target == NO_CELL or target in world.walls or target in world.markers
    if blocked or world.thing_at(state, target) != NOTHING:
        return state, NO_ROOM
    return state.with_place(thing, target).holding(NOTHING), (Dropped(world.entities[thing].id, target),)


def _toggle(world: World, state: State) -> Outcome:
    target = _cell_ahead(world, state)
    in_front = NOTHING if target == NO_CELL else world.thing_at(state, target)
    return _toggle_thing(world, state, in_front) or _toggle_underfoot(world, state) or (state, NOTHING_TO_TOGGLE)


def _toggle_thing(world: World, state: State, thing: int) -> Outcome | None:
    if thing == NOTHING:
        return None
    entity = world.entities[thing]
    hook = entity.type.on_toggle
    return hook(world, state, entity) if hook else None


def _toggle_underfoot(world: World, state: State) -> Outcome | None:
    thing = world.fixed_at[state.cell]
    if thing == NOTHING or not world.traits_of(state, thing) & TOGGLED_UNDERFOOT:
        return None
    return _toggle_thing(world, state, thing)


def _done(world: World, state: State) -> Outcome:
    return state, WAITED


ACTS: dict[int, Callable[[World, State], Outcome]] = {
    int(Action.TURN_LEFT): _turn_left,
    int(Action.TURN_RIGHT): _turn_right,
    int(Action.MOVE_FORWARD): _move_forward,
    int(Action.PICKUP): _pickup,
    int(Action.DROP): _drop,
    int(Action.TOGGLE): _toggle,
    int(Action.DONE): _done,
}


def _enter(world: World, state: State, events: tuple[Event, ...]) -> Outcome:
    """Let what the agent stands on act on it, and again wherever that has put it.

    A ring of mechanisms that pass the agent on for ever ends after as many passes as there are (cell, heading) pairs.
    """
    for _ in world.exits:
        cell = state.cell
        for thing in world.things_at(state, cell):
            entity = world.entities[thing]
            outcome = entity.type.on_enter(world, state, entity) if entity.type.on_enter else None
            if outcome:
                state, events = outcome[0], events + outcome[1]
        if state.cell == cell:
            break
    return state, events


REACHING = frozenset((Action.MOVE_FORWARD, Action.PICKUP, Action.DROP, Action.TOGGLE))
"""The actions that touch what is in front."""


def _discover(world: World, before: State, now: State, events: tuple[Event, ...]) -> Outcome:
    """Reveal what the agent has just bumped into or acted on, and what it stands on."""
    ahead = _cell_ahead(world, before)
    in_front = NOTHING if ahead == NO_CELL else world.thing_at(before, ahead)
    for thing in (*world.things_at(now, now.cell), in_front):
        if thing != NOTHING and world.is_hidden(now, thing):
            entity = world.entities[thing]
            now = now.having_discovered(1 << thing)
            events = (Discovered(entity.id, world.cells_of(now, entity)), *events)
    return now, events


def _settle(world: World, state: State, events: tuple[Event, ...]) -> Outcome:
    state, events = _call_each(world.sensing, world, state, events)
    return _call_each(world.deriving, world, state, events)


def _react(world: World, before: State, now: State, events: tuple[Event, ...]) -> Outcome:
    """Settle what has been disturbed, and let time pass."""
    if now.values != before.values or now.places != before.places or now.cell != before.cell:
        now, events = _settle(world, now, events)
    return _call_each(world.ticking, world, now, events)


def _call_each(
    hooks: tuple[tuple[Entity, Hook], ...], world: World, state: State, events: tuple[Event, ...]
) -> Outcome:
    for entity, hook in hooks:
        outcome = hook(world, state, entity)
        if outcome:
            state, events = outcome[0], events + outcome[1]
    return state, events


def _die(world: World, state: State, events: tuple[Event, ...]) -> Outcome:
    for thing in world.things_at(state, state.cell):
        if world.traits_of(state, thing) & DEADLY:
            return state.ended(Status.DIED), (*events, Died(world.entities[thing].id))
    return state, events
