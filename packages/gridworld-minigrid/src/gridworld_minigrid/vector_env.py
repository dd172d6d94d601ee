"""`VectorGridEnv`: a Gymnasium vector environment on squares, and the display of its tasks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Literal

import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode
from minigrid.core.constants import TILE_PIXELS

from gridworld.plugins.arguments import check_names
from gridworld.suites import TaskSource, find_tasks
from gridworld.support.checks import check_bool
from gridworld.task_spec import TaskSpecification
from gridworld.vector import DEFAULT_TABULATED
from gridworld.vector.observers import one_size
from gridworld.vector.state_rows import StateRows
from gridworld.vector.task_vector_env import TaskVectorEnv
from gridworld.world import World
from gridworld.world.rules import ACTS
from gridworld_minigrid.env import Missions
from gridworld_minigrid.pictures_observer import PicturesObserver
from gridworld_minigrid.task_sets import MAX_SIDE, asked_tile_size, compile_tasks, grid_size, image_size, view_size
from gridworld_minigrid.vector_views import FieldViews, GridViews, ImageObserver, SymbolicViews

CODE_BYTES = 3
"""Size of a cell's symbolic encoding in bytes."""


class VectorGridEnv(TaskVectorEnv):
    """Gymnasium vector environment of one task, or of a set from which each episode plays one.

    Equivalent to Gymnasium's ``SyncVectorEnv`` of the same number of `CustomMiniGridEnv`: with the same seeds,
    observations, rewards, terminations and truncations are equal. Tasks with at most `max_states` states are tabulated
    before the first step; the states of larger ones are learnt when they are reached, with equal results.

    ``info`` holds ``success`` and ``task_id`` of the single environments, as arrays; on request also ``events`` and
    ``event_records``, as object arrays: those of the step just taken, even if it ended the episode.

    Args:
        task: the task, or several with different ids.
        num_envs: number of environments.
        observation: ``view``, as in the single environment: MiniGrid's symbolic view, the direction and the mission;
            ``grid``, with the whole grid in place of the view (like `minigrid.wrappers.FullyObsWrapper`, padded with
            unseen cells if tasks differ in size); ``pictures``, as rendered by the single environment with
            ``rgb_array``, an array of shape (num_envs, height, width, 3), uint8, without carried objects, for tasks of
            one maze size; ``state``, the number of the state; or ``none``, a 0.
        autoreset_mode: when the next episode follows an ended one.
        copy: whether each observation is a new array; otherwise one array is reused. For pictures that array is
            read-only, and many times faster.
        agent_view_size: cells along a side of the symbolic view, odd and at least 3; by default each task's own.
        tile_size: width of a cell of pictures in pixels; reduced if pictures would exceed `max_side`.
        highlight: whether pictures lighten the agents' fields of view, like MiniGrid's.
        max_side: largest width and height of pictures in pixels; a cell has at least one.
        max_states: largest number of states of a task that is tabulated, silently and in up to some seconds per task;
            0 to tabulate none.
        events: whether ``info`` contains events, which need another call of the kernel: thousands of times slower.
        render_mode: ``rgb_array`` for `render`, for tasks of one maze size; each step then takes as long as with
            ``pictures``. Or None.

    Raises:
        InvalidTaskError: a task is invalid.
        UnknownNameError: unknown observation or autoreset mode.
        NotTabulatedError: states are observed, and a task is not tabulated.
        ArgumentError: `agent_view_size` is even or out of range, pictures are requested of tasks of different sizes, or
            the batch would need more than 4 GB.
        ValueError: `num_envs`, `tile_size` or `max_side` is not an integer of at least 1, `max_states` not one of at
            least 0, a boolean is invalid, or the render mode is unknown.
    """

    def __init__(
        self,
        task: TaskSpecification | Sequence[TaskSpecification],
        num_envs: int = 1,
        observation: Literal["view", "grid", "pictures", "state", "none"] = "view",
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        copy: bool = True,
        agent_view_size: int | None = None,
        tile_size: int = TILE_PIXELS,
        highlight: bool = True,
        max_side: int = MAX_SIDE,
        max_states: int = DEFAULT_TABULATED,
        events: bool = False,
        render_mode: Literal["rgb_array"] | None = None,
    ) -> None:
        tasks, highlight = compile_tasks(task), check_bool("highlight", highlight)
        display = GridDisplay if observation == "grid" else FieldDisplay
        super().__init__(
            tasks,
            ACTS.values(),
            display(tasks.worlds, agent_view_size, tile_size, highlight, max_side),
            ("view", "grid"),
            num_envs=num_envs,
            observation=observation,
            autoreset_mode=autoreset_mode,
            copy=copy,
            max_states=max_states,
            events=events,
            render_mode=render_mode,
        )


