"""Teleporters: pairs of cells; entering one moves the agent to the other."""

import attrs

from gridworld.drawing.glyphs import RGB, Circle, Glyph, Polygon, Shape
from gridworld.drawing.signs import PLATE
from gridworld.task_spec import Position, Rules, to_position
from gridworld.world.events import Event, Teleported
from gridworld.world.mechanism_type import Explained, GridStateField, MechanismType, Trait
from gridworld.world.state import State
from gridworld.world.world import Entity, World

READY = "ready"
ARRIVED = ("arrived at a", "arrived at b")
COOLING = ("cooling at a", "cooling at b")
VALUES = (READY, *ARRIVED, *COOLING)
VIOLET, PALE = (150, 65, 235), (235, 215, 255)
NEXT_VALUE = {ARRIVED[0]: COOLING[0], ARRIVED[1]: COOLING[1], COOLING[0]: READY, COOLING[1]: READY}


@attrs.frozen
class TeleporterSpec:
    """Task file entry of a teleporter."""

    id: str
    position_a: Position = attrs.field(converter=to_position)
    position_b: Position = attrs.field(converter=to_position)
    bidirectional: bool = True


def _glyph(teleporter: TeleporterSpec, value: str) -> Glyph:
    """Draw an end of a bidirectional teleporter as two rings."""
    return Glyph((*_ring(0.47, 0.38, VIOLET), *_ring(0.32, 0.26, PALE)))


def _glyph_at(teleporter: TeleporterSpec, value: str, field: str) -> Glyph:
    if teleporter.bidirectional:
        return _glyph(teleporter, value)
    return ENTRANCE if field == "position_a" else EXIT


def _ring(outer: float, inner: float, color: RGB) -> tuple[Shape, ...]:
    return (Circle(0.5, 0.5, outer, color), Circle(0.5, 0.5, inner, PLATE))


def _arrows(inwards: bool, color: RGB) -> tuple[Shape, ...]:
    """Draw four arrowheads that point inwards or outwards."""
    tip, foot = (0.25, 0.02) if inwards else (0.02, 0.25)
    one: tuple[tuple[float, float], ...] = ((0.5, tip), (0.66, foot), (0.34, foot))
    turned = [one]
    for _ in range(3):
        turned.append(tuple((1 - y, x) for x, y in turned[-1]))
    return tuple(Polygon(points, color) for points in turned)


ENTRANCE = Glyph((Circle(0.5, 0.5, 0.48, VIOLET), *_arrows(inwards=True, color=PALE), Circle(0.5, 0.5, 0.2, PLATE)))
"""Entrance of a one-way teleporter."""
EXIT = Glyph((*_ring(0.34, 0.29, VIOLET), *_arrows(inwards=False, color=PALE)))
"""Exit of a one-way teleporter; the agent walks over it as over plain floor."""


def _on_enter(world: World, state: State, teleporter: Entity) -> tuple[State, tuple[Event, ...]] | None:
    entered = teleporter.anchors.index(state.cell) if state.cell in teleporter.anchors else None
    if entered is None or (entered == 1 and not teleporter.spec.bidirectional):
        return None
    value = teleporter.value_name(state)
    if value in (ARRIVED[entered], COOLING[entered]):
        return None
    exit_side = 1 - entered
    target = teleporter.anchors[exit_side]
    if not world.is_free(state, target):
        return None
    arrived = state.at(target).with_value(teleporter.index, VALUES.index(ARRIVED[exit_side]))
    return arrived, (Teleported(teleporter.id, state.cell, target),)


def _tick(world: World, state: State, teleporter: Entity) -> tuple[int, tuple[Event, ...]] | None:
    value = teleporter.value_name(state)
    if value == READY:
        return None
    return VALUES.index(NEXT_VALUE[value]), ()


def _cooldown(world: World, state: State, teleporter: Entity) -> int | None:
    return 1 if teleporter.value_name(state) in COOLING else None


def _explains(teleporter: TeleporterSpec, rules: Rules) -> Explained:
    blocked = "While something blocks the cell where the agent would arrive, it has no effect."
    kept_clear = "Nothing can be dropped or pushed onto either end."
    if teleporter.bidirectional:
        return Explained(
            looks="a violet ring around a pale ring; both ends have the same number of dots",
            does=(
                "Stepping onto one end takes the agent to the other end.",
                "The end where the agent arrives has no effect in the next step.",
                blocked,
                kept_clear,
            ),
        )
    return Explained(
        looks=(
            "entrance: a violet disc with arrows pointing inwards; exit: a violet ring with arrows pointing outwards; "
            "both have the same number of dots"
        ),
        does=(
            "Stepping onto the entrance takes the agent to the exit.",
            "Stepping onto the exit has no effect.",
            blocked,
            kept_clear,
        ),
    )


TELEPORTERS = MechanismType(
    name="teleporters",
    noun="teleporter",
    summary="Entering one end puts the agent on the other.",
    spec=TeleporterSpec,
    values=VALUES,
    initial=READY,
    traits=Trait.NONE,
    glyph=_glyph,
    glyph_at=_glyph_at,
    part=lambda spec, field: "" if spec.bidirectional else "entrance" if field == "position_a" else "exit",
    numbered=True,
    positions=lambda spec: {"position_a": spec.position_a, "position_b": spec.position_b},
    adjective="",
    fills_patch=False,
    on_enter=_on_enter,
    explains=_explains,
    tick=_tick,
    grid_state=GridStateField("teleporter_cooldowns", _cooldown),
    local=True,
    ignores_dropped=True,
)
"""The mechanism ``teleporters``."""
