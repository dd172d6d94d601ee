"""The rules of a step, defined once for all backends, tilings and the solver.

A step has a fixed order: act, enter, settle (sense, then derive), carry, enter, settle, tick, settle, discover, hazard,
goal. Entering is part of the acts that walk (`gridworld.world.acts`) and of carrying (`gridworld.world.carrying`).
`World.is_over` truncates. Each of sense, derive, tick and carry reads one state and never the step count, so that
results do not depend on the order of the entities or on time.
"""

from __future__ import annotations

from collections.abc import Sequence

from gridworld.actions import ACTION_SPACE, Action
from gridworld.errors import EpisodeOver, InvalidAction, PluginFault
from gridworld.support.faults import RAISED, blame
from gridworld.world import acts
from gridworld.world.acts import Act, Outcome
from gridworld.world.carrying import carry
from gridworld.world.events import Bumped, Died, Discovered, Event, Succeeded
from gridworld.world.hook_results import check_next_value
from gridworld.world.mechanism_type import NextValue, Trait
from gridworld.world.state import State, Status, new_tuple
from gridworld.world.topology import NO_CELL
from gridworld.world.world import Entity, World

RULES_VERSION = 3
"""Version of the rules; increase it if a change could make a recorded episode end differently or change its digests."""

DEADLY = int(Trait.DEADLY)

ACTS: dict[int, Act] = {
    int(Action.TURN_LEFT): acts.turn_left,
    int(Action.TURN_RIGHT): acts.turn_right,
    int(Action.MOVE_FORWARD): acts.move_forward,
    int(Action.PICKUP): acts.pickup,
    int(Action.DROP): acts.drop,
    int(Action.TOGGLE): acts.toggle,
    int(Action.DONE): acts.wait,
}


def transition(world: World, state: State, action: int) -> Outcome:
    """Take one of the seven actions; return the new state and the events without modifying `state`.

    Raises:
        EpisodeOver: the episode of `state` has ended.
        InvalidAction: `action` is not one of the seven actions.
    """
    try:
        act = ACTS[action]
    except (KeyError, TypeError):
        _refuse_after_end(world, state)
        raise InvalidAction(f"action {action!r} is not in the action space {ACTION_SPACE}") from None
    return perform(world, state, act)


def perform(world: World, state: State, act: Act) -> Outcome:
    """Perform one act; return the new state and the events without modifying `state`.

    Raises:
        EpisodeOver: the episode of `state` has ended.
    """
    cell, heading, carried, values, places, memory, steps, status, discovered = state
    if status or steps >= world.max_steps:
        _refuse_after_end(world, state)
    begun = new_tuple(State, (cell, heading, carried, values, places, memory, steps + 1, 0, discovered))
    now, events = act(world, begun)
    if world.reactive:
        now, events = _react(world, state, now, events)
    if world.hidden and world.hidden & ~discovered:
        now, events = _discover(world, state, act, now, events)
    if world.deadly:
        now, events = _die(world, now, events)
    if world.remember is not None:
        now = now.remembering(world.remember(now, events))
    try:
        reached = world.reached(now)
    except RAISED as error:
        blame(error, world.goal_type.owner, "reached")
    if reached and not now.status:
        return now.ended(Status.SUCCEEDED), (*events, Succeeded())
    return now, events


def is_reached(world: World, state: State) -> bool:
    """Whether a state reaches the world's goal."""
    try:
        return world.reached(state)
    except RAISED as error:
        blame(error, world.goal_type.owner, "reached")


def _refuse_after_end(world: World, state: State) -> None:
    if world.is_over(state):
        raise EpisodeOver(f"the episode ended after {state.steps} steps; reset before the next action")


def reward_of(world: World, state: State) -> float:
    """Return the reward of the step that led to `state`: the goal type's reward on success, otherwise 0."""
    if state.status != Status.SUCCEEDED:
        return 0.0
    return world.goal_type.reward(state.steps, world.max_steps)


def is_truncated(world: World, state: State) -> bool:
    """Whether the step budget has run out without a success."""
    return state.steps >= world.max_steps and state.status != Status.SUCCEEDED


