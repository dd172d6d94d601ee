"""Switches: flat plates on the floor; while on, they open the gates they control."""

from collections.abc import Callable

import attrs

from gridworld.drawing.glyphs import Circle, Color, Glyph, Line, Rectangle, Shape, Tint
from gridworld.drawing.signs import PLATE
from gridworld.task.colors import parse_any_color
from gridworld.task.meanings import Placed, references_field
from gridworld.task_spec import SWITCH_TYPES, Rules, one_of
from gridworld.world.events import Event, NoEffect, Switched
from gridworld.world.mechanism_type import Collected, Explained, GridStateField, MechanismType, Trait
from gridworld.world.state import State
from gridworld.world.world import Entity, World

OFF, ON = "off", "on"
VALUES = (OFF, ON)
PUSHABLE = int(Trait.PUSHABLE)
WHITE = (255, 255, 255)
STAYS_ON = (NoEffect("the switch is on and stays on"),)


@attrs.frozen
class SwitchSpec(Placed):
    """Task file entry of a switch; `switch_type` defaults to ``rules.switch_type``."""

    controls: tuple[str, ...] = references_field()
    color: str = attrs.field(default="yellow", converter=parse_any_color)
    switch_type: str | None = attrs.field(default=None, validator=attrs.validators.optional(one_of(*SWITCH_TYPES)))
    initial_state: str = attrs.field(default=OFF, validator=one_of(*VALUES))


def _completed(switch: SwitchSpec, rules: Rules) -> SwitchSpec:
    return switch if switch.switch_type else attrs.evolve(switch, switch_type=rules.switch_type)


def _traits(switch: SwitchSpec, value: str) -> Trait:
    active = Trait.ACTIVE if value == ON else Trait.NONE
    return Trait.TAKES_BLOCKS | Trait.TOGGLED_UNDERFOOT | active


def _glyph(switch: SwitchSpec, value: str) -> Glyph:
    """Draw the sign of the switch type on a dark plate, with a coloured rim that stays visible under a block.

    Off, the sign is hollow and the rim broken; on, the sign is filled and the rim complete.
    """
    kind, is_on, color = switch.switch_type or "toggle", value == ON, Tint(switch.color)
    rims = (Rectangle(*place, color) for place in (WHOLE_RIMS if is_on else BROKEN_RIMS)[kind])
    plate = (Rectangle(0.03, 0.03, 0.97, 0.97, PLATE), *rims, Rectangle(0.14, 0.14, 0.86, 0.86, PLATE))
    return Glyph((*plate, *SIGNS[kind](color, is_on)))


def _slider(color: Color, is_on: bool) -> tuple[Shape, ...]:
    """Draw a slider: a knob at the left end of its slot if off, at the right end if on."""
    slot = (Line(0.34, 0.5, 0.66, 0.5, 0.17, color), Line(0.34, 0.5, 0.66, 0.5, 0.11, color if is_on else PLATE))
    return (*slot, *(_light(0.66, 0.5) if is_on else (Circle(0.34, 0.5, 0.11, color),)))


def _pressure_plate(color: Color, is_on: bool) -> tuple[Shape, ...]:
    """Draw a square pressure plate, raised if off and pressed down if on."""
    square = (Rectangle(0.25, 0.25, 0.75, 0.75, color), Rectangle(0.32, 0.32, 0.68, 0.68, color if is_on else PLATE))
    return (*square, *(_light(0.5, 0.5) if is_on else (Rectangle(0.39, 0.39, 0.61, 0.61, color),)))


def _button(color: Color, is_on: bool) -> tuple[Shape, ...]:
    """Draw a round button, out if off and in if on."""
    disc = (Circle(0.5, 0.5, 0.3, color), Circle(0.5, 0.5, 0.22, color if is_on else PLATE))
    return (*disc, *_light(0.5, 0.5)) if is_on else disc


def _light(x: float, y: float) -> tuple[Shape, ...]:
    return (Circle(x, y, 0.15, PLATE), Circle(x, y, 0.1, WHITE))


