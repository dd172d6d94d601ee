"""Families of grid puzzles, and tools for writing more of them.

The names of this package are imported on first use, so that listing this package as a plugin costs nothing.
"""

from typing import TYPE_CHECKING

from gridworld.support.lazy import names_from

if TYPE_CHECKING:
    __version__: str

    from gridworld_generators.families.family import Family
    from gridworld_generators.tools.dice import Dice
    from gridworld_generators.tools.sketch import Sketch

__all__ = ["Dice", "Family", "Sketch", "__version__"]

MODULES = {
    "Family": "families.family",
    "Dice": "tools.dice",
    "Sketch": "tools.sketch",
}

if not TYPE_CHECKING:  # so that type checkers know of no other names
    __getattr__ = names_from(__name__, MODULES)
