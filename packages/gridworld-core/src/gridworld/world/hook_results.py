"""Checks of hook results at the point where the kernel receives them, so that a fault names the right hook."""

from __future__ import annotations

from typing import Any

import attrs

from gridworld.errors import PluginFault, describe_value
from gridworld.support.faults import definition_of
from gridworld.support.wording import shorten
from gridworld.world.events import Event
from gridworld.world.mechanism_type import Entered
from gridworld.world.owned_hooks import plain
from gridworld.world.square import DIRECTIONS
from gridworld.world.state import NOTHING, State
from gridworld.world.world import Entity, World

CHANGED = "(a state of this world, a tuple of events), or None"
ENTERED = "(a state of this world, a tuple of events), Entered(state, events, turned=True), or None"


def check_change(world: World, entity: Entity, hook: str, before: State, result: Any) -> None:
    """Check that a hook has returned a state of this world and events.

    Args:
        world: the world.
        entity: the entity whose hook was called.
        hook: the hook's name.
        before: the state passed to the hook.
        result: the hook's result, not None.

    Raises:
        PluginFault: the result is not a state of this world with events.
    """
    expected = ENTERED if hook == "on_enter" else CHANGED
    if not (_has_events(result) and isinstance(result[0], State)):
        raise _wrong(entity, hook, result, expected)
    after = result[0]
    sound = _sound_fields(world, entity, before, after)
    if False in sound:
        name = State._fields[sound.index(False)]
        value = shorten(describe_value(after._asdict()[name]))
        raise _wrong_result(entity, hook, f"a state whose {name} cannot be {value}", expected)


def check_entered(world: World, entity: Entity, before: State, result: Any) -> None:
    """Check the result of an `on_enter`, which must declare whether it has set the heading.

    Args:
        world: the world.
        entity: the entity whose hook was called.
        before: the state passed to the hook.
        result: the hook's result, not None.

    Raises:
        PluginFault: the result is neither a change nor `Entered`, or sets the heading without declaring it.
    """
    turned = isinstance(result, Entered) and result.turned
    change = (result[0], result[1]) if isinstance(result, Entered) else result
    check_change(world, entity, "on_enter", before, change)
    if not turned and result[0].heading != before.heading:
        problem = "set the agent's heading without saying so: return Entered(state, events, turned=True)"
        raise _fault(entity, "on_enter", problem)


def check_next_value(entity: Entity, hook: str, result: Any) -> None:
    """Check that a phase has returned a value's index and events; raises as `check_change` does."""
    if not (_has_events(result) and _is_index(result[0], len(entity.type.values))):
        raise _wrong(entity, hook, result, "(the index of one of its values, a tuple of events), or None")


def check_direction(entity: Entity, hook: str, result: Any) -> None:
    """Check that a hook has returned one of the four directions; raises as `check_change` does."""
    if not _is_index(result, len(DIRECTIONS)):
        raise _wrong(entity, hook, result, "0 right, 1 down, 2 left, 3 up, or None")


def _has_events(result: Any) -> bool:
    """Whether the result is a pair of anything and a tuple of events."""
    if not isinstance(result, tuple) or len(result) != 2 or not isinstance(result[1], tuple):
        return False
    return all(isinstance(event, Event) for event in result[1])


def _is_index(number: Any, count: int) -> bool:
    return type(number) is int and 0 <= number < count


def _sound_fields(world: World, entity: Entity, before: State, after: State) -> tuple[bool, ...]:
    """Return, for each field of a state, whether the hook was allowed to set it so."""
    cell, heading, carried, values, places, memory, steps, status, discovered = after
    return (
        _is_index(cell, len(world.fixed_at)) and cell not in world.walls,
        _is_index(heading, world.headings),
        carried == before.carried or carried == NOTHING or _is_index(carried, len(before.places)),
        len(values) == len(before.values) and _is_index(values[entity.index], len(entity.type.values)),
        len(places) == len(before.places),
        memory is before.memory or memory == before.memory,  # NaN does not equal itself
        steps == before.steps,
        status == before.status,
        discovered == before.discovered,
    )


def _wrong(entity: Entity, hook: str, result: Any, expected: str) -> PluginFault:
    return _wrong_result(entity, hook, shorten(describe_value(result)), expected)


def _wrong_result(entity: Entity, hook: str, described: str, expected: str) -> PluginFault:
    return _fault(entity, hook, f"returned {described}, expected {expected}")


def _fault(entity: Entity, hook: str, problem: str) -> PluginFault:
    function = plain(attrs.asdict(entity.type, recurse=False)[hook])
    return PluginFault(problem, entity.type.owner, hook, definition_of(function))
