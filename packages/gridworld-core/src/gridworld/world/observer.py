"""What an agent has been shown so far: the cells it sees now, those it has seen, and how they looked."""

from collections.abc import Iterable

from gridworld.world.events import Event
from gridworld.world.looks import CellLook, look_at
from gridworld.world.state import State
from gridworld.world.world import World

__all__ = ["Observer"]


class Observer:
    """Follows an episode and keeps, for every cell, the look that may be drawn.

    A backend calls `reset` and `update` with each state and redraws the cells that they return.
    """

    def __init__(self, world: World) -> None:
        self._world = world
        self._everything = frozenset(range(world.topology.cell_count))
        self._looks: list[CellLook] = []
        self.visible = self._everything
        """The cells seen now."""
        self.explored = self._everything
        """The cells seen so far."""

    def look(self, cell: int) -> CellLook:
        """How a cell looks to the agent."""
        return self._looks[cell]

    def reset(self, state: State) -> Iterable[int]:
        """Forget everything and look around; returns the cells to draw: all of them."""
        self._looks = [look_at(self._world, state, cell) for cell in range(self._world.topology.cell_count)]
        return self._everything

    def update(self, state: State, events: tuple[Event, ...]) -> Iterable[int]:
        """Look again after a step; returns the cells whose look may have changed."""
        dirty = {cell for event in events for cell in event.cells}
        for cell in dirty:
            self._looks[cell] = look_at(self._world, state, cell)
        return dirty
