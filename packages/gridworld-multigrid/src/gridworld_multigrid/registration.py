"""Registers the environment with Gymnasium when it is imported, which the first part of the id makes Gymnasium do.

``gymnasium.make("gridworld_multigrid.registration:MultiGrid-v0", task="puzzle.json", tiling="hex")``; many copies:
``gymnasium.make_vec("gridworld_multigrid.registration:MultiGrid-v0", num_envs=1024, task="puzzle.json", tiling="hex")``
"""

import gymnasium

__all__ = ["ENVIRONMENT_ID"]

ENVIRONMENT_ID = "gridworld_multigrid.registration:MultiGrid-v0"
"""What to give to ``gymnasium.make``."""

gymnasium.register(
    id=ENVIRONMENT_ID.split(":")[1],
    entry_point="gridworld_multigrid.env:make_environment",
    vector_entry_point="gridworld_multigrid.vector_env:make_vector_environment",
)
