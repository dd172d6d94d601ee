"""Acts of the agent: pure functions ``(world, state) -> (state, events)``.

The seven actions are acts; a backend with further acts passes them to `gridworld.world.rules.perform`. After an act
that moves the agent, `enter` runs the hooks of the entities on its cell.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache

from gridworld.world.events import Bumped, Dropped, Event, Moved, NoEffect, PickedUp, Pushed, Turned, Waited
from gridworld.world.hook_results import check_change, check_entered
from gridworld.world.mechanism_type import Entered, Trait
from gridworld.world.state import GONE, NOTHING, State
from gridworld.world.topology import NO_CELL
from gridworld.world.world import World

Outcome = tuple[State, tuple[Event, ...]]
"""A state and the events that led to it."""

Act = Callable[[World, State], Outcome]
"""An act: maps a world and a state to the next state and its events."""

_turned, _moved = lru_cache(2**14)(Turned), lru_cache(2**14)(Moved)
"""Shared events of the most frequent acts; creating one takes as long as the rest of such a step."""

PORTABLE, PUSHABLE = int(Trait.PORTABLE), int(Trait.PUSHABLE)
TAKES_BLOCKS, TOGGLED_UNDERFOOT = int(Trait.TAKES_BLOCKS), int(Trait.TOGGLED_UNDERFOOT)

INTO_WALL = (Bumped(None),)
WAITED = (Waited(),)
NOTHING_TO_PUSH = (NoEffect("there is nothing to push in front"),)
NOTHING_TO_PICK_UP = (NoEffect("there is nothing to pick up in front"),)
HAND_FULL = (NoEffect("the hand is full"),)
HAND_EMPTY = (NoEffect("the hand is empty"),)
NO_ROOM = (NoEffect("there is no free floor in front"),)
NOTHING_TO_TOGGLE = (NoEffect("there is nothing to toggle"),)


def cell_behind(world: World, state: State) -> int:
    """Return the cell behind the agent, or `NO_CELL`."""
    return world.exits[state.cell * world.headings + _about(world, state)]


def _about(world: World, state: State) -> int:
    return (state.heading + world.headings // 2) % world.headings


def turn_left(world: World, state: State) -> Outcome:
    """Turn counter-clockwise to the next edge of the cell."""
    cell = state.cell
    return state.facing(world.left[cell * world.headings + state.heading]), (_turned(cell, False),)


def turn_right(world: World, state: State) -> Outcome:
    """Turn clockwise to the next edge of the cell."""
    cell = state.cell
    return state.facing(world.right[cell * world.headings + state.heading]), (_turned(cell, True),)


def move_forward(world: World, state: State) -> Outcome:
    """Step into the cell in front, pushing a pushable entity there one cell further."""
    target = world.exits[state.cell * world.headings + state.heading]
    if target == NO_CELL or target in world.walls:
        return state, INTO_WALL
    index = world.thing_at(state, target)
    if index == NOTHING:
        return state.at(target), (_moved(state.cell, target),)
    if world.traits_of(state, index) & PUSHABLE:
        return _push_on(world, state, index, target)
    obstacle = world.obstacle_at(state, target)
    if obstacle is not None:
        return state, (Bumped(obstacle.id),)
    return enter(world, state.at(target), (_moved(state.cell, target),), state.heading)


def move_backward(world: World, state: State) -> Outcome:
    """Step into the cell behind without turning around; nothing is pushed.

    Hooks of the entered entities see the direction of travel as the agent's heading.
    """
    back = _about(world, state)
    target = world.exits[state.cell * world.headings + back]
    if target == NO_CELL or target in world.walls:
        return state, INTO_WALL
    travelling = state.facing(back)
    obstacle = world.obstacle_at(travelling, target)
    if obstacle is not None:
        return state, (Bumped(obstacle.id),)
    return enter(world, travelling.at(target), (Moved(state.cell, target, backward=True),), state.heading)


def push(world: World, state: State) -> Outcome:
    """Push the entity in front and follow it; does nothing without a pushable entity."""
    target = world.ahead(state)
    index = NOTHING if target == NO_CELL else world.thing_at(state, target)
    if index == NOTHING or not world.traits_of(state, index) & PUSHABLE:
        return state, NOTHING_TO_PUSH
    return _push_on(world, state, index, target)


def _push_on(world: World, state: State, index: int, target: int) -> Outcome:
    block = world.entities[index].id
    beyond = world.exits[target * world.headings + state.heading]
    if not _takes_block(world, state.at(target), beyond):
        return state, (Bumped(block),)
    pushed = state.with_place(index, beyond)
    obstacle = world.obstacle_at(pushed, target)
    if obstacle is not None:
        return state, (Bumped(obstacle.id),)
    events = (Pushed(block, target, beyond), Moved(state.cell, target))
    return enter(world, pushed.at(target), events, state.heading)


def _takes_block(world: World, travelling: State, cell: int) -> bool:
    """Whether a block moving from the state's cell in its heading may enter a cell."""
    if cell == NO_CELL or cell in world.walls or cell in travelling.places:
        return False
    fixed = world.fixed_at[cell]
    if fixed == NOTHING:
        return True
    return bool(world.traits_of(travelling, fixed) & TAKES_BLOCKS) and not world.refuses(travelling, fixed)


