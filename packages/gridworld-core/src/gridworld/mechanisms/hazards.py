"""Hazards: lava, pits and spikes; stepping onto one ends the episode."""

import attrs

from gridworld.drawing.glyphs import Circle, Glyph, Line, Polygon, Rectangle, Shape
from gridworld.task.meanings import Placed
from gridworld.task_spec import Rules, one_of
from gridworld.world.mechanism_type import Explained, MechanismType, Trait

BLACK = (0, 0, 0)


@attrs.frozen
class HazardSpec(Placed):
    """Task file entry of a hazard."""

    hazard_type: str = attrs.field(default="lava", validator=one_of("lava", "pit", "spike"))


def _lava() -> tuple[Shape, ...]:
    waves = tuple(
        Line(x, y + rise, x + 0.2, y + 0.1 - rise, 0.03, BLACK)
        for y in (0.3, 0.5, 0.7)
        for x, rise in ((0.1, 0.0), (0.3, 0.1), (0.5, 0.0), (0.7, 0.1))
    )
    return (Rectangle(0, 0, 1, 1, (255, 128, 0)), *waves)


def _pit() -> tuple[Shape, ...]:
    return (
        Rectangle(0, 0, 1, 1, (140, 98, 58)),
        Circle(0.5, 0.5, 0.38, BLACK),
    )


def _spikes() -> tuple[Shape, ...]:
    base = Rectangle(0.04, 0.04, 0.96, 0.96, (175, 45, 55))
    points = tuple(
        Polygon(((x, y), (x + 0.12, y - 0.34), (x + 0.24, y)), (235, 235, 235))
        for y in (0.46, 0.9)
        for x in (0.1, 0.38, 0.66)
    )
    return (base, *points)


LOOKS = {"lava": Glyph(_lava()), "pit": Glyph(_pit()), "spike": Glyph(_spikes())}


IN_WORDS = {
    "lava": "orange with black waves",
    "pit": "brown with a round black hole",
    "spike": "dark red with two rows of pale points",
}


def _explains(hazard: HazardSpec, rules: Rules) -> Explained:
    return Explained(
        looks=IN_WORDS[hazard.hazard_type],
        does=(
            "It does not stop the agent, but stepping onto it ends the episode at once, without success.",
            "Blocks cannot be pushed onto it.",
        ),
    )


HAZARDS = MechanismType(
    name="hazards",
    noun="hazard",
    summary="Lava, a pit or spikes: stepping onto one ends the episode.",
    spec=HazardSpec,
    traits=Trait.DEADLY,
    adjective=lambda spec, value: str(spec.hazard_type),
    glyph=lambda spec, value: LOOKS[spec.hazard_type],
    explains=_explains,
    local=True,
    ignores_dropped=True,
)
"""The mechanism ``hazards``."""
