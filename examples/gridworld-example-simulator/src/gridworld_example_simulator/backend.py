"""`WarehouseBackend`: tasks played by the simulator in `gridworld_example_simulator.warehouse`."""

import numpy as np

from gridworld.backends.base import GridState
from gridworld.backends.simulator import SimulatorBackend
from gridworld.hookspecs import Action, Position, TaskSpecification
from gridworld_example_simulator.warehouse import Badge, Place, Shutter, Warehouse

__all__ = ["WarehouseBackend"]

ORDERS = ("left", "right", "drive", "grab", "put down", "present badge", "idle")
"""What the robot is told for each of the seven actions."""
DIRECTIONS = "ESWN"
"""The directions as `GridState` numbers them: east, south, west, north."""


class WarehouseBackend(SimulatorBackend):
    """Plays tasks with walls, keys and doors as errands of a robot in a warehouse.

    Observations are pictures, RGB arrays of shape (height, width, 3), uint8. The robot keeps as many keys as it likes,
    and is paid 1 for reaching the goal, however long it takes.
    """

    mechanisms = ("keys", "doors")

    def start(self, task: TaskSpecification, seed: int | None) -> None:
        """A warehouse of a task: keys become badges, doors shutters. There is nothing random in it."""
        self._top = task.maze.height - 1
        self._warehouse = Warehouse(
            rows=task.maze.height,
            columns=task.maze.width,
            racks=frozenset(map(self._place, task.maze.wall_cells())),
            dock=self._place(task.goal.target or task.maze.goal),
            robot=self._place(task.maze.start),
            badges={key.id: Badge(self._place(key.position), key.color) for key in task.mechanisms.keys},
            shutters={
                door.id: Shutter(
                    self._place(door.position),
                    door.requires_key or "grey",
                    locked=door.initial_state == "locked",
                    raised=door.initial_state == "open",
                )
                for door in task.mechanisms.doors
            },
            single_use=task.rules.key_consumption,
        )

    def act(self, action: Action) -> None:
        """One order to the robot."""
        self._warehouse.carry_out(ORDERS[action])

    def look(self) -> GridState:
        """The warehouse in the coordinates of the task."""
        row, column = self._warehouse.place
        return self.state_at(
            (column, self._top - row),
            DIRECTIONS.index(self._warehouse.facing),
            reached=self._warehouse.docked,
            agent_carrying=self._warehouse.carried,
            open_doors=set(self._warehouse.raised),
            collected_keys=set(self._warehouse.grabbed),
        )

    def draw(self) -> np.ndarray:
        """The view from above."""
        return self._warehouse.picture()

    def mission(self, task: TaskSpecification) -> str:
        """Where to go."""
        return "drive to the green dock"

    def _place(self, cell: Position) -> Place:
        """Tasks count rows from the top and name the column first."""
        return self._top - cell.y, cell.x
