"""One-way floors: entered in one direction of the lattice only, left in every direction."""

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
    one_of,
    to_position,
)

__all__ = ["ONE_WAY", "OneWaySpec"]

STEPS = {"right": (1, 0), "down": (0, 1), "left": (-1, 0), "up": (0, -1)}
PLATE, CHALK = (40, 60, 110), (230, 230, 230)


@attrs.frozen
class OneWaySpec:
    """A one-way floor in a task file; `direction` is that in which it is entered."""

    id: str
    position: Position = attrs.field(converter=to_position)
    direction: str = attrs.field(validator=one_of(*STEPS), metadata={MEANING: Meaning.DIRECTION})


def _admits(world: World, state: State, floor: Entity) -> bool:
    """From the lattice cell behind it; an agent that is on it already moves about freely."""
    (x, y), (dx, dy) = floor.spec.position, STEPS[floor.spec.direction]
    return world.topology.lattice[state.cell] in ((x, y), (x - dx, y - dy))


def _glyph(floor: OneWaySpec, value: str) -> Glyph:
    """Two arrowheads that point in its direction."""
    dx, dy = STEPS[floor.direction]
    heads = []
    for shift in (-0.05, 0.25):
        x, y = 0.5 + shift * dx, 0.5 + shift * dy
        wings = ((x - 0.25 * (dx - dy), y - 0.25 * (dy + dx)), (x - 0.25 * (dx + dy), y - 0.25 * (dy - dx)))
        heads.append(Polygon(((x, y), *wings), CHALK))
    return Glyph((Rectangle(0, 0, 1, 1, PLATE), *heads))


def _explains(floor: OneWaySpec, rules: Rules) -> Explained:
    return Explained(
        looks="dark blue, with two white arrowheads that point in its direction",
        does=(
            "It can be entered from the place behind its arrowheads alone, in the direction in which they point.",
            "It can be left in every direction.",
        ),
    )


ONE_WAY = MechanismType(
    name="one_way",
    noun="one-way floor",
    summary="A floor that can be entered in one direction only.",
    spec=OneWaySpec,
    traits=lambda floor, value: Trait.NONE,
    glyph=_glyph,
    adjective=lambda floor, value: f"{floor.direction}ward",
    admits=_admits,
    explains=_explains,
    local=True,
    ignores_dropped=True,
)
