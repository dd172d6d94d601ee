"""`TaskVectorEnv`: what the vector environments of all backends have in common."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from enum import Enum
from typing import Any, ClassVar, TypeVar

import attrs
import numpy as np
from numpy.typing import ArrayLike, NDArray

from gridworld.errors import UnknownNameError
from gridworld.runner.task_set import TaskSet
from gridworld.support.checks import check_bool, check_choice, check_int, refuse_too_large
from gridworld.support.wording import shorten
from gridworld.vector.observers import (
    Display,
    KeptPictures,
    NothingObserver,
    Observation,
    Observer,
    PicturedObserver,
    StateObserver,
)
from gridworld.vector.state_rows import StateRows
from gridworld.vector.stepping_table import SteppingTable
from gridworld.vector.vector_play import VectorPlay
from gridworld.world.acts import Act

Mode = TypeVar("Mode", bound=Enum)

PICTURES = "pictures"
"""The observation of pictures. It and the following are there with every backend, beside views of its own."""
STATE = "state"
"""The observation of the number of the state."""
NOTHING = "none"
"""The observation of nothing."""
RENDERED = "rgb_array"

COPY = 160
"""Bytes that a copy takes beside what is observed of it, as measured: its place, rewards and flags, its share of the
spaces."""
OF_SEVERAL = 1800
"""Bytes more where it draws its tasks: its generator."""
TIMES_OBSERVED = 8
"""So many times the memory of the observations is taken: by the bounds of their space, and by copies of those."""
TIMES_RENDERED = 2
"""The same of pictures that are rendered: they are kept, and copied for whoever asks."""


@attrs.frozen(kw_only=True)
class VectorArguments:
    """The arguments that the vector environments of all backends share, as `checked` has found them to be right."""

    num_envs: int
    observation: str
    autoreset_mode: Enum
    copy: bool
    max_states: int
    events: bool
    render_mode: str | None

    @classmethod
    def checked(
        cls,
        views: Sequence[str],
        modes: type[Enum],
        *,
        num_envs: object,
        observation: object,
        autoreset_mode: object,
        copy: object,
        max_states: object,
        events: object,
        render_mode: object,
    ) -> VectorArguments:
        """The arguments, if they make sense.

        Args:
            views: the observations that only this backend has.
            modes: Gymnasium's autoreset modes.
            num_envs: how many copies.
            observation: what is observed of them.
            autoreset_mode: when an ended episode is followed by the next.
            copy: whether each observation is in an array of its own.
            max_states: how many states a task may have to be tabulated.
            events: whether infos tell of events.
            render_mode: ``rgb_array`` or None.

        Raises:
            UnknownNameError: there is no such observation or mode.
            ValueError: a number is none or too small, a truth value is none, or there is no such render mode.
        """
        observations = (*views, PICTURES, STATE, NOTHING)
        if not isinstance(observation, str) or observation not in observations:
            raise UnknownNameError("observation", shorten(str(observation)), observations, listed_as="there are")
        check_choice("render_mode", render_mode, [RENDERED, None])
        return cls(
            num_envs=check_int("num_envs", num_envs, 1),
            observation=observation,
            autoreset_mode=named_mode(modes, autoreset_mode),
            copy=check_bool("copy", copy),
            max_states=check_int("max_states", max_states, 0),
            events=check_bool("events", events),
            render_mode=None if render_mode is None else RENDERED,
        )

    @property
    def viewed(self) -> bool:
        """Whether one of the backend's own views is observed."""
        return self.observation not in (PICTURES, STATE, NOTHING)

    @property
    def drawn(self) -> bool:
        """Whether there are pictures, to be observed or rendered."""
        return self.observation == PICTURES or self.render_mode is not None


def named_mode(modes: type[Mode], given: object) -> Mode:
    """One of Gymnasium's autoreset modes, or the one of a name.

    Raises:
        UnknownNameError: there is no such mode.
    """
    try:
        return modes(given)
    except ValueError:
        names = [mode.value for mode in modes]
        raise UnknownNameError("autoreset_mode", shorten(str(given)), names, listed_as="there are") from None


def refuse_too_many(count: int, tasks: int, observed: int, rendered: int = 0, shown: str = "") -> None:
    """Make sure that so many copies fit into memory.

    Args:
        count: how many.
        tasks: how many tasks they play.
        observed: the bytes of what is observed of one.
        rendered: the bytes of a picture of one, where pictures are rendered beside what is observed.
        shown: what is shown of each, as the message says after "with"; empty for nothing that takes room.

    Raises:
        ArgumentError: they do not, as far as can be told without making them.
    """
    each = COPY + TIMES_OBSERVED * observed + TIMES_RENDERED * rendered + (OF_SEVERAL if tasks > 1 else 0)
    what = f"num_envs: {count:,} environments{shown and f' with {shown}'}"
    refuse_too_large(what, count * each, "ask for smaller ones, or for fewer" if shown else "ask for fewer")


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
