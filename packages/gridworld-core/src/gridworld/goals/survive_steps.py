"""``survive_steps``: the agent is alive when the budget of steps is used up."""

from collections.abc import Callable, Iterator, Mapping

from gridworld.errors import Problem
from gridworld.task_spec import TaskSpecification
from gridworld.world.goal_type import GoalType
from gridworld.world.mechanism_type import Explained, TypedSpec
from gridworld.world.state import State
from gridworld.world.world import World

__all__ = ["SURVIVE_STEPS"]


def _reached(world: World) -> Callable[[State], bool]:
    return lambda state: state.steps >= world.max_steps


def _mission(world: World) -> str:
    return "stay alive until the last step"


def _validate(task: TaskSpecification, entries: Mapping[str, TypedSpec]) -> Iterator[Problem]:
    return iter(())


SURVIVE_STEPS = GoalType(
    name="survive_steps",
    summary="Be alive when the budget of steps, max_steps, is used up.",
    reached=_reached,
    mission=_mission,
    validate=_validate,
    explains=Explained("The mission is done if the agent is still alive when the budget of steps is used up."),
    reward=lambda step_count, max_steps: 1.0,
    agent_cells=lambda world: (),
    timed=True,
    only_at_last_step=True,
)
"""The agent is alive at the last step of its budget."""
