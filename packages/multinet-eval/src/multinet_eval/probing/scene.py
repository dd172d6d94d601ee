"""`Scene`: a moment of a task, as it is shown to a model, with the whole truth beside it."""

from __future__ import annotations

import attrs

from gridworld.model_interface import ModelInput
from gridworld.task_spec import Position
from gridworld.world.knowledge import Snapshot, shown_look
from gridworld.world.looks import CellLook
from gridworld.world.state import State
from gridworld.world.topology import Topology
from gridworld.world.world import World

__all__ = ["Scene"]


@attrs.frozen(eq=False)
class Scene:
    """A moment of a task."""

    world: World
    snapshot: Snapshot
    input: ModelInput
    """What a model is given of it."""
    tiling: str | None
    """The tiling that was asked for; None for the backend's own."""
    walk: str
    """The walk that has led to it, such as ``optimal``."""
    step: int
    """How many actions were taken before."""

    @property
    def task_id(self) -> str:
        """The id of its task."""
        return self.world.task.task_id

    @property
    def name(self) -> str:
        """What tells it from all other scenes of a suite: ``task/tiling/walk/step``."""
        return f"{self.task_id}/{self.tiling or self.topology.name}/{self.walk}/{self.step}"

    @property
    def state(self) -> State:
        """The state of the world."""
        return self.snapshot.state

    @property
    def topology(self) -> Topology:
        """The layout of the board."""
        return self.world.topology

    @property
    def agent(self) -> Position:
        """The lattice cell that the agent is on."""
        return self.topology.lattice[self.state.cell]

    @property
    def shows_all(self) -> bool:
        """Whether what is shown is all that there is: every cell is, and no hidden thing is still to be discovered."""
        full = self.world.task.rules.observability == "full"
        return full and not self.world.hidden & ~self.state.discovered

    def look(self, cell: int) -> CellLook | None:
        """How a cell of the topology is shown; None for one that is not."""
        return shown_look(self.world, self.snapshot, cell)
