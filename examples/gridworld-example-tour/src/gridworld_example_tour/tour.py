"""``tour``: all waypoints have been visited, in their order or in any, and the agent is back where it has to be.

What has been visited is the goal's memory: the waypoints so far, in a tuple, which is part of the state.
"""

from collections.abc import Callable, Iterator, Mapping

import attrs

from gridworld.hookspecs import (
    Event,
    Explained,
    GoalType,
    Marker,
    Position,
    Problem,
    State,
    TaskSpecification,
    TypedSpec,
    World,
    cells_entered,
    place_in_words,
    to_positions,
)

__all__ = ["TOUR", "TourFields"]

Memory = tuple[Position, ...]


@attrs.frozen
class TourFields:
    """What a task file says of a tour, beside its type."""

    waypoints: tuple[Position, ...] = attrs.field(converter=to_positions)
    in_order: bool = False
    """Whether a waypoint counts only after those listed before it."""
    come_back: bool = False
    """Whether the tour ends at the start."""


def _fields(task: TaskSpecification) -> TourFields:
    return TourFields(**task.goal.parameters)


def _visit(tour: TourFields, visited: Memory, place: Position) -> Memory:
    """The waypoints visited once the agent has come to a lattice cell; sorted where their order means nothing."""
    if tour.in_order:
        following = tour.waypoints[len(visited) : len(visited) + 1]
        return (*visited, *following) if following == (place,) else visited
    return tuple(sorted({*visited, place})) if place in tour.waypoints else visited


def _remember(world: World) -> Callable[[State, tuple[Event, ...]], Memory]:
    tour, lattice = _fields(world.task), world.topology.lattice

    def remember(state: State, events: tuple[Event, ...]) -> Memory:
        visited: Memory = state.memory
        for cell in cells_entered(events):
            visited = _visit(tour, visited, lattice[cell])
        return visited

    return remember


def _reached(world: World) -> Callable[[State], bool]:
    tour = _fields(world.task)
    last = world.topology.patches[world.task.maze.start] if tour.come_back else range(world.topology.cell_count)
    count = len(tour.waypoints)
    return lambda state: len(state.memory) == count and state.cell in last


def _agent_cells(world: World) -> frozenset[int]:
    """The patches of the waypoints, and of the start of a tour that ends there."""
    tour, patches = _fields(world.task), world.topology.patches
    places = (*tour.waypoints, world.task.maze.start) if tour.come_back else tour.waypoints
    return frozenset(cell for place in places for cell in patches[place])


def _mission(world: World) -> str:
    tour = _fields(world.task)
    listed = tour.waypoints if tour.in_order else sorted(tour.waypoints)
    order = "in this order" if tour.in_order else "in any order"
    back = ", and come back to the start" if tour.come_back else ""
    return f"visit {', '.join(map(place_in_words, listed))}, {order}{back}"


def _validate(task: TaskSpecification, entries: Mapping[str, TypedSpec]) -> Iterator[Problem]:
    tour, maze = _fields(task), task.maze
    if not tour.waypoints:
        yield Problem("waypoints", "names no cell to visit")
    for number, place in enumerate(tour.waypoints):
        if not maze.contains(place) or place in maze.wall_cells():
            yield Problem(f"waypoints[{number}]", f"{list(place)} is a wall or outside the maze")
        if place in tour.waypoints[:number]:
            yield Problem(f"waypoints[{number}]", f"{list(place)} is named twice")


TOUR = GoalType(
    name="tour",
    summary="Visit cells, in their order or in any, and come back if need be.",
    parameters=TourFields,
    initial_memory=lambda world: _visit(_fields(world.task), (), world.task.maze.start),
    remember=_remember,
    reached=_reached,
    mission=_mission,
    validate=_validate,
    markers=lambda task: tuple(Marker(waypoint) for waypoint in _fields(task).waypoints),
    visited=lambda world, memory: memory,
    explains=Explained(
        "The mission is done as soon as the agent has been on every place that it names, in the order that it says, "
        "and is back at the start if it says so."
    ),
    agent_cells=_agent_cells,
    ignores_dropped=True,
)
