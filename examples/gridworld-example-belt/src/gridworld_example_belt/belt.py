"""Conveyor belts: they carry the agent and movable things on by one lattice cell in every step."""

import attrs

from gridworld.hookspecs import (
    DIRECTION_WORDS,
    Explained,
    Glyph,
    MechanismType,
    Placed,
    Polygon,
    Rectangle,
    Trait,
    direction_field,
)

__all__ = ["BELTS", "BeltSpec"]

RUBBER, CHALK = (55, 55, 60), (235, 200, 60)
CHEVRONS = tuple(
    Polygon(((tip, 0.5), (tip - 0.12, 0.75), (tip - 0.06, 0.5), (tip - 0.12, 0.25)), CHALK) for tip in (0.4, 0.65, 0.9)
)
RIGHTWARD = Glyph((Rectangle(0, 0, 1, 1, RUBBER), *CHEVRONS))


@attrs.frozen
class BeltSpec(Placed):
    """A cell of a conveyor belt in a task file; `direction` is 0 right, 1 down, 2 left or 3 up."""

    direction: int = direction_field()


BELTS = MechanismType(
    name="belts",
    noun="conveyor belt",
    summary="Carries what is on it on by one cell in every step.",
    spec=BeltSpec,
    traits=Trait.TAKES_BLOCKS,
    glyph=lambda belt, value: RIGHTWARD.pointing(belt.direction),
    adjective=lambda belt, value: f"{DIRECTION_WORDS[belt.direction]}ward",
    carries=lambda world, state, belt: int(belt.spec.direction),
    explains=Explained(
        looks="dark grey, with three yellow chevrons that point where it carries",
        does=(
            "After each action it carries the agent or a block on it on by one place, unless something is in the "
            "way there.",
            "The agent goes on facing as it did, and what it comes to acts as if it had walked there.",
        ),
    ),
    local=True,
    ignores_dropped=True,
)
