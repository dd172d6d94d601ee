"""`VectorGridEnv`: many copies of tasks as one of Gymnasium's vector environments, stepped together on tables."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import prod
from typing import Any, Literal

import numpy as np
from gymnasium import spaces
from gymnasium.error import ClosedEnvironmentError
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from minigrid.core.constants import TILE_PIXELS
from numpy.typing import ArrayLike, NDArray

from gridworld.errors import UnknownNameError
from gridworld.plugins.arguments import check_names
from gridworld.suites import TaskSource, find_tasks
from gridworld.support.whole_numbers import whole_number
from gridworld.task_spec import TaskSpecification
from gridworld.vector import DEFAULT_TABULATED, SteppingTable, VectorPlay
from gridworld.vector.kept_pictures import PicturedObserver
from gridworld.vector.missions import Missions as CopyMissions
from gridworld.vector.observer import NothingObserver, Observation, Observer, StateObserver
from gridworld.vector.vector_arguments import named_mode, refuse_too_many
from gridworld_minigrid.image_observer import ImageObserver
from gridworld_minigrid.missions import Missions
from gridworld_minigrid.pictures_observer import PicturesObserver
from gridworld_minigrid.sizes import MAX_SIDE, asked_tile_size
from gridworld_minigrid.task_sets import compile_tasks, grid_size, image_size, mission_of, view_size
from gridworld_minigrid.vector_views import FieldViews, GridViews, SymbolicViews

__all__ = ["VectorGridEnv", "make_vector_environment"]

Shown = Literal["view", "grid", "pictures", "state", "none"]
SHOWN: tuple[Shown, ...] = ("view", "grid", "pictures", "state", "none")
Flags = NDArray[np.bool_]


class VectorGridEnv(VectorEnv[Observation, ArrayLike, NDArray[Any]]):
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
            ``rgb_array``, an array of shape (copies, height, width, 3), uint8, for which tasks need mazes of one size;
            ``state``, the number of the state; or ``none``, a 0.
        autoreset_mode: when an ended episode is followed by the next.
        copy: whether each observation is in an array of its own; otherwise one array is filled in every step. That of
            pictures is read-only then, and many times quicker.
        agent_view_size: cells along a side of the symbolic view, odd and at least 3; by default each task's.
        tile_size: the width of a cell of pictures in pixels; less where pictures would be larger than `max_side`.
        highlight: whether pictures show the agents' fields of view lighter, as MiniGrid's do.
        max_side: the largest width and height of pictures in pixels; a cell has at least one.
        max_states: how many states a task may have to be tabulated.
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
            least 0, or there is no such render mode.
    """

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
        if observation not in SHOWN:
            raise UnknownNameError("observation", str(observation), SHOWN, listed_as="there are")
        if render_mode not in ("rgb_array", None):
            raise ValueError(f"render_mode has to be 'rgb_array' or None, got {render_mode!r}")
        mode = named_mode(AutoresetMode, autoreset_mode)
        self.metadata = {"autoreset_mode": mode, "render_modes": ["rgb_array"], "render_fps": 10}
        self.render_mode = render_mode
        self.num_envs = num_envs = whole_number("num_envs", num_envs, 1)
        tasks = compile_tasks([task] if isinstance(task, TaskSpecification) else task)
        sizes = [view_size(world, agent_view_size) for world in tasks.worlds]
        columns, rows = grid_size(tasks.worlds)
        tile_size = asked_tile_size(tile_size, columns, rows, max_side)
        side = image_size(tasks.worlds, agent_view_size)
        observed = {"view": 3 * side**2, "grid": 3 * columns * rows}.get(observation, 0)
        refuse_too_many(num_envs, observed, len(tasks.worlds))
        drawn = observation == "pictures" or render_mode is not None
        numbered = drawn or observation not in ("state", "none")
        table = SteppingTable(tasks.worlds, numbered=numbered, max_states=max_states)
        lit = sizes if highlight else None
        pictures = PicturesObserver(table.rows, num_envs, tile_size, lit, copy) if drawn else None
        observer: Observer
        if observation == "pictures" and pictures is not None:
            refuse_too_many(num_envs, prod(pictures.shape), len(tasks.worlds))
            observer, self.single_observation_space = pictures, spaces.Box(0, 255, pictures.shape, np.uint8)
        elif observation == "none":
            observer, self.single_observation_space = NothingObserver(), spaces.Discrete(1)
        elif observation == "state":
            observer, self.single_observation_space = StateObserver(), spaces.Discrete(table.count)
        else:
            whole = observation == "grid"
            views: SymbolicViews = GridViews(table.rows) if whole else FieldViews(table.rows, sizes, side)
            out = None if copy else np.zeros((num_envs, *views.shape), dtype=np.uint8)
            missions = [mission_of(world) for world in tasks.worlds]
            observer = ImageObserver(table.rows, views, CopyMissions(table.rows, missions), out)
            self.single_observation_space = _image_space(views.shape, missions)
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
        """Take one of MiniGrid's seven actions in each copy.

        Raises:
            NotResetError: before `reset`.
            ClosedEnvironmentError: after `close`.
            EpisodeOver: an episode has ended, with `AutoresetMode.DISABLED`.
            InvalidAction: `actions` are not one of the seven for each copy. The states are unchanged in all
                three cases.
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


def _image_space(shape: tuple[int, int, int], missions: Sequence[str]) -> spaces.Dict:
    """The space of `CustomMiniGridEnv`."""
    return spaces.Dict(
        direction=spaces.Discrete(4), image=spaces.Box(0, 255, shape, np.uint8), mission=Missions(missions)
    )


def _batched(space: spaces.Space[Any], count: int) -> spaces.Space[Any]:
    """What `batch_space` makes of a space, in which it would copy the missions one by one."""
    if not isinstance(space, spaces.Dict):
        return batch_space(space, count)
    missions = spaces.Tuple([space["mission"]] * count)
    return spaces.Dict({key: missions if key == "mission" else batch_space(each, count) for key, each in space.items()})


def make_vector_environment(
    task: TaskSource | Iterable[TaskSource], num_envs: int = 1, **options: Any
) -> VectorGridEnv:
    """What ``gymnasium.make_vec`` calls: copies of the tasks that are named.

    Raises as `find_tasks` and `check_names` do.
    """
    check_names(VectorGridEnv, options, "the vector environment")
    return VectorGridEnv(find_tasks(task), num_envs, **options)
