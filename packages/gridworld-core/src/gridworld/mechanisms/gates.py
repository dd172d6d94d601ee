"""Gates: barriers that only switches open."""

import attrs

from gridworld.drawing.glyphs import Glyph, Rectangle, Tint
from gridworld.task.colors import parse_optional_any_color
from gridworld.task.meanings import Placed
from gridworld.task_spec import LEFT_OUT_IF_NONE, Rules, one_of
from gridworld.world.events import Closed, Event, Opened
from gridworld.world.mechanism_type import Explained, GridStateField, MechanismType, Trait
from gridworld.world.state import State
from gridworld.world.world import Entity, World

CLOSED, OPEN = "closed", "open"
VALUES = (CLOSED, OPEN)
ACTIVE = int(Trait.ACTIVE)
STEEL = (214, 222, 236)
"""Colour of gates, lighter than rock and than grey in every palette."""
BAR = 0.1
BARS = (0.225, 0.45, 0.675)
"""Left edges of the bars, of width `BAR`; the even gaps between them and the rims close simultaneously."""


@attrs.frozen
class GateSpec(Placed):
    """Task file entry of a gate; `color`, from older files, affects pictures only."""

    initial_state: str = attrs.field(default=CLOSED, validator=one_of(CLOSED, OPEN))
    color: str | None = attrs.field(default=None, converter=parse_optional_any_color, metadata={LEFT_OUT_IF_NONE: True})


def _traits(gate: GateSpec, value: str) -> Trait:
    return Trait.NONE if value == OPEN else Trait.SOLID | Trait.OPAQUE


def _glyph(gate: GateSpec, value: str) -> Glyph:
    metal = STEEL if gate.color is None else Tint(gate.color)
    posts = (Rectangle(0, 0, 0.1, 1, metal), Rectangle(0.9, 0, 1, 1, metal))
    if value == OPEN:
        stubs = tuple(Rectangle(left, 0, left + BAR, 0.16, metal) for left in BARS)
        return Glyph((*posts, *stubs))
    bars = tuple(Rectangle(left, 0, left + BAR, 1, metal) for left in BARS)
    rails = (Rectangle(0, 0.2, 1, 0.28, metal), Rectangle(0, 0.72, 1, 0.8, metal))
    return Glyph((*posts, *bars, *rails))


def _derive(world: World, state: State, gate: Entity) -> tuple[int, tuple[Event, ...]] | None:
    was_open = gate.value_name(state) == OPEN
    is_open = (
        gate.spec.initial_state == OPEN
        or any(world.traits_of(state, controller) & ACTIVE for controller in gate.controllers)
        or (was_open and world.is_occupied(state, gate.cells))
    )
    if is_open == was_open:
        return None
    change = Opened(gate.id, gate.cells) if is_open else Closed(gate.id, gate.cells)
    return VALUES.index(OPEN if is_open else CLOSED), (change,)


def _explains(gate: GateSpec, rules: Rules) -> Explained:
    looks = "closed: a grid of bars between two posts; open: the posts with stubs of bars at the top"
    stays = "A gate that is open at the start stays open."
    if gate.initial_state == OPEN:
        return Explained(stays, looks, states=(OPEN,))
    return Explained(
        looks=looks,
        does=(
            "A gate that is closed at the start is open while anything that controls it, such as a switch, is on, and "
            "closed otherwise; it does not close while something is in it.",
            "toggle has no effect on it, and nothing shows what controls it.",
            "A closed gate stops the agent and blocks sight; the agent can walk through an open one.",
        ),
    )


GATES = MechanismType(
    name="gates",
    noun="gate",
    summary="A barrier that only switches open.",
    spec=GateSpec,
    values=VALUES,
    initial=lambda spec, rules: str(spec.initial_state),
    traits=_traits,
    glyph=_glyph,
    controllable=True,
    derive=_derive,
    explains=_explains,
    grid_state=GridStateField("open_gates", lambda world, state, gate: gate.value_name(state) == OPEN),
    local=True,
    ignores_dropped=True,
)
"""The mechanism ``gates``."""
