"""`TextBackend`: the present state as text, and as a picture of that text's map."""

import numpy as np

from gridworld.backends.kernel import KernelBackend
from gridworld.hookspecs import TaskSpecification, Topology
from gridworld.plugins import find_tiling, lay_out
from gridworld.text import text_view

__all__ = ["TextBackend"]

PIXELS = 8
COLORS = {"#": (100, 100, 100), ".": (0, 0, 0), ",": (30, 30, 30), "?": (60, 0, 60), "G": (0, 255, 0), "X": (0, 120, 0)}
AGENT, THING = (255, 0, 0), (255, 255, 0)


class TextBackend(KernelBackend):
    """Shows tasks as texts.

    The observation is a text: a map of one character for each lattice cell, its legend, and a sentence for each thing.

    Args:
        tiling: the name of an installed tiling on which tasks are laid out.

    Raises:
        UnknownNameError: no such tiling is installed.
    """

    def __init__(self, tiling: str = "square") -> None:
        self._tiling = find_tiling(tiling)

    @property
    def name(self) -> str:
        """``text``."""
        return "text"

    @property
    def tiling(self) -> str:
        """The name of the tiling."""
        return self._tiling.name

    def make_topology(self, task: TaskSpecification) -> Topology:
        """The tiling of the task's lattice."""
        return lay_out(self._tiling, task)

    def observe(self) -> str:
        """The text view of the present state."""
        return str(text_view(self.episode))

    def render(self) -> np.ndarray:
        """The map of the text view with a square of `PIXELS` pixels for each character.

        Shape (height * PIXELS, width * PIXELS, 3), uint8.
        """
        view = text_view(self.episode)
        colors = {letter: AGENT if meaning == "you" else THING for letter, meaning in view.legend.items()} | COLORS
        grid = np.array([[colors[letter] for letter in row] for row in view.rows], dtype=np.uint8)
        return grid.repeat(PIXELS, axis=0).repeat(PIXELS, axis=1)
