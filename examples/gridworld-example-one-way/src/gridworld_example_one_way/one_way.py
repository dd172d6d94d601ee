"""One-way floors: entered in one direction of the lattice only, left in every direction."""

import attrs

from gridworld.hookspecs import (
    STEPS,
    Entity,
    Explained,
    Glyph,
    MechanismType,
    Placed,
    Polygon,
    Rectangle,
    State,
    Trait,
    World,
    direction_field,
)

__all__ = ["ONE_WAY", "OneWaySpec"]

PLATE, CHALK = (40, 60, 110), (230, 230, 230)
HEADS = tuple(Polygon(((tip, 0.5), (tip - 0.25, 0.25), (tip - 0.25, 0.75)), CHALK) for tip in (0.45, 0.75))
RIGHTWARD = Glyph((Rectangle(0, 0, 1, 1, PLATE), *HEADS))


@attrs.frozen
class OneWaySpec(Placed):
    """A one-way floor in a task file; `direction` is that in which it is entered."""

    direction: str = direction_field(words=True)


def _admits(world: World, state: State, floor: Entity) -> bool:
    """From the lattice cell behind it; an agent that is on it already moves about freely."""
    (x, y), (dx, dy) = floor.spec.position, STEPS[floor.spec.direction]
    return world.topology.lattice[state.cell] in ((x, y), (x - dx, y - dy))


ONE_WAY = MechanismType(
    name="one_way",
    noun="one-way floor",
    summary="A floor that can be entered in one direction only.",
    spec=OneWaySpec,
    traits=Trait.NONE,
    glyph=lambda floor, value: RIGHTWARD.pointing(floor.direction),
    adjective=lambda floor, value: f"{floor.direction}ward",
    admits=_admits,
    explains=Explained(
        looks="dark blue, with two white arrowheads that point in its direction",
        does=(
            "It can be entered from the place behind its arrowheads alone, in the direction in which they point.",
            "It can be left in every direction.",
        ),
    ),
    local=True,
    ignores_dropped=True,
)
