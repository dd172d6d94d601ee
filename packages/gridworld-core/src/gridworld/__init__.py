"""The core of multinet-gridworld: what a task is, what happens in it, and how plugins join in.

Nothing heavy is imported here; import the module you need (``gridworld.task_spec``,
``gridworld.world``, ``gridworld.solver``, ...).
"""

from gridworld._version import __version__

__all__ = ["__version__"]