def _discover(world: World, before: State, act: Act, now: State, events: tuple[Event, ...]) -> Outcome:
    """Reveal hidden entities that the agent has touched, bumped into or stands on, and report all discoveries."""
    met = list(world.things_at(now, now.cell))
    touched = acts.touched_by(act, world, before)
    if touched != NO_CELL:
        met += world.things_at(before, touched)[:1]
    for event in events:
        if isinstance(event, Bumped) and event.entity in world.by_id:
            met.append(world.by_id[event.entity].index)
    now = acts.reveal(world, now, met)
    found = now.discovered & ~before.discovered
    if not found:
        return now, events
    told = (Discovered(each.id, world.cells_of(now, each)) for each in world.entities if found >> each.index & 1)
    return now, (*told, *events)


def settle(world: World, state: State, events: tuple[Event, ...]) -> Outcome:
    """Update sensors, then derive values until nothing changes.

    Raises:
        UnsettledFault: deriving never ends.
    """
    if world.sensing:
        state, events = _phase("sense", world.sensing, world, state, events)
    return _derive(world, state, events) if world.deriving else (state, events)


def _derive(world: World, state: State, events: tuple[Event, ...]) -> Outcome:
    """Derive until nothing changes, in at most one round more than there are deriving entities."""
    for _ in range(len(world.deriving) + 1):
        derived, further = _phase("derive", world.deriving, world, state, ())
        if derived.values == state.values:
            return state, events
        state, events = derived, events + further
    raise UnsettledFault(world.task.task_id, _still_changing(world, state))


class UnsettledFault(PluginFault):
    """Entities keep changing in response to one another."""

    def __init__(self, task_id: str, members: Sequence[Entity]) -> None:
        self.ids = tuple(entity.id for entity in members)
        owners = ", ".join(sorted({str(entity.type.owner) for entity in members}))
        changing = ", ".join(map(repr, self.ids))
        super().__init__(
            f"{owners}: settling never ends in the task '{task_id}': each change of {changing} leads to another"
        )


def _still_changing(world: World, state: State) -> list[Entity]:
    """Return the entities that never stop changing in a world that does not settle."""
    changing: set[int] = set()
    for _ in world.deriving:
        derived, _ = _phase("derive", world.deriving, world, state, ())
        changing.update(index for index, value in enumerate(derived.values) if value != state.values[index])
        state = derived
    return [world.entities[index] for index in sorted(changing)]


def _react(world: World, before: State, now: State, events: tuple[Event, ...]) -> Outcome:
    """Settle disturbed entities, carry riders, and advance time."""
    now, events = _settle_if_disturbed(world, before, now, events)
    if world.carrying:
        settled = now
        now, events = carry(world, settled, events)
        now, events = _settle_if_disturbed(world, settled, now, events)
    if world.ticking:
        settled = now
        now, events = _phase("tick", world.ticking, world, settled, events)
        now, events = _settle_if_disturbed(world, settled, now, events)
    return now, events


def _settle_if_disturbed(world: World, before: State, now: State, events: tuple[Event, ...]) -> Outcome:
    if now.values != before.values or now.places != before.places or now.cell != before.cell:
        return settle(world, now, events)
    return now, events


def _phase(
    name: str, hooks: tuple[tuple[Entity, NextValue], ...], world: World, state: State, events: tuple[Event, ...]
) -> Outcome:
    """Compute the next value of every entity from the same state, and return the new state."""
    timeless = state.after(0)
    changed: dict[int, int] = {}
    for entity, hook in hooks:
        try:
            outcome = hook(world, timeless, entity)
        except RAISED as error:
            blame(error, entity.type.owner, name)
        if outcome:
            check_next_value(entity, name, outcome)
            changed[entity.index] = outcome[0]
            events += outcome[1]
    if changed:
        state = state.with_values(tuple(changed.get(index, value) for index, value in enumerate(state.values)))
    return state, events


def _die(world: World, state: State, events: tuple[Event, ...]) -> Outcome:
    for index in world.things_at(state, state.cell):
        if world.traits_of(state, index) & DEADLY:
            return state.ended(Status.DIED), (*events, Died(world.entities[index].id))
    return state, events
