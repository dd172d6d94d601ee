"""The core of multinet-gridworld, with shortcuts for loading, solving, generating and drawing tasks.

    >>> import gridworld
    >>> task = gridworld.load("tiers/t1_01_open_room")
    >>> gridworld.solve(task, tiling="hex").length
    7

Importing this package is cheap: each function loads its dependencies on first access. Everything else is in the modules
below (``gridworld.task_spec``, ``gridworld.world``, ``gridworld.solver``, ...).
"""

from typing import TYPE_CHECKING

from gridworld._version import __version__

__all__ = ["__version__", "compile", "distances", "generate", "load", "make", "render", "solve", "suite"]

if TYPE_CHECKING:
    # `compile` as in `re`, which also has one
    from gridworld.shortcuts import compile, distances, generate, load, make, render, solve, suite  # noqa: A004
else:

    def __getattr__(name):
        """Import a function on first access.

        `gridworld.support.lazy` does this for the packages below, but importing it here could deadlock threads that
        import this package at the same time.
        """
        if name not in __all__:
            raise AttributeError(f"module 'gridworld' has no attribute '{name}'")
        from gridworld import shortcuts

        return globals().setdefault(name, getattr(shortcuts, name))

    def __dir__():
        """List all public names, imported or not, for tab completion."""
        return sorted({*globals(), *__all__})
