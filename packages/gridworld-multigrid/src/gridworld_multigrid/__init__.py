"""Tasks on many tilings: squares, hexagons, triangles, 4.8.8, 3.4.6.4, and the tilings of other plugins.

`MultiGridBackend` shows a task to a model, `MultiGridEnv` is a Gymnasium environment, `VectorMultiGridEnv` is a batch
of them, and `Action` lists the native actions. `multigrid_env` makes an environment of the package ``multigrid`` from
PyPI. They are imported on first use.

Importing this package registers ``gridworld/MultiGrid-v0`` with Gymnasium.
"""

from typing import TYPE_CHECKING

from gymnasium.envs.registration import register

from gridworld.support.lazy import names_from

if TYPE_CHECKING:
    __version__: str

    from gridworld_multigrid.agent import Action
    from gridworld_multigrid.backend import MultiGridBackend
    from gridworld_multigrid.env import MultiGridEnv
    from gridworld_multigrid.pypi_package import multigrid_env
    from gridworld_multigrid.vector_env import VectorMultiGridEnv

__all__ = ["Action", "MultiGridBackend", "MultiGridEnv", "VectorMultiGridEnv", "__version__", "multigrid_env"]

MODULES = {
    "Action": "agent",
    "MultiGridBackend": "backend",
    "MultiGridEnv": "env",
    "VectorMultiGridEnv": "vector_env",
    "multigrid_env": "pypi_package",
}

__getattr__ = names_from(__name__, MODULES)

ENVIRONMENT_ID = "gridworld/MultiGrid-v0"
"""Environment id; ``task`` is a task, a file, ``SUITE/TASK_ID``, a suite, or several, played on ``tiling``."""

register(
    id=ENVIRONMENT_ID,
    entry_point="gridworld_multigrid.env:make_environment",
    vector_entry_point="gridworld_multigrid.vector_env:make_vector_environment",
)
