"""A backend that shows tasks as text."""

from gridworld.hookspecs import BackendInfo

TEXT = BackendInfo("text", "Shows tasks as text.", f"{__name__}.backend:TextBackend", harmless=("tiling",))
