"""Waypoints: floors that remember that they have been visited, in the order of their numbers."""

import attrs

from gridworld.hookspecs import (
    Changed,
    Circle,
    Entity,
    Glyph,
    MechanismType,
    Outcome,
    Position,
    Rectangle,
    State,
    Trait,
    World,
    to_position,
)

__all__ = ["VISITED", "WAYPOINTS", "WaypointSpec", "waypoints_of"]

VALUES = ("unvisited", "visited")
VISITED = VALUES.index("visited")
PLATES, PIP = {"unvisited": (90, 60, 20), "visited": (30, 120, 60)}, (255, 220, 120)


@attrs.frozen
class WaypointSpec:
    """A waypoint in a task file; `number` says when it is to be visited."""

    id: str
    position: Position = attrs.field(converter=to_position)
    number: int = attrs.field(validator=attrs.validators.in_(range(1, 10)))


def waypoints_of(world: World) -> list[Entity]:
    """All waypoints of a world."""
    return [entity for entity in world.entities if isinstance(entity.spec, WaypointSpec)]


def _visit(world: World, state: State, waypoint: Entity) -> Outcome | None:
    earlier = (other for other in waypoints_of(world) if other.spec.number < waypoint.spec.number)
    if state.values[waypoint.index] == VISITED or any(state.values[other.index] != VISITED for other in earlier):
        return None
    return state.with_value(waypoint.index, VISITED), (Changed(waypoint.id, waypoint.cells, "visited"),)


def _glyph(waypoint: WaypointSpec, value: str) -> Glyph:
    """As many pips as its number says, in rows of three."""
    places = [(0.28 + 0.22 * (pip % 3), 0.28 + 0.22 * (pip // 3)) for pip in range(waypoint.number)]
    pips = (Circle(x, y, 0.08, PIP) for x, y in places)
    return Glyph((Rectangle(0, 0, 1, 1, PLATES[value]), *pips))


WAYPOINTS = MechanismType(
    name="waypoints",
    noun="waypoint",
    summary="Remembers that it has been visited, after those with smaller numbers.",
    spec=WaypointSpec,
    values=VALUES,
    traits=lambda waypoint, value: Trait.NONE,
    glyph=_glyph,
    adjective=lambda waypoint, value: f"{value} number-{waypoint.number}",
    on_enter=_visit,
)
