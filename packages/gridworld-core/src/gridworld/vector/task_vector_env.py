"""`TaskVectorEnv`: what the vector environments of all backends have in common."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gridworld.runner.task_set import TaskSet
from gridworld.vector.display import Display
from gridworld.vector.kept_pictures import KeptPictures, PicturedObserver
from gridworld.vector.observer import NothingObserver, Observation, Observer, StateObserver
from gridworld.vector.state_rows import StateRows
from gridworld.vector.stepping_table import SteppingTable
from gridworld.vector.vector_arguments import NOTHING, PICTURES, STATE, VectorArguments, refuse_too_many
from gridworld.vector.vector_play import VectorPlay
from gridworld.world.acts import Act

__all__ = ["TaskVectorEnv"]

Flags = NDArray[np.bool_]
FRAMES_PER_SECOND = 10
BYTES_PER_PICTURED_CELL = 6
"""Bytes that pictures keep of each cell of a state: the number of how it looks, whether it is seen, and lit."""


class TaskVectorEnv(ABC):
    """Copies of a task, or of a set of tasks of which each episode of a copy plays one.

    The core does not import Gymnasium: a class of a backend inherits from Gymnasium's ``VectorEnv``, too, after this,
    and adds its spaces.

    Args:
        arguments: what is asked for.
        tasks: the tasks, compiled.
        acts: the kernel's acts, in the order of the numbers of their actions.
        display: how they are shown.

    Raises:
        NotTabulatedError: the state is to be observed, and a task is not tabulated.
        ArgumentError: pictures are asked for of tasks of different sizes, or so many copies, or large pictures of them,
            that they take more than 4 GB.
    """

    closed_error: ClassVar[type[Exception]]
    """What is raised after `close`: Gymnasium's own."""
    closed: bool
    metadata: dict[str, Any]
    num_envs: int
    render_mode: str | None

    def __init__(self, arguments: VectorArguments, tasks: TaskSet, acts: Iterable[Act], display: Display) -> None:
        _refuse_what_does_not_fit(arguments, tasks, display)
        mode, count = arguments.autoreset_mode, arguments.num_envs
        self.metadata = {"autoreset_mode": mode, "render_modes": ["rgb_array"], "render_fps": FRAMES_PER_SECOND}
        self.render_mode, self.num_envs = arguments.render_mode, count
        self._observes_states = arguments.observation == STATE
        self._table = SteppingTable(
            tasks.worlds,
            acts,
            numbered=arguments.drawn or arguments.viewed,
            max_states=arguments.max_states,
            bytes_of_state=_bytes_of_state(arguments, tasks, display),
        )
        rows = self._table.rows
        self._pictures = display.pictures(rows, count, arguments.copy) if arguments.drawn else None
        observer = _observer(arguments, display, rows, self._pictures)
        self._play = VectorPlay(tasks, self._table, count, observer, mode.value, arguments.events)

    @property
    def action_count(self) -> int:
        """How many actions there are."""
        return self._table.arrays.actions

    @property
    def number_count(self) -> int:
        """How many different numbers can be observed, where these are states or nothing.

        Raises:
            NotTabulatedError: a task is not tabulated, so that it is not known how many states there are.
        """
        return self._table.count if self._observes_states else 1

    @abstractmethod
    def _seed(self, seed: int) -> None:
        """Seed what Gymnasium's ``VectorEnv`` has of random numbers."""

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
            ValueError: a seed is not a whole number of at least 0.
            ClosedEnvironmentError: after `close`. Nothing is changed in all these cases.
        """
        returned = self._open().reset(seed, options)
        if isinstance(seed, int):
            self._seed(seed)
        return returned

    def step(self, actions: ArrayLike) -> tuple[Observation, NDArray[np.float64], Flags, Flags, dict[str, Any]]:
        """Take one action in each copy.

        Raises:
            NotResetError: before `reset`.
            ClosedEnvironmentError: after `close`.
            EpisodeOver: an episode has ended, with `AutoresetMode.DISABLED`.
            InvalidAction: `actions` are not one of the action space for each copy. The states are unchanged in all
                four cases.
        """
        observation, stepped, infos = self._open().step(actions)
        return observation, stepped.reward, stepped.terminated, stepped.truncated, infos

    def action_masks(self) -> Flags:
        """Which actions could have an effect in each copy as far as has been shown: shape (copies, actions), bool.

        They are those of the single environments, and tell nothing that the rules hide (`gridworld.world.masks`). That
        of a state is found out when a copy first gets there; who never asks for masks does not pay for them.

        Raises:
            NotResetError: before `reset`; or masks depend on what has been seen on the way, as in fog, and it is asked
                for them after so many steps that there was no room to note them, which is 64 MB.
            ClosedEnvironmentError: after `close`.
        """
        return self._open().action_masks()

    def render(self) -> tuple[NDArray[np.uint8], ...] | None:
        """A picture of each copy, shape (height, width, 3), with the render mode ``rgb_array``; None without.

        Raises:
            NotResetError: before `reset`.
            ClosedEnvironmentError: after `close`.
        """
        play = self._open()
        if self.render_mode is None or self._pictures is None:
            return None
        return self._pictures.frames(play.copies.rows)

    def _open(self) -> VectorPlay:
        if self.closed:
            raise self.closed_error(f"{self} has been closed; make another one")
        return self._play


def _bytes_of_state(arguments: VectorArguments, tasks: TaskSet, display: Display) -> int:
    """The bytes that observers keep of each state."""
    pictured = BYTES_PER_PICTURED_CELL * max(world.topology.cell_count for world in tasks.worlds)
    return (display.bytes_of_state() if arguments.viewed else 0) + (pictured if arguments.drawn else 0)


def _refuse_what_does_not_fit(arguments: VectorArguments, tasks: TaskSet, display: Display) -> None:
    count, several = arguments.num_envs, len(tasks.worlds)
    viewed = display.view_bytes() if arguments.viewed else 0
    if not arguments.drawn:
        refuse_too_many(count, several, viewed, shown=f"views of {viewed:,} bytes" if viewed else "")
        return
    height, width, colors = display.picture_shape()
    picture, shown = height * width * colors, f"pictures of {width} x {height} pixels"
    if arguments.observation == PICTURES:
        refuse_too_many(count, several, picture, shown=shown)
    else:
        refuse_too_many(count, several, viewed, picture, shown)


def _observer(arguments: VectorArguments, display: Display, rows: StateRows, pictures: KeptPictures | None) -> Observer:
    if arguments.observation == PICTURES and pictures is not None:
        return pictures
    observer: Observer
    if arguments.observation == NOTHING:
        observer = NothingObserver()
    elif arguments.observation == STATE:
        observer = StateObserver()
    else:
        observer = display.views(rows, arguments.num_envs, arguments.copy)
    return observer if pictures is None else PicturedObserver(observer, pictures)