def make_vector_environment(
    task: TaskSource | Iterable[TaskSource], num_envs: int = 1, **options: Any
) -> VectorGridEnv:
    """Make a vector environment from task sources, for ``gymnasium.make_vec``."""
    check_names(VectorGridEnv, options, "the vector environment")
    return VectorGridEnv(find_tasks(task), num_envs, **options)


class FieldDisplay:
    """A `Display` that shows tasks as `CustomMiniGridEnv` does, with views of the agent's field of view.

    Args:
        worlds: the compiled tasks.
        agent_view_size: cells along a side of the symbolic view; None for each task's own.
        tile_size: width of a cell of pictures in pixels; reduced if pictures would exceed `max_side`.
        highlight: whether pictures lighten the agents' fields of view.
        max_side: largest width and height of pictures in pixels; a cell has at least one.
    """

    def __init__(
        self,
        worlds: Sequence[World],
        agent_view_size: int | None,
        tile_size: int,
        highlight: bool,
        max_side: int,
    ) -> None:
        self._worlds, self._highlight = worlds, highlight
        self._view_sizes = [view_size(world, agent_view_size) for world in worlds]
        self._image_size = image_size(worlds, agent_view_size)
        self._tile_size = asked_tile_size(tile_size, *grid_size(worlds), max_side)

    def view_space(self) -> spaces.Dict:
        """Return the space of ``direction``, ``image`` and ``mission``."""
        columns, rows = self._view_shape()
        return spaces.Dict(
            direction=spaces.Discrete(4),
            image=spaces.Box(0, 255, (columns, rows, CODE_BYTES), np.uint8),
            mission=Missions(world.goal_type.mission(world) for world in self._worlds),
        )

    def picture_shape(self) -> tuple[int, int, int]:
        """Return the shape of one picture."""
        columns, rows = one_size(self._worlds)
        return rows * self._tile_size, columns * self._tile_size, 3

    def view_bytes(self) -> int:
        """Return the size of one symbolic image in bytes."""
        columns, rows = self._view_shape()
        return CODE_BYTES * columns * rows

    def bytes_of_state(self) -> int:
        """Return the memory per viewed state in bytes."""
        return self.view_bytes()

    def _view_shape(self) -> tuple[int, int]:
        return self._image_size, self._image_size

    def _symbolic_views(self, rows: StateRows) -> SymbolicViews:
        return FieldViews(rows, self._view_sizes, self._image_size)

    def views(self, rows: StateRows, count: int, copy: bool) -> ImageObserver:
        """Make the observer of symbolic images, directions and missions."""
        views = self._symbolic_views(rows)
        return ImageObserver(rows, views, None if copy else np.zeros((count, *views.shape), dtype=np.uint8))

    def pictures(self, rows: StateRows, count: int, copy: bool) -> PicturesObserver:
        """Make the observer of pictures, as rendered by the single environments."""
        return PicturesObserver(rows, count, self._tile_size, self._view_sizes if self._highlight else None, copy)


class GridDisplay(FieldDisplay):
    """A `Display` like `FieldDisplay` with views of the whole grid."""

    def bytes_of_state(self) -> int:
        """Return 0: a whole grid is stored once for all poses of the agent."""
        return 0

    def _view_shape(self) -> tuple[int, int]:
        return grid_size(self._worlds)

    def _symbolic_views(self, rows: StateRows) -> SymbolicViews:
        return GridViews(rows)
