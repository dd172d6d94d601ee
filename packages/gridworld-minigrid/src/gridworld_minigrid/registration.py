"""Gymnasium ids of the environments, registered on import.

Importing `gridworld_minigrid` is sufficient; this module is also imported together with Gymnasium.
"""

from gymnasium.envs.registration import register

from gridworld.plugins.known_plugins import PROVIDERS

ENVIRONMENT_ID = "gridworld/MiniGrid-v0"
"""Environment id; ``task`` is a task, a file path, ``SUITE/TASK_ID``, a suite, or several of these."""
SUITE_IDS = {f"gridworld/{name}-v0": name for kind, name in PROVIDERS if kind == "benchmark"}
"""Environment ids of suites; each reset draws a task from the suite."""

for _id, _arguments in {ENVIRONMENT_ID: {}, **{each: {"task": suite} for each, suite in SUITE_IDS.items()}}.items():
    register(
        id=_id,
        entry_point="gridworld_minigrid.env:make_environment",
        vector_entry_point="gridworld_minigrid.vector_env:make_vector_environment",
        kwargs=_arguments,
    )
