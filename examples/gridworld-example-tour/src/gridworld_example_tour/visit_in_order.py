"""``visit_in_order``: all waypoints have been visited; they count in the order of their numbers alone."""

from collections.abc import Callable, Iterator

from gridworld.hookspecs import GoalType, Problem, State, TaskSpecification, World
from gridworld_example_tour.waypoints import VISITED, waypoints_of

__all__ = ["VISIT_IN_ORDER"]


def _reached(world: World) -> Callable[[State], bool]:
    wanted = [waypoint.index for waypoint in waypoints_of(world)]
    return lambda state: all(state.values[index] == VISITED for index in wanted)


def _validate(task: TaskSpecification) -> Iterator[Problem]:
    if not task.mechanisms.waypoints:
        yield Problem("type", "the task has no waypoints to visit")


VISIT_IN_ORDER = GoalType(
    name="visit_in_order",
    summary="Visit all waypoints in the order of their numbers.",
    reached=_reached,
    mission=lambda task: "visit the waypoints in order, from one pip upwards",
    validate=_validate,
)
