"""The core of multinet-gridworld, and what a first hour with it needs.

>>> import gridworld
>>> task = gridworld.load("tiers/t1_01_open_room")
>>> gridworld.solve(task, tiling="hex").length
7

Nothing heavy is imported until one of the functions is asked for; all else is in the modules below
(``gridworld.task_spec``, ``gridworld.world``, ``gridworld.solver``, ...).
"""

from typing import TYPE_CHECKING

from gridworld._version import __version__
from gridworld.support.lazy import names_from

if TYPE_CHECKING:
    from gridworld.shortcuts import compile, distances, generate, load, make, render, solve, suite  # noqa: A004

__all__ = ["__version__", "compile", "distances", "generate", "load", "make", "render", "solve", "suite"]

MODULES = dict.fromkeys(["compile", "distances", "generate", "load", "make", "render", "solve", "suite"], "shortcuts")

__getattr__ = names_from(__name__, MODULES)
