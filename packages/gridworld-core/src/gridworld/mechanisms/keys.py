"""Keys: solid objects that can be carried, and that open doors of their colour."""

import attrs

from gridworld.drawing.glyphs import Circle, Glyph, Rectangle, Tint
from gridworld.task.colors import parse_color
from gridworld.task.meanings import Placed
from gridworld.task_spec import Rules
from gridworld.world.events import Event
from gridworld.world.mechanism_type import Collected, Explained, GridStateField, MechanismType, Trait
from gridworld.world.state import State
from gridworld.world.world import Entity, World

UNTOUCHED, COLLECTED, USED = "untouched", "collected", "used"
VALUES = (UNTOUCHED, COLLECTED, USED)


@attrs.frozen
class KeySpec(Placed):
    """Task file entry of a key."""

    color: str = attrs.field(converter=parse_color)


def _glyph(spec: KeySpec, value: str) -> Glyph:
    color = Tint(spec.color)
    return Glyph(
        (
            Rectangle(0.50, 0.31, 0.63, 0.88, color),
            Rectangle(0.38, 0.59, 0.50, 0.66, color),
            Rectangle(0.38, 0.81, 0.50, 0.88, color),
            Circle(0.56, 0.28, 0.19, color),
            Circle(0.56, 0.28, 0.064, (0, 0, 0)),
        )
    )


def _on_pickup(world: World, state: State, key: Entity) -> tuple[State, tuple[Event, ...]]:
    return state.with_value(key.index, VALUES.index(COLLECTED)), ()


def _explains(key: KeySpec, rules: Rules) -> Explained:
    after = "is used up by that" if rules.key_consumption else "is kept"
    return Explained(
        looks="a key in its colour",
        does=(
            "It stops the agent, which cannot walk over it; pickup takes it if the agent faces it.",
            f"While the agent carries it, it opens a locked door of its colour and {after}.",
        ),
    )


KEYS = MechanismType(
    name="keys",
    noun="key",
    summary="Can be carried; opens locked doors of its colour.",
    spec=KeySpec,
    values=VALUES,
    traits=Trait.SOLID | Trait.PORTABLE,
    glyph=_glyph,
    adjective="",
    fills_patch=False,
    color=lambda spec: str(spec.color),
    on_pickup=_on_pickup,
    collected=Collected("pick up", (COLLECTED, USED)),
    explains=_explains,
    grid_state=GridStateField("collected_keys", lambda world, state, key: key.value_name(state) != UNTOUCHED),
    local=True,
    ignores_dropped=True,
)
"""The mechanism ``keys``."""
