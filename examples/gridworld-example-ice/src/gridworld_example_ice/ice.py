"""Ice: whoever enters slides on in the direction of travel until something stops it."""

import attrs

from gridworld.hookspecs import (
    Entity,
    Glyph,
    Line,
    MechanismType,
    Moved,
    Outcome,
    Position,
    Rectangle,
    State,
    Trait,
    World,
    to_position,
)

__all__ = ["ICE", "IceSpec"]

PALE, WHITE = (170, 215, 240), (240, 250, 255)


@attrs.frozen
class IceSpec:
    """A cell of ice in a task file."""

    id: str
    position: Position = attrs.field(converter=to_position)


def _glyph(ice: IceSpec, value: str) -> Glyph:
    streaks = (Line(0.2, 0.5, 0.5, 0.2, 0.03, WHITE), Line(0.45, 0.8, 0.8, 0.45, 0.03, WHITE))
    return Glyph((Rectangle(0, 0, 1, 1, PALE), *streaks))


def _slide(world: World, state: State, ice: Entity) -> Outcome | None:
    """One cell further; the rules then let the cell that the agent has come to act on it in turn."""
    beyond = world.exits[state.cell * world.headings + state.heading]
    return (state.at(beyond), (Moved(state.cell, beyond),)) if world.is_free(state, beyond) else None


ICE = MechanismType(
    name="ice",
    noun="sheet of ice",
    summary="Whoever enters slides on in the direction of travel.",
    spec=IceSpec,
    traits=lambda ice, value: Trait.NONE,
    glyph=_glyph,
    on_enter=_slide,
    local=True,
)
