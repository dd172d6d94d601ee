"""Task specifications of stock MiniGrid environments, read off their grids."""

from collections.abc import Callable, Mapping
from typing import Any

import gymnasium
import minigrid  # noqa: F401  (registers its environments with Gymnasium)
from minigrid.core.world_object import WorldObj
from minigrid.minigrid_env import MiniGridEnv

from gridworld.task_spec import TaskSpecification

__all__ = ["REACH_GOAL", "door_state", "make_stock", "task_of"]

REACH_GOAL: Mapping[str, Any] = {"type": "reach_position"}
Cell = list[int]


def make_stock(name: str, seed: int, max_steps: int | None = None, view_size: int = 7) -> MiniGridEnv:
    """A stock environment at the start of an episode.

    The agent faces right as every agent of ours does, and does not see through walls: Empty lets it, to be faster.

    Args:
        name: its id without the ``MiniGrid-`` in front.
        seed: what it is reset with.
        max_steps: a step budget other than its own.
        view_size: cells along a side of the agent's field of view.
    """
    env = gymnasium.make(f"MiniGrid-{name}", disable_env_checker=True, agent_view_size=view_size).unwrapped
    assert isinstance(env, MiniGridEnv)
    env.reset(seed=seed)
    env.agent_dir = 0
    env.see_through_walls = False
    if max_steps is not None:
        env.max_steps = max_steps
    return env


def task_of(env: MiniGridEnv, goal: Mapping[str, Any] = REACH_GOAL) -> TaskSpecification:
    """The task whose maze is the present grid of a stock environment.

    Raises:
        KeyError: the grid has an object that no mechanism stands for.
    """
    objects: dict[str, list[tuple[Cell, WorldObj]]] = {}
    for index, thing in enumerate(env.grid.grid):
        if thing is not None:
            y, x = divmod(index, env.grid.width)
            objects.setdefault(thing.type, []).append(([x, y], thing))
    walls = [cell for cell, _ in objects.pop("wall")]
    ((goal_cell, _),) = objects.pop("goal")
    mechanisms: dict[str, list[dict[str, Any]]] = {}
    for kind, placed in objects.items():
        plural, fields_of = MECHANISM_OF[kind]
        mechanisms[plural] = [
            {"id": f"{kind} {x} {y}", "position": [x, y], **fields_of(thing)} for (x, y), thing in placed
        ]
    return TaskSpecification.from_dict(
        {
            "task_id": type(env).__name__,
            "seed": 0,
            "difficulty_tier": 1,
            "maze": {
                "dimensions": [env.grid.width, env.grid.height],
                "walls": walls,
                "start": [int(each) for each in env.agent_pos],
                "goal": goal_cell,
            },
            "mechanisms": mechanisms,
            "rules": {"key_consumption": False, "view_size": env.agent_view_size},  # in MiniGrid keys stay in the hand
            "goal": dict(goal),
            "max_steps": env.max_steps,
        }
    )


def door_state(door: Any) -> str:
    """The state of one of MiniGrid's doors, in the words of a task file."""
    return "open" if door.is_open else "locked" if door.is_locked else "closed"


MECHANISM_OF: dict[str, tuple[str, Callable[[Any], dict[str, Any]]]] = {
    "key": ("keys", lambda key: {"color": key.color}),
    "door": ("doors", lambda door: {"requires_key": door.color, "initial_state": door_state(door)}),
    "lava": ("hazards", lambda lava: {"hazard_type": "lava"}),
}
"""MiniGrid's type of an object to the mechanism that stands for it, and what tells its fields."""
