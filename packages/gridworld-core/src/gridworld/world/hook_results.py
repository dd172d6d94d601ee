"""What the hooks of mechanisms return, checked where the kernel takes it.

Otherwise the kernel would fail at it later, where nobody can tell any more which hook it came from.
"""

from __future__ import annotations

from typing import Any

from gridworld.errors import PluginFault, describe_value
from gridworld.support.wording import shorten
from gridworld.world.events import Event
from gridworld.world.mechanism_type import Entered
from gridworld.world.square import DIRECTIONS
from gridworld.world.state import State
from gridworld.world.world import Entity, World

__all__ = ["check_change", "check_direction", "check_entered", "check_next_value"]


def check_change(world: World, entity: Entity, hook: str, result: Any) -> None:
    """Make sure that an act of a mechanism has come to a state of this world, and events.

    Args:
        world: the world.
        entity: whose hook was called.
        hook: the hook's name.
        result: what it has returned, and is not None.

    Raises:
        PluginFault: it is something else; the mechanism and the hook are named.
    """
    if not (_has_events(result) and isinstance(result[0], State) and _is_possible(world, entity, result[0])):
        raise _wrong(entity, hook, result, "(a state of this world, a tuple of events), or None")


def check_entered(world: World, entity: Entity, before: State, result: Any) -> None:
    """Check the result of an `on_enter`, which has to say whether it has set the heading.

    Args:
        world: the world.
        entity: the entity whose hook was called.
        before: the state that the hook was given.
        result: its result, which is not None.

    Raises:
        PluginFault: it is neither a change nor `Entered`, or another heading is not said.
    """
    turned = isinstance(result, Entered) and result.turned
    check_change(world, entity, "on_enter", (result[0], result[1]) if isinstance(result, Entered) else result)
    if not turned and result[0].heading != before.heading:
        raise PluginFault(
            f"{entity.owner}: its on_enter set the agent's heading and does not say so: "
            "return Entered(state, events, turned=True)"
        )


def check_next_value(entity: Entity, hook: str, result: Any) -> None:
    """The same of what gives an entity its next value: the value has to be an index of its type's values."""
    if not (_has_events(result) and result[0] in range(len(entity.type.values))):
        raise _wrong(entity, hook, result, "(the index of one of its values, a tuple of events), or None")


def check_direction(entity: Entity, hook: str, result: Any) -> None:
    """The same of what carries somewhere."""
    if result not in range(len(DIRECTIONS)):
        raise _wrong(entity, hook, result, "0 right, 1 down, 2 left, 3 up, or None")


def _has_events(result: Any) -> bool:
    """Whether it is a pair of something and a tuple of events."""
    if not isinstance(result, tuple) or len(result) != 2 or not isinstance(result[1], tuple):
        return False
    return all(isinstance(event, Event) for event in result[1])


def _is_possible(world: World, entity: Entity, state: State) -> bool:
    """Whether the agent is somewhere in the world, and the entity that has acted in one of its states."""
    return (
        state.cell in range(len(world.fixed_at))
        and state.heading in range(world.headings)
        and len(state.values) == len(world.entities)
        and state.values[entity.index] in range(len(entity.type.values))
    )


def _wrong(entity: Entity, hook: str, result: object, expected: str) -> PluginFault:
    told = shorten(describe_value(result))
    return PluginFault(f"{entity.owner}: its {hook} returned {told}, expected {expected}")
