"""`WarehouseBackend`: tasks played by the simulator in `gridworld_example_simulator.warehouse`."""

from operator import index
from typing import Any

import numpy as np

from gridworld.backends.base import AbstractGridBackend, GridState
from gridworld.errors import EpisodeOver, InvalidAction, NotResetError
from gridworld.hookspecs import ACTION_SPACE, TaskSpecification
from gridworld_example_simulator.floor_plans import make_floor_plan
from gridworld_example_simulator.warehouse import Place, Warehouse

__all__ = ["WarehouseBackend"]

ORDERS = ("left", "right", "drive", "grab", "put down", "present badge", "idle")
"""What the robot is told for each of the seven actions."""
DIRECTIONS = "ESWN"
"""The directions as `GridState` numbers them: east, south, west, north."""

Reset = tuple[np.ndarray, GridState, dict[str, Any]]
Step = tuple[np.ndarray, float, bool, bool, GridState, dict[str, Any]]


class WarehouseBackend(AbstractGridBackend):
    """Plays tasks with walls, keys and doors as errands of a robot in a warehouse.

    Observations are pictures, RGB arrays of shape (height, width, 3), uint8. The robot keeps as many keys as it likes,
    and is paid 1 for reaching the goal, however long it takes.
    """

    _warehouse: Warehouse | None = None
    _ready = False
    _reward = 0.0

    def configure(self, task_spec: TaskSpecification) -> None:
        """Take on a task; raises `InvalidTaskError` for one that a warehouse cannot be, and keeps the one before."""
        plan = make_floor_plan(task_spec)
        self._warehouse, self._ready = Warehouse(plan), False

    def reset(self, seed: int | None = None) -> Reset:
        """Go back to the start; there is nothing random in a warehouse, so `seed` changes nothing."""
        warehouse = self._configured()
        warehouse.restart()
        self._ready, self._reward = True, 0.0
        return self.render(), self.get_state(), {}

    def step(self, action: int) -> Step:
        """Take one of the seven actions."""
        warehouse = self._running()
        if warehouse.docked or warehouse.flat:
            raise EpisodeOver(f"the episode ended after {warehouse.orders} steps; reset before the next action")
        warehouse.carry_out(ORDERS[_checked(action)])
        self._reward = float(warehouse.docked)
        state = self.get_state()
        return self.render(), state.reward, state.terminated, state.truncated, state, {}

    def render(self) -> np.ndarray:
        """The view from above."""
        return self._running().picture()

    def get_mission_text(self) -> str:
        """Where to go."""
        self._configured()
        return "drive to the green dock"

    def get_state(self) -> GridState:
        """The warehouse in the coordinates of the task."""
        warehouse = self._running()
        plan = warehouse.plan
        everywhere = {(x, y) for x in range(plan.columns) for y in range(plan.rows)}
        return GridState(
            agent_position=_to_cell(warehouse.place, plan.rows),
            agent_direction=DIRECTIONS.index(warehouse.facing),
            agent_carrying=warehouse.carried,
            step_count=warehouse.orders,
            max_steps=plan.charge,
            terminated=warehouse.docked,
            truncated=warehouse.flat and not warehouse.docked,
            reward=self._reward,
            open_doors=set(warehouse.raised),
            collected_keys=set(warehouse.grabbed),
            goal_reached=warehouse.docked,
            visible_cells=everywhere,
            explored_cells=set(everywhere),
        )

    def close(self) -> None:
        """Forget the warehouse."""
        self._warehouse, self._ready = None, False

    def _configured(self) -> Warehouse:
        if self._warehouse is None:
            raise NotResetError("configure(task) has to be called first")
        return self._warehouse

    def _running(self) -> Warehouse:
        warehouse = self._configured()
        if not self._ready:
            raise NotResetError("reset() has to be called before the first step")
        return warehouse


def _to_cell(place: Place, height: int) -> tuple[int, int]:
    row, column = place
    return column, height - 1 - row


def _checked(action: int) -> int:
    try:
        number = index(action)
    except TypeError:
        number = -1
    if number not in ACTION_SPACE:
        raise InvalidAction(f"action {action!r} is not in the action space {ACTION_SPACE}")
    return number
