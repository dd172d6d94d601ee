"""`VectorMultiGridEnv`: many copies of tasks as one of Gymnasium's vector environments, stepped together on tables."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Literal

import numpy as np
from gymnasium import spaces
from gymnasium.error import ClosedEnvironmentError
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import ArrayLike, NDArray

from gridworld.plugins.arguments import check_names
from gridworld.suites import TaskSource, find_tasks
from gridworld.task_spec import TaskSpecification
from gridworld.vector import DEFAULT_TABULATED
from gridworld.vector.observers import Observation, one_size
from gridworld.vector.state_rows import StateRows
from gridworld.vector.task_vector_env import TaskVectorEnv, VectorArguments
from gridworld.world import World
from gridworld_multigrid.agent import action_set
from gridworld_multigrid.codes import CODE_LENGTH
from gridworld_multigrid.rendering.layout import MAX_SIDE, fit, picture_size
from gridworld_multigrid.task_sets import compile_tasks, most_cells, observation_space
from gridworld_multigrid.vector_observers import CellsObserver, PicturesObserver


class TilingDisplay:
    """Shows some tasks as `MultiGridEnv` does.

    Args:
        worlds: the compiled tasks.
        picture_size: the largest width and height of pictures, in pixels.
    """

    def __init__(self, worlds: Sequence[World], picture_size: tuple[int, int]) -> None:
        self._worlds, self._picture_size = worlds, picture_size

    def picture_shape(self) -> tuple[int, int, int]:
        """That of one picture."""
        one_size(self._worlds)
        fitted = fit(self._worlds[0].topology, self._picture_size)
        return fitted.height, fitted.width, 3

    def view_bytes(self) -> int:
        """The bytes of the codes of the cells of one copy."""
        return most_cells(self._worlds) * CODE_LENGTH

    def bytes_of_state(self) -> int:
        """One for each cell: whether it is seen."""
        return most_cells(self._worlds)

    def views(self, rows: StateRows, count: int, copy: bool) -> CellsObserver:
        """Codes of cells, with where the agents are, and missions."""
        return CellsObserver(rows, count, copy)

    def pictures(self, rows: StateRows, count: int, copy: bool) -> PicturesObserver:
        """What the single environments render."""
        return PicturesObserver(rows, count, self._picture_size, copy)


Shown = Literal["cells", "pictures", "state", "none"]
VIEWS = ("cells",)
"""What only this backend shows."""


class VectorMultiGridEnv(TaskVectorEnv, VectorEnv[Observation, ArrayLike, NDArray[Any]]):
    """Copies of a task, or of a set of tasks of which each episode of a copy plays one, on a tiling, for Gymnasium.

    It does what Gymnasium's ``SyncVectorEnv`` of as many `MultiGridEnv` does, with the same seeds too: observations,
    rewards, terminations and truncations are equal. The states of a task that has at most `max_states` are tabulated
    before the first step; those of other tasks are learnt where copies go, with equal results.

    ``info`` holds ``success`` and ``task_id`` of the single environments, as arrays; on request ``events`` and
    ``event_records`` too, as arrays of objects: of the step that has been taken, also where it ended the episode.

    Args:
        task: the task, or several of different ids.
        num_envs: how many copies.
        tiling: the name of an installed tiling.
        observation: ``cells``, as of the single environment; ``pictures``, what it renders as ``rgb_array``, an array
            of shape (copies, height, width, 3), uint8, for which tasks need mazes of one size; ``state``, the number of
            the state; or ``none``, a 0.
        actions: ``external`` or ``native``; with these, all states are learnt.
        autoreset_mode: when an ended episode is followed by the next.
        copy: whether each observation is in an array of its own; otherwise the ``cells`` or the pictures of all copies
            are one array that is brought up to date in every step, which is many times quicker where everything is
            shown. They are read-only then.
        image_size: the largest width and height of pictures, given as both or as one number for both, in pixels, each
            at least 64.
        max_side: what neither width nor height is ever larger than, at least 64 pixels.
        max_states: how many states a task may have to be tabulated, which is done silently here and takes up to some
            seconds for each task; 0 for none, so that nothing is waited for.
        events: whether ``info`` tells of events, for which the kernel is asked again: thousands of times slower.
        render_mode: ``rgb_array`` for `render`, for which tasks need mazes of one size and each step takes as long as
            with ``pictures``; or None.

    Raises:
        InvalidTaskError: a task is invalid.
        UnknownNameError: no installed plugin provides the tiling, or there is no such observation or mode.
        NotTabulatedError: the state is to be observed, and a task is not tabulated.
        ArgumentError: pictures are asked for of tasks of different sizes, or so many copies, or large pictures of them,
            that they take more than 4 GB.
        ValueError: there are no such actions or render mode, a truth value is none, or `num_envs`, `max_states` or a
            size is not a whole number, or out of range.
    """

    closed_error = ClosedEnvironmentError

    def __init__(
        self,
        task: TaskSpecification | Sequence[TaskSpecification],
        num_envs: int = 1,
        tiling: str = "square",
        observation: Shown = "cells",
        actions: Literal["external", "native"] = "external",
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        copy: bool = True,
        image_size: int | tuple[int, int] = 640,
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
        acts, size = action_set(actions).acts.values(), picture_size(image_size, max_side)
        tasks = compile_tasks([task] if isinstance(task, TaskSpecification) else task, tiling)
        display = TilingDisplay(tasks.worlds, size)
        super().__init__(arguments, tasks, acts, display)
        if observation == "pictures":
            self.single_observation_space = spaces.Box(0, 255, display.picture_shape(), np.uint8)
        elif arguments.viewed:
            self.single_observation_space = observation_space(tasks.worlds)
        else:
            self.single_observation_space = spaces.Discrete(self.number_count)
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.single_action_space = spaces.Discrete(self.action_count)
        self.action_space = batch_space(self.single_action_space, self.num_envs)

    def _seed(self, seed: int) -> None:
        VectorEnv.reset(self, seed=seed)


def make_vector_environment(
    task: TaskSource | Iterable[TaskSource], num_envs: int = 1, **options: Any
) -> VectorMultiGridEnv:
    """What ``gymnasium.make_vec`` calls: copies of the tasks that are named.

    Raises as `find_tasks` and `check_names` do.
    """
    check_names(VectorMultiGridEnv, options, "the vector environment")
    return VectorMultiGridEnv(find_tasks(task), num_envs, **options)
