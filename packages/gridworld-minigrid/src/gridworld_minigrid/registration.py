"""Registers the environment with Gymnasium when it is imported, which the first part of the id makes Gymnasium do.

``gymnasium.make("gridworld_minigrid.registration:Gridworld-v0", task="puzzle.json")``, or many copies at once:
``gymnasium.make_vec("gridworld_minigrid.registration:Gridworld-v0", num_envs=1024, task="puzzle.json")``
"""

import gymnasium

__all__ = ["ENVIRONMENT_ID"]

ENVIRONMENT_ID = "gridworld_minigrid.registration:Gridworld-v0"
"""What to give to ``gymnasium.make``."""

gymnasium.register(
    id=ENVIRONMENT_ID.split(":")[1],
    entry_point="gridworld_minigrid.task_parser:make_environment",
    vector_entry_point="gridworld_minigrid.vector_env:make_vector_environment",
)
