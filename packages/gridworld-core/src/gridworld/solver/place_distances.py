"""`PlaceDistances`: how far places are from success, by lattice cell and heading."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import attrs
import numpy as np
from numpy.typing import NDArray

from gridworld.plugins.tilings import compile_on
from gridworld.solver.state_table import tabulate
from gridworld.task_spec import TaskSpecification

__all__ = ["NO_DISTANCE", "PlaceDistances"]

NO_DISTANCE = -1
"""Stands in `PlaceDistances.array` for places that are no keys."""

Place = tuple[tuple[int, int], int]


class PlaceDistances(Mapping[Place, int]):
    """The fewest actions to success from ``((x, y), heading)``, with all but the agent as at the start of the task.

    Cells and headings are those of `GridState.agent_position` and `GridState.agent_direction`. Where a lattice cell has
    several cells on the tiling, its anchor is meant, on which things sit. Places at the goal have the distance 0. Of
    the others, those that cannot be reached with all else as it is, and those from which the task can no longer be won,
    are no keys.
    """

    def __init__(self, array: NDArray[np.int64]) -> None:
        self.array = array
        """The distances by row, column and heading, -1 where there is no key; read-only."""
        self.array.flags.writeable = False
        places = np.argwhere(array != NO_DISTANCE).tolist()
        self._distances: dict[Place, int] = {((x, y), heading): int(array[y, x, heading]) for y, x, heading in places}

    @classmethod
    def of(cls, task: TaskSpecification, tiling: str) -> PlaceDistances:
        """The distances of a task on a tiling.

        Raises:
            NotTabulatedError: it has too many states, or its goal depends on the number of steps.
            UnknownNameError, InvalidTaskError: as `compile_on` does.
        """
        # What is hidden changes nothing but what is shown.
        world = compile_on(tiling, attrs.evolve(task, rules=attrs.evolve(task.rules, hidden_mechanisms=())))
        table = tabulate(world)
        array = np.full((world.topology.cell_count, world.headings), NO_DISTANCE, dtype=np.int64)
        configuration, cells, headings = table.states.poses()
        kept = (configuration == configuration[0]) & ~table.lost
        array[cells[kept], headings[kept]] = table.distance[kept]
        for cell, heading in np.ndindex(array.shape):
            if world.reached(world.start.at(cell).facing(heading)):
                array[cell, heading] = 0
        anchors = [cell for _, cell in world.topology.anchors]
        return cls(array[anchors].reshape(world.topology.height, world.topology.width, world.headings))

    def __getitem__(self, place: Place) -> int:
        return self._distances[place]

    def __iter__(self) -> Iterator[Place]:
        return iter(self._distances)

    def __len__(self) -> int:
        return len(self._distances)

    def __repr__(self) -> str:
        height, width, headings = self.array.shape
        return f"<distances from {len(self)} places of {width} x {height} cells with {headings} headings>"
