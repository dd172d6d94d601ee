"""`VectorGridEnv`: many copies of tasks as one of Gymnasium's vector environments, stepped together on tables."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Literal

import numpy as np
from gymnasium import spaces
from gymnasium.error import ClosedEnvironmentError
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from minigrid.core.constants import TILE_PIXELS
from numpy.typing import ArrayLike, NDArray

from gridworld.plugins.arguments import check_names
from gridworld.suites import TaskSource, find_tasks
from gridworld.support.checks import check_bool
from gridworld.task_spec import TaskSpecification
from gridworld.vector import DEFAULT_TABULATED
from gridworld.vector.observers import Missions as CopyMissions
from gridworld.vector.observers import Observation, one_size
from gridworld.vector.state_rows import StateRows
from gridworld.vector.task_vector_env import TaskVectorEnv, VectorArguments
from gridworld.world import World
from gridworld.world.rules import ACTS
from gridworld_minigrid.env import Missions
from gridworld_minigrid.pictures_observer import PicturesObserver
from gridworld_minigrid.task_sets import (
    MAX_SIDE,
    asked_tile_size,
    compile_tasks,
    grid_size,
    image_size,
    mission_of,
    view_size,
)
from gridworld_minigrid.vector_views import FieldViews, GridViews, ImageObserver, SymbolicViews

CODE = 3
"""Bytes of the symbolic encoding of a cell."""


class FieldDisplay:
    """Shows some tasks as `CustomMiniGridEnv` does; views are of what the agent has in view.

    Args:
        worlds: the compiled tasks.
        agent_view_size: cells along a side of the symbolic view; None for each task's own.
        tile_size: the width of a cell of pictures in pixels; less where they would be larger than `max_side`.
        highlight: whether pictures show the agents' fields of view lighter.
        max_side: the largest width and height of pictures in pixels; a cell has at least one.

    Raises:
        ArgumentError: `agent_view_size` is even or out of range.
        ValueError: a size is not a whole number, or `tile_size` or `max_side` is less than 1.
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

    def space(self) -> spaces.Dict:
        """That of the views."""
        columns, rows = self._view_shape()
        return spaces.Dict(
            direction=spaces.Discrete(4),
            image=spaces.Box(0, 255, (columns, rows, CODE), np.uint8),
            mission=Missions(map(mission_of, self._worlds)),
        )

    def picture_shape(self) -> tuple[int, int, int]:
        """That of one picture."""
        columns, rows = one_size(self._worlds)
        return rows * self._tile_size, columns * self._tile_size, 3

    def view_bytes(self) -> int:
        """The bytes of the symbolic image of one copy."""
        columns, rows = self._view_shape()
        return CODE * columns * rows

    def bytes_of_state(self) -> int:
        """The bytes that are kept of each state."""
        return self.view_bytes()

    def _view_shape(self) -> tuple[int, int]:
        return self._image_size, self._image_size

    def _symbolic_views(self, rows: StateRows) -> SymbolicViews:
        return FieldViews(rows, self._view_sizes, self._image_size)

    def views(self, rows: StateRows, count: int, copy: bool) -> ImageObserver:
        """Symbolic images with directions and missions."""
        views = self._symbolic_views(rows)
        out = None if copy else np.zeros((count, *views.shape), dtype=np.uint8)
        return ImageObserver(rows, views, CopyMissions(rows, map(mission_of, rows.worlds)), out)

    def pictures(self, rows: StateRows, count: int, copy: bool) -> PicturesObserver:
        """What the single environments render."""
        return PicturesObserver(rows, count, self._tile_size, self._view_sizes if self._highlight else None, copy)


class GridDisplay(FieldDisplay):
    """The same with views of the whole grid."""

    def bytes_of_state(self) -> int:
        """None: whole grids are not kept of states that differ in the agent's pose alone."""
        return 0

    def _view_shape(self) -> tuple[int, int]:
        return grid_size(self._worlds)

    def _symbolic_views(self, rows: StateRows) -> SymbolicViews:
        return GridViews(rows)


Shown = Literal["view", "grid", "pictures", "state", "none"]
VIEWS = ("view", "grid")
"""What only this backend shows."""


