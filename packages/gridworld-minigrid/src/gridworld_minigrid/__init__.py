"""Tasks as real MiniGrid environments.

`TaskParser` makes a `CustomMiniGridEnv` from a specification, `VectorGridEnv` is a batch of them, and `MiniGridBackend`
shows one to a model. They are imported on first use.

Importing this package registers ``gridworld/MiniGrid-v0`` with Gymnasium, and an id for each suite of this toolkit,
such as ``gridworld/validation_10-v0``.
"""

from typing import TYPE_CHECKING

from gymnasium.envs.registration import register

from gridworld.plugins.known_plugins import PROVIDERS
from gridworld.support.lazy import names_from

if TYPE_CHECKING:
    __version__: str

    from gridworld_minigrid.backend import MiniGridBackend
    from gridworld_minigrid.env import CustomMiniGridEnv, TaskParser
    from gridworld_minigrid.vector_env import VectorGridEnv

__all__ = ["CustomMiniGridEnv", "MiniGridBackend", "TaskParser", "VectorGridEnv", "__version__"]

MODULES = {
    "CustomMiniGridEnv": "env",
    "MiniGridBackend": "backend",
    "TaskParser": "env",
    "VectorGridEnv": "vector_env",
}

__getattr__ = names_from(__name__, MODULES)

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
