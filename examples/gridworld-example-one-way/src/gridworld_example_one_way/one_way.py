"""One-way floors: entered in one direction of the lattice only, left in every direction."""

import attrs

from gridworld.hookspecs import (
    DIRECTION_WORDS,
    STEPS,
    Explained,
    Glyph,
    MechanismType,
    Placed,
    Polygon,
    Rectangle,
    Trait,
    direction_field,
)

__all__ = ["ONE_WAY", "OneWaySpec"]

PLATE, CHALK = (40, 60, 110), (230, 230, 230)
HEADS = tuple(Polygon(((tip, 0.5), (tip - 0.25, 0.25), (tip - 0.25, 0.75)), CHALK) for tip in (0.45, 0.75))
RIGHTWARD = Glyph((Rectangle(0, 0, 1, 1, PLATE), *HEADS))


@attrs.frozen
class OneWaySpec(Placed):
    """A one-way floor in a task file; `direction` is that in which it is entered."""

    direction: int = direction_field()

    @property
    def entrances(self) -> tuple[tuple[int, int], ...]:
        """The lattice cell behind it, and its own: an agent that is on it already moves about freely."""
        (x, y), (dx, dy) = self.position, STEPS[self.direction]
        return (x - dx, y - dy), (x, y)


ONE_WAY = MechanismType(
    name="one_way",
    noun="one-way floor",
    summary="A floor that can be entered in one direction only.",
    spec=OneWaySpec,
    traits=Trait.NONE,
    glyph=lambda floor, value: RIGHTWARD.pointing(floor.direction),
    adjective=lambda floor, value: f"{DIRECTION_WORDS[floor.direction]}ward",
    admits=lambda world, state, floor: world.topology.lattice[state.cell] in floor.spec.entrances,
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
