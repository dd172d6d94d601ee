"""Conveyor belts: they carry the agent and movable things on by one lattice cell in every step."""

import attrs

from gridworld.hookspecs import (
    MEANING,
    Entity,
    Explained,
    Glyph,
    Meaning,
    MechanismType,
    Polygon,
    Position,
    Rectangle,
    Rules,
    State,
    Trait,
    World,
    to_position,
)

__all__ = ["BELTS", "BeltSpec"]

STEPS = ((1, 0), (0, 1), (-1, 0), (0, -1))
WORDS = ("rightward", "downward", "leftward", "upward")
RUBBER, CHALK = (55, 55, 60), (235, 200, 60)


@attrs.frozen
class BeltSpec:
    """A cell of a conveyor belt in a task file; `direction` is 0 right, 1 down, 2 left or 3 up."""

    id: str
    position: Position = attrs.field(converter=to_position)
    direction: int = attrs.field(validator=attrs.validators.in_(range(4)), metadata={MEANING: Meaning.DIRECTION})


def _carries(world: World, state: State, belt: Entity) -> int:
    """Always on; the kernel settles who gets where when several are carried at once."""
    direction: int = belt.spec.direction
    return direction


def _glyph(belt: BeltSpec, value: str) -> Glyph:
    """Three chevrons that point in its direction."""
    dx, dy = STEPS[belt.direction]
    chevrons = []
    for shift in (-0.1, 0.15, 0.4):
        x, y = 0.5 + shift * dx, 0.5 + shift * dy
        back = [(x - 0.12 * dx - each * dy, y - 0.12 * dy + each * dx) for each in (0.25, -0.25)]
        notch = (x - 0.06 * dx, y - 0.06 * dy)
        chevrons.append(Polygon(((x, y), back[0], notch, back[1]), CHALK))
    return Glyph((Rectangle(0, 0, 1, 1, RUBBER), *chevrons))


def _explains(belt: BeltSpec, rules: Rules) -> Explained:
    return Explained(
        looks="dark grey, with three yellow chevrons that point where it carries",
        does=(
            "After each action it carries the agent or a block on it on by one place, unless something is in the "
            "way there.",
            "The agent goes on facing as it did, and what it comes to acts as if it had walked there.",
        ),
    )


BELTS = MechanismType(
    name="belts",
    noun="conveyor belt",
    summary="Carries what is on it on by one cell in every step.",
    spec=BeltSpec,
    traits=lambda belt, value: Trait.TAKES_BLOCKS,
    glyph=_glyph,
    adjective=lambda belt, value: WORDS[belt.direction],
    carries=_carries,
    explains=_explains,
    local=True,
    ignores_dropped=True,
)
