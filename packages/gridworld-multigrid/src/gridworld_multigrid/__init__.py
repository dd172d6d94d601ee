"""Tasks on many tilings: squares, hexagons, triangles, 4.8.8, 3.4.6.4, and the tilings of other plugins.

`MultiGridBackend` shows a task to a model, `MultiGridEnv` is a Gymnasium environment, `VectorMultiGridEnv` is a batch
of them, and `Action` lists the native actions. They are imported on first use, so that listing this plugin imports
neither NumPy nor Gymnasium.

Importing this package registers ``gridworld/MultiGrid-v0`` with Gymnasium.
"""

from typing import TYPE_CHECKING

from gridworld.support.lazy import import_after, names_from

if TYPE_CHECKING:
    __version__: str

    from gridworld_multigrid.agent import Action
    from gridworld_multigrid.backend import MultiGridBackend
    from gridworld_multigrid.env import MultiGridEnv
    from gridworld_multigrid.vector_env import VectorMultiGridEnv

__all__ = ["Action", "MultiGridBackend", "MultiGridEnv", "VectorMultiGridEnv", "__version__"]

MODULES = {
    "Action": "agent",
    "MultiGridBackend": "backend",
    "MultiGridEnv": "env",
    "VectorMultiGridEnv": "vector_env",
}

__getattr__ = names_from(__name__, MODULES)

import_after("gymnasium.envs.registration", "gridworld_multigrid.registration")
