"""What an agent can do in one step: acts, pure functions ``(world, state) -> (state, events)``.

The seven actions of the external action space are some of them; a backend with further ones hands them to
`gridworld.world.rules.perform`. An act that moves the agent lets what it has stepped onto act on it.
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

__all__ = [
    "Act",
    "Outcome",
    "cell_ahead",
    "cell_behind",
    "drop",
    "enter",
    "move_backward",
    "move_forward",
    "pickup",
    "push",
    "reveal",
    "toggle",
    "touched_by",
    "turn_left",
    "turn_right",
    "wait",
]

Outcome = tuple[State, tuple[Event, ...]]
"""A state and what led to it."""

Act = Callable[[World, State], Outcome]
"""One thing that an agent can do: the state after it and what happened."""

_turned, _moved = lru_cache(2**14)(Turned), lru_cache(2**14)(Moved)
"""Most steps are one of these; to make an event anew takes as long as all the rest of such a step."""

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


def cell_ahead(world: World, state: State) -> int:
    """The cell in front of the agent, or `NO_CELL`."""
    return world.exits[state.cell * world.headings + state.heading]


def cell_behind(world: World, state: State) -> int:
    """The cell at the agent's back, or `NO_CELL`."""
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
    """Step into the cell in front; what can be pushed there is pushed on."""
    target = world.exits[state.cell * world.headings + state.heading]
    if target == NO_CELL or target in world.walls:
        return state, INTO_WALL
    thing = world.thing_at(state, target)
    if thing == NOTHING:
        return state.at(target), (_moved(state.cell, target),)
    if world.traits_of(state, thing) & PUSHABLE:
        return _push_on(world, state, thing, target)
    obstacle = world.obstacle_at(state, target)
    if obstacle is not None:
        return state, (Bumped(obstacle.id),)
    return enter(world, state.at(target), (_moved(state.cell, target),), state.heading)


def move_backward(world: World, state: State) -> Outcome:
    """Step into the cell behind without turning round; nothing is pushed.

    What is entered meets the direction of travel as the agent's heading.
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
    """Push what is in front and follow it; without something to push nothing happens."""
    target = cell_ahead(world, state)
    thing = NOTHING if target == NO_CELL else world.thing_at(state, target)
    if thing == NOTHING or not world.traits_of(state, thing) & PUSHABLE:
        return state, NOTHING_TO_PUSH
    return _push_on(world, state, thing, target)


def _push_on(world: World, state: State, thing: int, target: int) -> Outcome:
    block = world.entities[thing].id
    beyond = world.exits[target * world.headings + state.heading]
    if not _takes_block(world, state.at(target), beyond):
        return state, (Bumped(block),)
    pushed = state.with_place(thing, beyond)
    obstacle = world.obstacle_at(pushed, target)
    if obstacle is not None:
        return state, (Bumped(obstacle.id),)
    events = (Pushed(block, target, beyond), Moved(state.cell, target))
    return enter(world, pushed.at(target), events, state.heading)


def _takes_block(world: World, travelling: State, cell: int) -> bool:
    """Whether a block that comes from the state's cell in the direction of its heading may enter a cell."""
    if cell == NO_CELL or cell in world.walls or cell in travelling.places:
        return False
    fixed = world.fixed_at[cell]
    if fixed == NOTHING:
        return True
    return bool(world.traits_of(travelling, fixed) & TAKES_BLOCKS) and not world.refuses(travelling, fixed)


def pickup(world: World, state: State) -> Outcome:
    """Take the thing in front into the empty hand."""
    target = cell_ahead(world, state)
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
    if not further:
        return taken, events
    check_change(world, entity, "on_pickup", taken, further)
    return _arrive(world, state, further[0], events + further[1])


def drop(world: World, state: State) -> Outcome:
    """Put what is held on the free floor in front."""
    thing = state.carried
    if thing == NOTHING:
        return state, HAND_EMPTY
    target = cell_ahead(world, state)
    blocked = target == NO_CELL or target in world.walls or target in world.marks
    if blocked or world.thing_at(state, target) != NOTHING:
        return state, NO_ROOM
    return state.with_place(thing, target).holding(NOTHING), (Dropped(world.entities[thing].id, target),)


def toggle(world: World, state: State) -> Outcome:
    """Toggle what is in front; if that cannot be toggled, what is underfoot."""
    target = cell_ahead(world, state)
    in_front = NOTHING if target == NO_CELL else world.thing_at(state, target)
    outcome = _toggle_thing(world, state, in_front) or _toggle_underfoot(world, state)
    return _arrive(world, state, *outcome) if outcome else (state, NOTHING_TO_TOGGLE)


def _toggle_thing(world: World, state: State, thing: int) -> Outcome | None:
    if thing == NOTHING:
        return None
    entity = world.entities[thing]
    hook = entity.type.on_toggle
    outcome = hook(world, state, entity) if hook else None
    if outcome:
        check_change(world, entity, "on_toggle", state, outcome)
    return outcome


def _toggle_underfoot(world: World, state: State) -> Outcome | None:
    thing = world.fixed_at[state.cell]
    if thing == NOTHING or not world.traits_of(state, thing) & TOGGLED_UNDERFOOT:
        return None
    return _toggle_thing(world, state, thing)


def wait(world: World, state: State) -> Outcome:
    """Do nothing."""
    return state, WAITED


def _arrive(world: World, before: State, now: State, events: tuple[Event, ...]) -> Outcome:
    """Let the agent enter where a mechanism's hook has put it, if it has put it elsewhere."""
    return (now, events) if now.cell == before.cell else enter(world, now, events, now.heading)


def enter(world: World, state: State, events: tuple[Event, ...], looking: int) -> Outcome:
    """Let what the agent stands on act on it, and again wherever that has put it.

    A ring of mechanisms that pass the agent on for ever ends after as many passes as there are (cell, heading) pairs.

    Args:
        world: the world.
        state: the agent on the cell it has come to, with its direction of travel for its heading.
        events: the events so far.
        looking: the heading that the agent has in the end, unless what it enters sets another.
    """
    for _ in world.exits:
        cell = state.cell
        things = world.things_at(state, cell)
        if world.hidden:
            state = reveal(world, state, things)
        for thing in things:
            entity = world.entities[thing]
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


def reveal(world: World, state: State, things: Iterable[int]) -> State:
    """The state in which those of some entities that are hidden have been discovered."""
    found = 0
    for thing in things:
        found |= 1 << thing
    found &= world.hidden & ~state.discovered
    return state.having_discovered(found) if found else state


CELL_TOUCHED: dict[Act, Callable[[World, State], int]] = {
    move_forward: cell_ahead,
    move_backward: cell_behind,
    push: cell_ahead,
    pickup: cell_ahead,
    drop: cell_ahead,
    toggle: cell_ahead,
}


def touched_by(act: Act, world: World, state: State) -> int:
    """The neighbouring cell that an act touches, which discovers what is hidden there; `NO_CELL` for none."""
    touched = CELL_TOUCHED.get(act)
    return NO_CELL if touched is None else touched(world, state)
