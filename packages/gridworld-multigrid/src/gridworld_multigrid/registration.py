"""Gymnasium id of environments on tilings, registered on import.

Importing `gridworld_multigrid` is sufficient; this module is also imported together with Gymnasium.
"""

from gymnasium.envs.registration import register

ENVIRONMENT_ID = "gridworld/MultiGrid-v0"
"""Environment id; ``task`` is a task, a file, ``SUITE/TASK_ID``, a suite, or several, played on ``tiling``."""

register(
    id=ENVIRONMENT_ID,
    entry_point="gridworld_multigrid.env:make_environment",
    vector_entry_point="gridworld_multigrid.vector_env:make_vector_environment",
)
