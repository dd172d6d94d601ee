"""Tasks as real MiniGrid environments.

`TaskParser` makes a `CustomMiniGridEnv` from a specification, `MiniGridBackend` shows one to a model. They are imported
when first asked for, so that this package can be listed as a plugin without importing MiniGrid.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from gridworld_minigrid._version import __version__

if TYPE_CHECKING:
    from gridworld_minigrid.backend import MiniGridBackend
    from gridworld_minigrid.env import CustomMiniGridEnv
    from gridworld_minigrid.task_parser import TaskParser

__all__ = ["CustomMiniGridEnv", "MiniGridBackend", "TaskParser", "__version__"]

LAZY = {"CustomMiniGridEnv": "env", "MiniGridBackend": "backend", "TaskParser": "task_parser"}


def __getattr__(name: str) -> Any:
    if name not in LAZY:
        raise AttributeError(f"module 'gridworld_minigrid' has no attribute '{name}'")
    return getattr(import_module(f"gridworld_minigrid.{LAZY[name]}"), name)
