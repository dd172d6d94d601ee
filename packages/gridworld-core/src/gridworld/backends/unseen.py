"""`UnseenBackend`: the kernel's worlds without pictures, for what needs none, such as playing a plan."""

from __future__ import annotations

from typing import Any

from gridworld.backends.kernel import KernelBackend
from gridworld.errors import GridworldError
from gridworld.task_spec import TaskSpecification
from gridworld.world.topology import Topology

__all__ = ["UnseenBackend"]


class UnseenBackend(KernelBackend):
    """Plays on a topology and observes nothing.

    Args:
        topology: the topology, of the dimensions of all tasks that are played.
    """

    def __init__(self, topology: Topology) -> None:
        self._topology = topology

    @property
    def name(self) -> str:
        """``unseen``."""
        return "unseen"

    @property
    def tiling(self) -> str:
        """The name of the topology."""
        return self._topology.name

    def make_topology(self, task: TaskSpecification) -> Topology:
        """The topology, whatever the task."""
        return self._topology

    def observe(self) -> None:
        """Nothing."""

    def render(self) -> Any:
        """There is no picture.

        Raises:
            GridworldError: always.
        """
        raise GridworldError("this backend draws no pictures; install gridworld-minigrid or gridworld-multigrid")
