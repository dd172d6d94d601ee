"""Doors: locked, closed or open. The agent toggles one in front of it; a locked one needs the key of its colour."""

from collections.abc import Iterator

import attrs

from gridworld.drawing.glyphs import Circle, Glyph, Rectangle, Tint
from gridworld.errors import Problem
from gridworld.mechanisms.keys import USED, KeySpec
from gridworld.mechanisms.keys import VALUES as KEY_VALUES
from gridworld.task.colors import parse_optional_color
from gridworld.task.meanings import Placed
from gridworld.task_spec import Rules, TaskSpecification, one_of
from gridworld.world.events import Closed, Event, KeyUsed, NoEffect, Opened, Unlocked
from gridworld.world.mechanism_type import Explained, GridStateField, MechanismType, Trait
from gridworld.world.state import NOTHING, State
from gridworld.world.world import Entity, World

OPEN, CLOSED, LOCKED = "open", "closed", "locked"
VALUES = (OPEN, CLOSED, LOCKED)
NEEDS_KEY = (NoEffect("the door is locked and its key is not in the hand"),)
OCCUPIED = (NoEffect("something is in the door"),)
DEFAULT_COLOR = "grey"


@attrs.frozen
class DoorSpec(Placed):
    """Task file entry of a door; `requires_key` is the colour of both the door and its key."""

    requires_key: str | None = attrs.field(default=None, converter=parse_optional_color)
    initial_state: str = attrs.field(default=LOCKED, validator=one_of(LOCKED, CLOSED, OPEN))


def _color(door: DoorSpec) -> str:
    return door.requires_key or DEFAULT_COLOR


def _traits(door: DoorSpec, value: str) -> Trait:
    return Trait.NONE if value == OPEN else Trait.SOLID | Trait.OPAQUE


def _glyph(door: DoorSpec, value: str) -> Glyph:
    color = Tint(_color(door))
    if value == OPEN:
        return Glyph((Rectangle(0.88, 0, 1, 1, color), Rectangle(0.92, 0.04, 0.96, 0.96, (0, 0, 0))))
    frame = Rectangle(0, 0, 1, 1, color)
    if value == LOCKED:
        panel = Rectangle(0.08, 0.08, 0.92, 0.92, attrs.evolve(color, brightness=0.18))
        return Glyph((frame, panel, Circle(0.5, 0.4, 0.14, color), Rectangle(0.45, 0.45, 0.55, 0.74, color)))
    return Glyph((frame, Rectangle(0.08, 0.08, 0.92, 0.92, (0, 0, 0)), Circle(0.75, 0.5, 0.1, color)))


def _on_toggle(world: World, state: State, door: Entity) -> tuple[State, tuple[Event, ...]]:
    value = door.value_name(state)
    if value == LOCKED:
        return _unlock(world, state, door)
    opened = value != OPEN
    if not opened and world.is_occupied(state, door.cells):
        return state, OCCUPIED
    change = Opened(door.id, door.cells) if opened else Closed(door.id, door.cells)
    return state.with_value(door.index, VALUES.index(OPEN if opened else CLOSED)), (change,)


def _unlock(world: World, state: State, door: Entity) -> tuple[State, tuple[Event, ...]]:
    held = None if state.carried == NOTHING else world.entities[state.carried]
    if held is None or not isinstance(held.spec, KeySpec) or held.color != door.color:
        return state, NEEDS_KEY
    events: tuple[Event, ...] = (Unlocked(door.id, door.cells), Opened(door.id, door.cells))
    opened = state.with_value(door.index, VALUES.index(OPEN))
    if not world.task.rules.key_consumption:
        return opened, events
    used_up = opened.with_value(held.index, KEY_VALUES.index(USED)).holding(NOTHING)
    return used_up, (*events, KeyUsed(held.id))


def _validate(door: DoorSpec, task: TaskSpecification) -> Iterator[Problem]:
    if door.initial_state != LOCKED:
        return
    if door.requires_key is None:
        yield Problem("requires_key", "a locked door needs the colour of its key")
    elif all(key.color != door.requires_key for key in task.mechanisms.keys):
        colors = ", ".join(sorted({key.color for key in task.mechanisms.keys})) or "none"
        yield Problem("requires_key", f"no key is {door.requires_key}; colours of the task's keys: {colors}")


def _explains(door: DoorSpec, rules: Rules) -> Explained:
    looks = (
        "locked: filled with a darker shade of its colour, with a keyhole or a slot; closed: an outline in its colour "
        "around black, with a round handle; open: a bar in its colour at the right edge, or only an outline"
    )
    shut = "A locked or closed door stops the agent and blocks sight; the agent can walk through an open one."
    opens = (
        "toggle opens a closed door, and closes an open one with nothing in it, if the agent faces it; "
        "no key is needed."
    )
    if door.initial_state != LOCKED:
        return Explained((opens, shut), looks, states=(OPEN, CLOSED))
    unlocks = "toggle opens a locked door if the agent faces it and carries a key of its colour."
    return Explained((unlocks, opens, shut), looks)


DOORS = MechanismType(
    name="doors",
    noun="door",
    summary="Locked, closed or open; toggled from in front.",
    spec=DoorSpec,
    values=VALUES,
    initial=lambda spec, rules: str(spec.initial_state),
    traits=_traits,
    glyph=_glyph,
    color=_color,
    validate=_validate,
    explains=_explains,
    on_toggle=_on_toggle,
    grid_state=GridStateField("open_doors", lambda world, state, door: door.value_name(state) == OPEN),
    local=True,
    ignores_dropped=True,
)
"""The mechanism ``doors``."""
