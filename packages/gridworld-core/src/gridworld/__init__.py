"""The core of multinet-gridworld, and what a first hour with it needs.

>>> import gridworld
>>> task = gridworld.load("tiers/t1_01_open_room")
>>> gridworld.solve(task, tiling="hex").length
7

Nothing heavy is imported until one of the functions is accessed; all else is in the modules below
(``gridworld.task_spec``, ``gridworld.world``, ``gridworld.solver``, ...).
"""

from typing import TYPE_CHECKING

from gridworld._version import __version__

__all__ = ["__version__", "compile", "distances", "generate", "load", "make", "render", "solve", "suite"]

if TYPE_CHECKING:
    # `compile` as in `re`, which also has one
    from gridworld.shortcuts import compile, distances, generate, load, make, render, solve, suite  # noqa: A004
else:

    def __getattr__(name):
        """Import a function when it is first accessed.

        `gridworld.support.lazy` does the same for packages below this one. To import it here would be to import a part
        of this package while the package is imported, which can stop threads that import it at once.
        """
        if name not in __all__:
            raise AttributeError(f"module 'gridworld' has no attribute '{name}'")
        from gridworld import shortcuts

        return globals().setdefault(name, getattr(shortcuts, name))

    def __dir__():
        """List all names that are offered, imported or not, for completion."""
        return sorted({*globals(), *__all__})
