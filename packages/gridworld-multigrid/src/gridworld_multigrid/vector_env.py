"""`VectorMultiGridEnv`: many copies of tasks as one of Gymnasium's vector environments, stepped together on tables."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import prod
from typing import Any, Literal

import numpy as np
from gymnasium import spaces
from gymnasium.error import ClosedEnvironmentError
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import ArrayLike, NDArray

from gridworld.errors import UnknownNameError
from gridworld.plugins.arguments import check_names
from gridworld.suites import TaskSource, find_tasks
from gridworld.support.whole_numbers import whole_number
from gridworld.task_spec import TaskSpecification
from gridworld.vector import DEFAULT_TABULATED, SteppingTable, VectorPlay
from gridworld.vector.kept_pictures import PicturedObserver
from gridworld.vector.observer import NothingObserver, Observation, Observer, StateObserver
from gridworld.vector.vector_arguments import named_mode, refuse_too_many
from gridworld_multigrid.agent import action_set
from gridworld_multigrid.cells_observer import CellsObserver
from gridworld_multigrid.codes import CODE_LENGTH
from gridworld_multigrid.pictures_observer import PicturesObserver
from gridworld_multigrid.rendering.sizes import MAX_SIDE, picture_size
from gridworld_multigrid.task_sets import compile_tasks, most_cells, observation_space

__all__ = ["VectorMultiGridEnv", "make_vector_environment"]

Shown = Literal["cells", "pictures", "state", "none"]
SHOWN: tuple[Shown, ...] = ("cells", "pictures", "state", "none")
Flags = NDArray[np.bool_]


class VectorMultiGridEnv(VectorEnv[Observation, ArrayLike, NDArray[Any]]):
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
        max_states: how many states a task may have to be tabulated.
        events: whether ``info`` tells of events, for which the kernel is asked again: thousands of times slower.
        render_mode: ``rgb_array`` for `render`, for which tasks need mazes of one size and each step takes as long as
            with ``pictures``; or None.

    Raises:
        InvalidTaskError: a task is invalid.
        UnknownNameError: no installed plugin provides the tiling, or there is no such observation or mode.
        NotTabulatedError: the state is to be observed, and a task is not tabulated.
        ArgumentError: pictures are asked for of tasks of different sizes, or so many copies, or large pictures of them,
            that they take more than 4 GB.
        ValueError: there are no such actions or render mode, or `num_envs`, `max_states` or a size is not a whole
            number, or out of range.
    """

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
        if observation not in SHOWN:
            raise UnknownNameError("observation", str(observation), SHOWN, listed_as="there are")
        if render_mode not in ("rgb_array", None):
            raise ValueError(f"render_mode has to be 'rgb_array' or None, got {render_mode!r}")
        mode = named_mode(AutoresetMode, autoreset_mode)
        self.metadata = {"autoreset_mode": mode, "render_modes": ["rgb_array"], "render_fps": 10}
        self.render_mode = render_mode
        self.num_envs = num_envs = whole_number("num_envs", num_envs, 1)
        tasks = compile_tasks([task] if isinstance(task, TaskSpecification) else task, tiling)
        size = picture_size(image_size, max_side)
        observed = most_cells(tasks.worlds) * CODE_LENGTH if observation == "cells" else 0
        refuse_too_many(num_envs, observed, len(tasks.worlds))
        drawn = observation == "pictures" or render_mode is not None
        numbered = drawn or observation not in ("state", "none")
        table = SteppingTable(tasks.worlds, action_set(actions).acts.values(), numbered, max_states)
        pictures = PicturesObserver(table.rows, num_envs, size, copy) if drawn else None
        observer: Observer
        if observation == "pictures" and pictures is not None:
            refuse_too_many(num_envs, prod(pictures.shape), len(tasks.worlds))
            observer, self.single_observation_space = pictures, spaces.Box(0, 255, pictures.shape, np.uint8)
        elif observation == "none":
            observer, self.single_observation_space = NothingObserver(), spaces.Discrete(1)
        elif observation == "state":
            observer, self.single_observation_space = StateObserver(), spaces.Discrete(table.count)
        else:
            observer = CellsObserver(table.rows, num_envs, copy)
            self.single_observation_space = observation_space(tasks.worlds)
        if observation != "pictures" and pictures is not None:
            observer = PicturedObserver(observer, pictures)
        self._pictures = None if render_mode is None else pictures
        self.observation_space = _batched(self.single_observation_space, num_envs)
        self.single_action_space = spaces.Discrete(table.arrays.actions)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._play = VectorPlay(tasks, table, num_envs, observer, mode.value, events)

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Begin new episodes.

        Args:
            seed: seeds the choice among several tasks: of the i-th copy with ``seed + i``, or with the i-th of a list.
            options: ``{"task_id": …}`` chooses a task for all; ``{"reset_mask": …}``, shape (copies,), bool, says in
                which copies new episodes begin.

        Raises:
            UnknownNameError: no task of this environment has the id.
            ArgumentError: an unknown option, a mask of another shape or type, or another number of seeds.
            ClosedEnvironmentError: after `close`.
        """
        play = self._open()
        super().reset(seed=seed if isinstance(seed, int) else None)
        return play.reset(seed, options)

    def step(self, actions: ArrayLike) -> tuple[Observation, NDArray[np.float64], Flags, Flags, dict[str, Any]]:
        """Take one action in each copy.

        Raises:
            NotResetError: before `reset`.
            ClosedEnvironmentError: after `close`.
            EpisodeOver: an episode has ended, with `AutoresetMode.DISABLED`.
            InvalidAction: `actions` are not one for each copy. The states are unchanged in all three cases.
        """
        observation, stepped, infos = self._open().step(actions)
        return observation, stepped.reward, stepped.terminated, stepped.truncated, infos

    def render(self) -> tuple[NDArray[np.uint8], ...] | None:
        """A picture of each copy, shape (height, width, 3), with the render mode ``rgb_array``; None without.

        Raises:
            NotResetError: before `reset`.
            ClosedEnvironmentError: after `close`.
        """
        play = self._open()
        return None if self._pictures is None else self._pictures.frames(play.copies.rows)

    def _open(self) -> VectorPlay:
        if self.closed:
            raise ClosedEnvironmentError(f"{self} has been closed; make another one")
        return self._play


def _batched(space: spaces.Space[Any], count: int) -> spaces.Space[Any]:
    """What `batch_space` makes of a space, in which it would copy the missions one by one."""
    if not isinstance(space, spaces.Dict):
        return batch_space(space, count)
    missions = spaces.Tuple([space["mission"]] * count)
    return spaces.Dict({key: missions if key == "mission" else batch_space(each, count) for key, each in space.items()})


def make_vector_environment(
    task: TaskSource | Iterable[TaskSource], num_envs: int = 1, **options: Any
) -> VectorMultiGridEnv:
    """What ``gymnasium.make_vec`` calls: copies of the tasks that are named.

    Raises as `find_tasks` and `check_names` do.
    """
    check_names(VectorMultiGridEnv, options, "the vector environment")
    return VectorMultiGridEnv(find_tasks(task), num_envs, **options)
