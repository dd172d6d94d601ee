"""``reach_position``: the agent is anywhere in the target's patch."""

from collections.abc import Callable, Iterator, Mapping

from gridworld.errors import Problem
from gridworld.task_spec import Position, TaskSpecification
from gridworld.world.goal_type import GoalType, Marker
from gridworld.world.mechanism_type import Explained, TypedSpec
from gridworld.world.state import State
from gridworld.world.world import World

__all__ = ["REACH_POSITION"]


def _target(task: TaskSpecification) -> Position:
    return task.goal.target or task.maze.goal


def _reached(world: World) -> Callable[[State], bool]:
    target = frozenset(world.topology.patches[_target(world.task)])
    return lambda state: state[0] in target


def _mission(world: World) -> str:
    return "reach the goal"


def _markers(task: TaskSpecification) -> tuple[Marker, ...]:
    return (Marker(_target(task), "goal"),)


def _validate(task: TaskSpecification, entries: Mapping[str, TypedSpec]) -> Iterator[Problem]:
    if _target(task) == task.maze.start:
        yield Problem("target", f"{list(_target(task))} is where the agent starts")


REACH_POSITION = GoalType(
    name="reach_position",
    summary="Stand on the target cell.",
    fields=("target",),
    reached=_reached,
    mission=_mission,
    markers=_markers,
    explains=Explained("The mission is done as soon as the agent stands on the goal."),
    validate=_validate,
    agent_cells=lambda world: world.topology.patches[_target(world.task)],
    ignores_dropped=True,
)
"""The agent is in the patch of the target, which is ``maze.goal`` where none is given."""
