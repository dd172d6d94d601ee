"""What is used where nothing is named."""

__all__ = ["ALL_TILINGS", "DEFAULT_BACKEND", "DEFAULT_SUITE", "TILING_BACKEND"]

DEFAULT_BACKEND, TILING_BACKEND = "minigrid", "multigrid"
"""The backends that are used where none is named, without and with a tiling."""
ALL_TILINGS = "all"
"""Stands for all installed tilings."""
DEFAULT_SUITE = "validation_10"
"""The suite that is played where none is named."""
