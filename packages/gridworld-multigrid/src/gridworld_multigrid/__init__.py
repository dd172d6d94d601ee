"""The multi-tiling backend of multinet-gridworld."""

from gridworld_multigrid._version import __version__

__all__ = ["__version__"]
