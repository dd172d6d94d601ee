"""Switches: flat things one can stand on, which open the gates that they control while they are on."""

from collections.abc import Iterator

import attrs

from gridworld.drawing.glyphs import Circle, Glyph, Rectangle, Tint
from gridworld.errors import Problem
from gridworld.support.suggestions import nearest_hint
from gridworld.task.colors import parse_any_color
from gridworld.task_spec import SWITCH_TYPES, Position, Rules, TaskSpecification, one_of, to_ids, to_position
from gridworld.world.events import Event, NoEffect, Switched
from gridworld.world.mechanism_type import GridStateField, MechanismType
from gridworld.world.state import State
from gridworld.world.traits import Trait
from gridworld.world.world import Entity, World

__all__ = ["SWITCHES", "SwitchSpec"]

OFF, ON = "off", "on"
VALUES = (OFF, ON)
PUSHABLE = int(Trait.PUSHABLE)
STAYS_ON = (NoEffect("the switch is on and stays on"),)


@attrs.frozen
class SwitchSpec:
    """A switch in a task file; one without a `switch_type` has that of ``rules.switch_type``."""

    id: str
    position: Position = attrs.field(converter=to_position)
    controls: tuple[str, ...] = attrs.field(default=(), converter=to_ids)
    color: str = attrs.field(default="yellow", converter=parse_any_color)
    switch_type: str | None = attrs.field(default=None, validator=attrs.validators.optional(one_of(*SWITCH_TYPES)))
    initial_state: str = attrs.field(default=OFF, validator=one_of(*VALUES))


def _type_of(switch: SwitchSpec, rules: Rules) -> str:
    return switch.switch_type or rules.switch_type


def _traits(switch: SwitchSpec, value: str) -> Trait:
    active = Trait.ACTIVE if value == ON else Trait.NONE
    return Trait.TAKES_BLOCKS | Trait.TOGGLED_UNDERFOOT | active


def _glyph(switch: SwitchSpec, value: str) -> Glyph:
    color = Tint(switch.color)
    # The rim stays visible under a block, and tells whether the switch is on.
    rim = color if value == ON else (150, 150, 150)
    plate = (Rectangle(0.03, 0.03, 1, 1, rim), Rectangle(0.1, 0.1, 0.93, 0.93, (40, 40, 40)))
    if value == ON:
        return Glyph((*plate, Circle(0.5, 0.5, 0.28, color), Circle(0.5, 0.5, 0.12, (255, 255, 255))))
    return Glyph((*plate, Circle(0.5, 0.5, 0.28, color), Circle(0.5, 0.5, 0.22, (40, 40, 40))))


def _initial(switch: SwitchSpec, rules: Rules) -> str:
    return switch.initial_state


def _to(switch: Entity, value: str) -> tuple[int, tuple[Event, ...]]:
    return VALUES.index(value), (Switched(switch.id, switch.cells, value == ON),)


def _on_toggle(world: World, state: State, switch: Entity) -> tuple[State, tuple[Event, ...]] | None:
    kind, value = _type_of(switch.spec, world.task.rules), switch.value_name(state)
    if kind == "hold":
        return None
    if kind == "one_shot" and value == ON:
        return state, STAYS_ON
    number, events = _to(switch, OFF if value == ON else ON)
    return state.with_value(switch.index, number), events


def _sense(world: World, state: State, switch: Entity) -> tuple[int, tuple[Event, ...]] | None:
    if _type_of(switch.spec, world.task.rules) != "hold":
        return None
    value = ON if _is_pressed(world, state, switch) else OFF
    return None if value == switch.value_name(state) else _to(switch, value)


def _is_pressed(world: World, state: State, switch: Entity) -> bool:
    """Whether the agent or a block stands on it; a key is too light."""
    return state.cell in switch.cells or any(
        place in switch.cells and world.traits_of(state, thing) & PUSHABLE for thing, place in enumerate(state.places)
    )


def _validate(switch: SwitchSpec, task: TaskSpecification) -> Iterator[Problem]:
    gates = [gate.id for gate in task.mechanisms.gates]
    for index, gate in enumerate(switch.controls):
        if gate not in gates:
            yield Problem(f"controls[{index}]", f"no gate has the id '{gate}'{nearest_hint(gate, gates)}")


SWITCHES = MechanismType(
    name="switches",
    noun="switch",
    summary="Opens the gates that it controls while it is on.",
    spec=SwitchSpec,
    values=VALUES,
    initial=_initial,
    traits=_traits,
    glyph=_glyph,
    adjective=lambda spec, value: f"switched-{value}",
    fills_patch=False,
    color=lambda spec: str(spec.color),
    controls=lambda spec: tuple(spec.controls),
    validate=_validate,
    on_toggle=_on_toggle,
    sense=_sense,
    grid_state=GridStateField("active_switches", lambda world, state, switch: switch.value_name(state) == ON),
    ignores_dropped=True,
)
"""The mechanism ``switches``."""
