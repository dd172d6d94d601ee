"""Tasks as real MiniGrid environments.

`TaskParser` makes a `CustomMiniGridEnv` from a specification, `VectorGridEnv` is a batch of them, and `MiniGridBackend`
shows one to a model. They are imported on first use, so that listing this plugin does not import MiniGrid.

Importing this package registers ``gridworld/MiniGrid-v0`` with Gymnasium, and an id for each suite of this toolkit,
such as ``gridworld/validation_10-v0``.
"""

from typing import TYPE_CHECKING

from gridworld.support.lazy import import_after, names_from

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

import_after("gymnasium.envs.registration", "gridworld_minigrid.registration")
