"""Timers: they hold the gates that they control shut for some steps, then open for as many, and so on."""

import attrs

from gridworld.hookspecs import (
    Changed,
    Circle,
    Entity,
    Event,
    Explained,
    Glyph,
    MechanismType,
    Placed,
    State,
    Trait,
    World,
    references_field,
)

__all__ = ["TIMERS", "TimerSpec"]

LONGEST = 4
VALUES = tuple(f"{name}-for-{steps}" for name in ("off", "on") for steps in range(1, LONGEST + 1))
"""Off or on, and the number of steps until that changes."""
COLORS = {"off": (150, 60, 60), "on": (60, 190, 90)}
FACE, PIP = (30, 30, 35), (240, 240, 240)


@attrs.frozen
class TimerSpec(Placed):
    """A timer in a task file; it is off for `period` steps and then on for as many."""

    controls: tuple[str, ...] = references_field()
    period: int = attrs.field(default=3, validator=attrs.validators.in_(range(1, LONGEST + 1)))


def _tick(world: World, state: State, timer: Entity) -> tuple[int, tuple[Event, ...]]:
    """One step less to go, or over to the other state: what counts is the timer's own value, never the step count."""
    name, _, steps = timer.value_name(state).partition("-for-")
    if steps != "1":
        return VALUES.index(f"{name}-for-{int(steps) - 1}"), ()
    other = f"{'on' if name == 'off' else 'off'}-for-{timer.spec.period}"
    return VALUES.index(other), (Changed(timer.id, timer.cells, other),)


def _glyph(timer: TimerSpec, value: str) -> Glyph:
    """A dial with as many pips as there are steps to go, in rows of three."""
    name, _, steps = value.partition("-for-")
    pips = (Circle(0.34 + 0.16 * (pip % 3), 0.34 + 0.16 * (pip // 3), 0.06, PIP) for pip in range(int(steps)))
    return Glyph((Circle(0.5, 0.5, 0.45, COLORS[name]), Circle(0.5, 0.5, 0.35, FACE), *pips))


TIMERS = MechanismType(
    name="timers",
    noun="timer",
    summary="Opens the gates that it controls for some steps, and shuts them for as many.",
    spec=TimerSpec,
    values=VALUES,
    initial=lambda timer, rules: f"off-for-{timer.period}",
    traits=lambda timer, value: Trait.ACTIVE if value.startswith("on") else Trait.NONE,
    glyph=_glyph,
    adjective=lambda timer, value: value,
    fills_patch=False,
    tick=_tick,
    explains=Explained(
        looks="a dial with a red rim while it is off and a green one while it is on; its white pips are the steps to "
        "go",
        does=(
            "It goes on and off by itself, after as many steps each time; one pip goes out in every step.",
            "While it is on, the gates that it controls are open.",
            "It does not stop the agent.",
        ),
    ),
    local=True,
    ignores_dropped=True,
)