SIGNS: dict[str, Callable[[Color, bool], tuple[Shape, ...]]] = {
    "toggle": _slider,
    "hold": _pressure_plate,
    "one_shot": _button,
}
Edges = tuple[float, float, float, float]
"""Left, top, right and bottom edges of a rectangle."""
WHOLE_RIMS: dict[str, tuple[Edges, ...]] = {
    "toggle": ((0.03, 0.03, 0.14, 0.97), (0.86, 0.03, 0.97, 0.97)),
    "hold": ((0.03, 0.03, 0.97, 0.97),),
    "one_shot": (
        (0.03, 0.03, 0.34, 0.34),
        (0.66, 0.03, 0.97, 0.34),
        (0.03, 0.66, 0.34, 0.97),
        (0.66, 0.66, 0.97, 0.97),
    ),
}
"""Rim by switch type: two sides, all four sides, or the corners."""
BROKEN_RIMS: dict[str, tuple[Edges, ...]] = {
    "toggle": ((0.03, 0.28, 0.14, 0.72), (0.86, 0.28, 0.97, 0.72)),
    "hold": ((0.03, 0.28, 0.97, 0.72), (0.28, 0.03, 0.72, 0.97)),
    "one_shot": ((0.03, 0.03, 0.2, 0.2), (0.8, 0.03, 0.97, 0.2), (0.03, 0.8, 0.2, 0.97), (0.8, 0.8, 0.97, 0.97)),
}
"""`WHOLE_RIMS` with gaps."""


def _initial(switch: SwitchSpec, rules: Rules) -> str:
    return OFF if (switch.switch_type or rules.switch_type) == "hold" else switch.initial_state


def _to(switch: Entity, value: str) -> tuple[int, tuple[Event, ...]]:
    return VALUES.index(value), (Switched(switch.id, switch.cells, value == ON),)


def _on_toggle(world: World, state: State, switch: Entity) -> tuple[State, tuple[Event, ...]] | None:
    kind, value = switch.spec.switch_type, switch.value_name(state)
    if kind == "hold":
        return None
    if kind == "one_shot" and value == ON:
        return state, STAYS_ON
    number, events = _to(switch, OFF if value == ON else ON)
    return state.with_value(switch.index, number), events


def _sense(world: World, state: State, switch: Entity) -> tuple[int, tuple[Event, ...]] | None:
    if switch.spec.switch_type != "hold":
        return None
    value = ON if _is_pressed(world, state, switch) else OFF
    return None if value == switch.value_name(state) else _to(switch, value)


def _is_pressed(world: World, state: State, switch: Entity) -> bool:
    """Whether the agent or a block stands on the switch; a key is too light."""
    return state.cell in switch.cells or any(
        place in switch.cells and world.traits_of(state, thing) & PUSHABLE for thing, place in enumerate(state.places)
    )


IN_WORDS = {
    "toggle": "a dark plate with a slider in its colour; off: hollow, with its knob at the left; on: filled, with a "
    "white light at the right",
    "hold": "a dark plate with a square in its colour; off: hollow; on: filled, with a white light",
    "one_shot": "a dark plate with a round button in its colour; off: hollow; on: filled, with a white light",
}
BY_TYPE = {
    "toggle": "toggle switches it on, and off again, if the agent faces it or stands on it.",
    "hold": "It is on while the agent or a block stands on it, and off otherwise; toggle has no effect on it.",
    "one_shot": "toggle switches it on if the agent faces it or stands on it; it then stays on.",
}


def _explains(switch: SwitchSpec, rules: Rules) -> Explained:
    kind = switch.switch_type or rules.switch_type
    return Explained(
        looks=IN_WORDS[kind],
        does=(
            BY_TYPE[kind],
            "While it is on, the gates that it controls are open.",
            "The agent can walk onto it and see past it, and a block can be pushed onto it.",
        ),
        states=(ON,) if kind == "one_shot" and switch.initial_state == ON else VALUES,
    )


SWITCHES = MechanismType(
    name="switches",
    noun="switch",
    summary="Opens the gates that it controls while it is on.",
    spec=SwitchSpec,
    values=VALUES,
    initial=_initial,
    traits=_traits,
    glyph=_glyph,
    completed=_completed,
    kind=lambda spec: (spec.switch_type or "").replace("_", "-"),
    adjective=lambda spec, value: f"switched-{value}",
    fills_patch=False,
    color=lambda spec: str(spec.color),
    explains=_explains,
    on_toggle=_on_toggle,
    sense=_sense,
    collected=Collected("switch on", (ON,)),
    grid_state=GridStateField("active_switches", lambda world, state, switch: switch.value_name(state) == ON),
    local=True,
    ignores_dropped=True,
)
"""The mechanism ``switches``."""
