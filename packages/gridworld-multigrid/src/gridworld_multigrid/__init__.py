"""Tasks on many tilings: squares, hexagons, triangles, 4.8.8, 3.4.6.4 and whatever tilings others provide.

`MultiGridBackend` shows a task to a model, `MultiGridEnv` is one for Gymnasium, `Action` its native actions. They are
imported when first asked for, so that this package can be listed as a plugin without importing NumPy or Gymnasium.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from gridworld_multigrid._version import __version__

if TYPE_CHECKING:
    from gridworld_multigrid.agent import Action
    from gridworld_multigrid.backend import MultiGridBackend
    from gridworld_multigrid.env import MultiGridEnv

__all__ = ["Action", "MultiGridBackend", "MultiGridEnv", "__version__"]

LAZY = {"Action": "agent", "MultiGridBackend": "backend", "MultiGridEnv": "env"}


def __getattr__(name: str) -> Any:
    if name not in LAZY:
        raise AttributeError(f"module 'gridworld_multigrid' has no attribute '{name}'")
    return getattr(import_module(f"gridworld_multigrid.{LAZY[name]}"), name)