def pickup(world: World, state: State) -> Outcome:
    """Pick up the entity in front if the hand is empty."""
    target = world.ahead(state)
    index = NOTHING if target == NO_CELL else world.thing_at(state, target)
    if index == NOTHING or not world.traits[index][state.values[index]] & PORTABLE:
        return state, NOTHING_TO_PICK_UP
    if state.carried != NOTHING:
        return state, HAND_FULL
    entity = world.entities[index]
    taken = state.with_place(index, GONE).holding(index)
    events: tuple[Event, ...] = (PickedUp(entity.id, target),)
    hook = entity.type.on_pickup
    further = hook(world, taken, entity) if hook else None
    if not further:
        return taken, events
    check_change(world, entity, "on_pickup", taken, further)
    return _arrive(world, state, further[0], events + further[1])


def drop(world: World, state: State) -> Outcome:
    """Drop the carried entity onto the free floor in front."""
    index = state.carried
    if index == NOTHING:
        return state, HAND_EMPTY
    target = world.ahead(state)
    blocked = target == NO_CELL or target in world.walls or target in world.marks
    if blocked or world.thing_at(state, target) != NOTHING:
        return state, NO_ROOM
    return state.with_place(index, target).holding(NOTHING), (Dropped(world.entities[index].id, target),)


def toggle(world: World, state: State) -> Outcome:
    """Toggle the entity in front; if that does not respond, toggle the one underfoot."""
    target = world.ahead(state)
    outcome = _toggle_entity(world, state, NOTHING if target == NO_CELL else world.thing_at(state, target))
    if not outcome:
        underfoot = world.fixed_at[state.cell]
        if underfoot != NOTHING and world.traits_of(state, underfoot) & TOGGLED_UNDERFOOT:
            outcome = _toggle_entity(world, state, underfoot)
    return _arrive(world, state, *outcome) if outcome else (state, NOTHING_TO_TOGGLE)


def _toggle_entity(world: World, state: State, index: int) -> Outcome | None:
    if index == NOTHING:
        return None
    entity = world.entities[index]
    hook = entity.type.on_toggle
    outcome = hook(world, state, entity) if hook else None
    if outcome:
        check_change(world, entity, "on_toggle", state, outcome)
    return outcome


def wait(world: World, state: State) -> Outcome:
    """Do nothing."""
    return state, WAITED


def _arrive(world: World, before: State, now: State, events: tuple[Event, ...]) -> Outcome:
    """Run the hooks of the agent's cell if another hook has just moved it there."""
    return (now, events) if now.cell == before.cell else enter(world, now, events, now.heading)


def enter(world: World, state: State, events: tuple[Event, ...], looking: int) -> Outcome:
    """Run the `on_enter` hooks of the entities on the agent's cell, and of every further cell they move it to.

    The chain stops after one pass per (cell, heading) pair, since mechanisms may pass the agent around in a ring.

    Args:
        world: the world.
        state: the state with the agent on the entered cell, its heading being the direction of travel.
        events: the events so far.
        looking: the agent's final heading, unless a hook sets another.
    """
    for _ in world.exits:
        cell = state.cell
        present = world.things_at(state, cell)
        if world.hidden:
            state = reveal(world, state, present)
        for index in present:
            entity = world.entities[index]
            outcome = entity.type.on_enter(world, state, entity) if entity.type.on_enter else None
            if outcome:
                check_entered(world, entity, state, outcome)
                state, events = outcome[0], events + outcome[1]
                looking = state.heading if isinstance(outcome, Entered) and outcome.turned else looking
            if state.cell != cell:
                break
        else:
            break
    return (state if state.heading == looking else state.facing(looking)), events


def reveal(world: World, state: State, entities: Iterable[int]) -> State:
    """Mark the hidden ones among some entities as discovered."""
    found = 0
    for entity in entities:
        found |= 1 << entity
    found &= world.hidden & ~state.discovered
    return state.having_discovered(found) if found else state


CELL_TOUCHED: dict[Act, Callable[[World, State], int]] = {
    move_forward: World.ahead,
    move_backward: cell_behind,
    push: World.ahead,
    pickup: World.ahead,
    drop: World.ahead,
    toggle: World.ahead,
}


def touched_by(act: Act, world: World, state: State) -> int:
    """Return the neighbouring cell that an act touches, which reveals a hidden entity there; `NO_CELL` if none."""
    touched = CELL_TOUCHED.get(act)
    return NO_CELL if touched is None else touched(world, state)
