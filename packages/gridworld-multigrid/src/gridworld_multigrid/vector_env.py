"""`VectorMultiGridEnv`: a Gymnasium vector environment on a tiling, and the display of its tasks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Literal

from gymnasium import spaces
from gymnasium.vector import AutoresetMode

from gridworld.plugins.arguments import check_names
from gridworld.suites import TaskSource, find_tasks
from gridworld.task_spec import TaskSpecification
from gridworld.vector import DEFAULT_TABULATED
from gridworld.vector.observers import one_size
from gridworld.vector.state_rows import StateRows
from gridworld.vector.task_vector_env import TaskVectorEnv
from gridworld.world import World
from gridworld_multigrid.agent import action_set
from gridworld_multigrid.codes import CODE_LENGTH
from gridworld_multigrid.rendering.layout import MAX_SIDE, fit, picture_size
from gridworld_multigrid.task_sets import compile_tasks, most_cells, observation_space
from gridworld_multigrid.vector_observers import CellsObserver, PicturesObserver


class VectorMultiGridEnv(TaskVectorEnv):
    """Gymnasium vector environment of one task, or of a set from which each episode plays one, on a tiling.

    Equivalent to Gymnasium's ``SyncVectorEnv`` of the same number of `MultiGridEnv`: with the same seeds, observations,
    rewards, terminations and truncations are equal. Tasks with at most `max_states` states are tabulated before the
    first step; the states of larger ones are learnt when they are reached, with equal results.

    ``info`` holds ``success`` and ``task_id`` of the single environments, as arrays; on request also ``events`` and
    ``event_records``, as object arrays: those of the step just taken, even if it ended the episode.

    Args:
        task: the task, or several with different ids.
        num_envs: number of environments.
        tiling: name of an installed tiling.
        observation: ``cells``, as in the single environment; ``pictures``, as rendered by it with ``rgb_array``, an
            array of shape (num_envs, height, width, 3), uint8, for tasks of one maze size; ``state``, the number of
            the state; or ``none``, a 0.
        actions: ``external`` or ``native``; with native actions, all states are learnt.
        autoreset_mode: when the next episode follows an ended one.
        copy: whether each observation is a new array; otherwise ``cells`` and pictures are one read-only array that is
            updated in every step, many times faster if everything is shown.
        image_size: maximum width and height of pictures in pixels, a pair or one number for both, each at least 64.
        max_side: upper limit of both, at least 64 pixels.
        max_states: largest number of states of a task that is tabulated, silently and in up to some seconds per task;
            0 to tabulate none.
        events: whether ``info`` contains events, which need another call of the kernel: thousands of times slower.
        render_mode: ``rgb_array`` for `render`, for tasks of one maze size; each step then takes as long as with
            ``pictures``. Or None.

    Raises:
        InvalidTaskError: a task is invalid.
        UnknownNameError: no installed plugin provides the tiling, or the observation or autoreset mode is unknown.
        NotTabulatedError: states are observed, and a task is not tabulated.
        ArgumentError: pictures are requested of tasks of different sizes, or the batch would need more than 4 GB.
        ValueError: unknown actions or render mode, an invalid boolean, or `num_envs`, `max_states` or a size is not an
            integer or is out of range.
    """

    def __init__(
        self,
        task: TaskSpecification | Sequence[TaskSpecification],
        num_envs: int = 1,
        tiling: str = "square",
        observation: Literal["cells", "pictures", "state", "none"] = "cells",
        actions: Literal["external", "native"] = "external",
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        copy: bool = True,
        image_size: int | tuple[int, int] = 640,
        max_side: int = MAX_SIDE,
        max_states: int = DEFAULT_TABULATED,
        events: bool = False,
        render_mode: Literal["rgb_array"] | None = None,
    ) -> None:
        acts, size = action_set(actions).acts.values(), picture_size(image_size, max_side)
        tasks = compile_tasks(task, tiling)
        super().__init__(
            tasks,
            acts,
            TilingDisplay(tasks.worlds, size),
            ("cells",),
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
) -> VectorMultiGridEnv:
    """Make a vector environment from task sources, for ``gymnasium.make_vec``."""
    check_names(VectorMultiGridEnv, options, "the vector environment")
    return VectorMultiGridEnv(find_tasks(task), num_envs, **options)


class TilingDisplay:
    """A `Display` that shows tasks as `MultiGridEnv` does.

    Args:
        worlds: the compiled tasks.
        picture_size: maximum width and height of pictures, in pixels.
    """

    def __init__(self, worlds: Sequence[World], picture_size: tuple[int, int]) -> None:
        self._worlds, self._picture_size = worlds, picture_size

    def view_space(self) -> spaces.Dict:
        """Return the space of ``cells``, ``agent``, ``direction`` and ``mission``."""
        return observation_space(self._worlds)

    def picture_shape(self) -> tuple[int, int, int]:
        """Return the shape of one picture."""
        one_size(self._worlds)
        fitted = fit(self._worlds[0].topology, self._picture_size)
        return fitted.height, fitted.width, 3

    def view_bytes(self) -> int:
        """Return the size of one environment's cell codes in bytes."""
        return most_cells(self._worlds) * CODE_LENGTH

    def bytes_of_state(self) -> int:
        """Return the memory per viewed state: one byte per cell, for whether it is seen."""
        return most_cells(self._worlds)

    def views(self, rows: StateRows, count: int, copy: bool) -> CellsObserver:
        """Make the observer of cell codes, poses and missions."""
        return CellsObserver(rows, count, copy)

    def pictures(self, rows: StateRows, count: int, copy: bool) -> PicturesObserver:
        """Make the observer of pictures, as rendered by the single environments."""
        return PicturesObserver(rows, count, self._picture_size, copy)