class VectorGridEnv(TaskVectorEnv, VectorEnv[Observation, ArrayLike, NDArray[Any]]):
    """Copies of a task, or of a set of tasks of which each episode of a copy plays one, for Gymnasium.

    It does what Gymnasium's ``SyncVectorEnv`` of as many `CustomMiniGridEnv` does, with the same seeds too:
    observations, rewards, terminations and truncations are equal. The states of a task that has at most `max_states`
    are tabulated before the first step; those of other tasks are learnt where copies go, with equal results.

    ``info`` holds ``success`` and ``task_id`` of the single environments, as arrays; on request ``events`` and
    ``event_records`` too, as arrays of objects: of the step that has been taken, also where it ended the episode.

    Args:
        task: the task, or several of different ids.
        num_envs: how many copies.
        observation: ``view``, as of the single environment: MiniGrid's symbolic view, the direction and the mission;
            ``grid``, the same with the whole grid in place of the view (as `minigrid.wrappers.FullyObsWrapper` has it,
            amid unseen cells where others of the set are larger); ``pictures``, what the single environment renders as
            ``rgb_array``, an array of shape (copies, height, width, 3), uint8, for which tasks need mazes of one size,
            and in which what agents carry is not seen; ``state``, the number of the state; or ``none``, a 0.
        autoreset_mode: when an ended episode is followed by the next.
        copy: whether each observation is in an array of its own; otherwise one array is filled in every step. That of
            pictures is read-only then, and many times quicker.
        agent_view_size: cells along a side of the symbolic view, odd and at least 3; by default each task's.
        tile_size: the width of a cell of pictures in pixels; less where pictures would be larger than `max_side`.
        highlight: whether pictures show the agents' fields of view lighter, as MiniGrid's do.
        max_side: the largest width and height of pictures in pixels; a cell has at least one.
        max_states: how many states a task may have to be tabulated, which is done silently here and takes up to some
            seconds for each task; 0 for none, so that nothing is waited for.
        events: whether ``info`` tells of events, for which the kernel is asked again: thousands of times slower.
        render_mode: ``rgb_array`` for `render`, for which tasks need mazes of one size and each step takes as long as
            with ``pictures``; or None.

    Raises:
        InvalidTaskError: a task is invalid.
        UnknownNameError: there is no such observation, or no such mode.
        NotTabulatedError: the state is to be observed, and a task is not tabulated.
        ArgumentError: `agent_view_size` is even or out of range, pictures are asked for of tasks of different sizes, or
            so many copies, or large pictures of them, that they take more than 4 GB.
        ValueError: `num_envs`, `tile_size` or `max_side` is not a whole number of at least 1, `max_states` none of at
            least 0, a truth value is none, or there is no such render mode.
    """

    closed_error = ClosedEnvironmentError

    def __init__(
        self,
        task: TaskSpecification | Sequence[TaskSpecification],
        num_envs: int = 1,
        observation: Shown = "view",
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
        arguments = VectorArguments.checked(
            VIEWS,
            AutoresetMode,
            num_envs=num_envs,
            observation=observation,
            autoreset_mode=autoreset_mode,
            copy=copy,
            max_states=max_states,
            events=events,
            render_mode=render_mode,
        )
        highlight = check_bool("highlight", highlight)
        tasks = compile_tasks([task] if isinstance(task, TaskSpecification) else task)
        shown = GridDisplay if observation == "grid" else FieldDisplay
        display = shown(tasks.worlds, agent_view_size, tile_size, highlight, max_side)
        super().__init__(arguments, tasks, ACTS.values(), display)
        if observation == "pictures":
            self.single_observation_space = spaces.Box(0, 255, display.picture_shape(), np.uint8)
        else:
            self.single_observation_space = display.space() if arguments.viewed else spaces.Discrete(self.number_count)
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.single_action_space = spaces.Discrete(self.action_count)
        self.action_space = batch_space(self.single_action_space, self.num_envs)

    def _seed(self, seed: int) -> None:
        VectorEnv.reset(self, seed=seed)


def make_vector_environment(
    task: TaskSource | Iterable[TaskSource], num_envs: int = 1, **options: Any
) -> VectorGridEnv:
    """What ``gymnasium.make_vec`` calls: copies of the tasks that are named.

    Raises as `find_tasks` and `check_names` do.
    """
    check_names(VectorGridEnv, options, "the vector environment")
    return VectorGridEnv(find_tasks(task), num_envs, **options)
