"""Families of grid puzzles, and the tools to write more.

Nothing is imported here, so that this package can be listed as a plugin at no cost.
"""

from gridworld_generators._version import __version__

__all__ = ["__version__"]
