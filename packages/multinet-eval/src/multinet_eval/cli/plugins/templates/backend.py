import numpy as np
from gridworld.backends.kernel import KernelBackend
from gridworld.hookspecs import BackendInfo, TaskSpecification
from gridworld.text import text_view
from gridworld.world import Topology, square_topology


class Shades(KernelBackend):
    """A pixel for each lattice cell, as grey as its letter's number."""

    name, tiling = "shades", "square"

    def make_topology(self, task: TaskSpecification) -> Topology:
        return square_topology(*task.maze.dimensions)

    def observe(self) -> np.ndarray:
        return self.render()

    def render(self) -> np.ndarray:
        view = text_view(self.episode)
        greys = [[ord(letter) % 256 for letter in row] for row in view.rows]
        return np.array(greys, dtype=np.uint8)[:, :, np.newaxis].repeat(3, axis=2)


SHADES = BackendInfo("shades", "Shades of grey.", f"{__name__}:Shades")
