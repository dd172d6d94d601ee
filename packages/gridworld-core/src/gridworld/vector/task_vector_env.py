"""`TaskVectorEnv`: base of the vector environments of all backends; needs Gymnasium, unlike the rest of the core."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Protocol

import numpy as np
from gymnasium import spaces
from gymnasium.error import ClosedEnvironmentError
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import ArrayLike, NDArray

from gridworld.errors import UnknownNameError
from gridworld.runner.task_set import TaskSet
from gridworld.support.checks import check_bool, check_choice, check_int, refuse_too_large
from gridworld.support.wording import shorten
from gridworld.vector.observers import (
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

Flags = NDArray[np.bool_]

PICTURES, STATE, NOTHING = "pictures", "state", "none"
"""Observations that every backend supports besides its own views."""
RENDERED = "rgb_array"
FRAMES_PER_SECOND = 10

BYTES_PER_ENV, BYTES_PER_GENERATOR = 160, 1800
"""Measured memory per environment without its observations, and per generator that chooses tasks, in bytes."""
TIMES_OBSERVED, TIMES_RENDERED = 8, 2
"""Factors for memory checks, since spaces also hold bounds, and observations and rendered pictures are copied."""
BYTES_PER_PICTURED_CELL = 6
"""Memory per cell of a state for pictures: the number of its look, and whether it is in sight and highlighted."""


class Display(Protocol):
    """How a backend shows tasks; allocates nothing large before `views` or `pictures` is called."""

    def view_space(self) -> spaces.Space[Any]:
        """Return the observation space of one environment's view."""
        ...

    def picture_shape(self) -> tuple[int, int, int]:
        """Return the shape of one picture, (height, width, 3); raises `ArgumentError` if tasks differ in size."""
        ...

    def view_bytes(self) -> int:
        """Return the size of one environment's view in bytes."""
        ...

    def bytes_of_state(self) -> int:
        """Return the memory per viewed state in bytes."""
        ...

    def views(self, rows: StateRows, count: int, copy: bool) -> Observer:
        """Make the observer of the backend's own views.

        Args:
            rows: the rows of states.
            count: number of environments.
            copy: whether each observation is a new array; otherwise one array is updated in place.
        """
        ...

    def pictures(self, rows: StateRows, count: int, copy: bool) -> KeptPictures:
        """Make the observer of pictures; arguments as for `views`."""
        ...


class TaskVectorEnv(VectorEnv[Observation, ArrayLike, NDArray[Any]]):
    """A batch of environments that play one task, or choose one from a set for each episode.

    Args:
        tasks: the compiled tasks.
        acts: the kernel's acts, by action number.
        display: how tasks are shown.
        views: names of the backend's own observations.
        num_envs: number of environments.
        observation: one of `views`, or ``pictures``, ``state`` or ``none``.
        autoreset_mode: when the next episode follows an ended one.
        copy: whether each observation is a new array.
        max_states: largest number of states of a task that is tabulated.
        events: whether infos contain events.
        render_mode: ``rgb_array`` or None.

    Raises:
        UnknownNameError: unknown observation or autoreset mode.
        ValueError: a number or boolean is invalid, or the render mode is unknown.
        NotTabulatedError: states are observed, and a task is not tabulated.
        ArgumentError: pictures are requested of tasks of different sizes, or the batch would need more than 4 GB.
    """

    def __init__(
        self,
        tasks: TaskSet,
        acts: Iterable[Act],
        display: Display,
        views: Sequence[str],
        *,
        num_envs: int,
        observation: str,
        autoreset_mode: AutoresetMode | str,
        copy: bool,
        max_states: int,
        events: bool,
        render_mode: str | None,
    ) -> None:
        known = (*views, PICTURES, STATE, NOTHING)
        if not isinstance(observation, str) or observation not in known:
            raise UnknownNameError("observation", shorten(str(observation)), known, listed_as="there are")
        check_choice("render_mode", render_mode, [RENDERED, None])
        self.num_envs, mode = check_int("num_envs", num_envs, 1), _autoreset_mode(autoreset_mode)
        copy, events = check_bool("copy", copy), check_bool("events", events)
        max_states = check_int("max_states", max_states, 0)
        self.metadata = {"autoreset_mode": mode, "render_modes": [RENDERED], "render_fps": FRAMES_PER_SECOND}
        self.render_mode = render_mode
        viewed, drawn = observation in views, observation == PICTURES or render_mode is not None
        self._check_memory(display, len(tasks.worlds) > 1, observation, viewed, drawn)
        pictured = BYTES_PER_PICTURED_CELL * max(world.topology.cell_count for world in tasks.worlds)
        table = SteppingTable(
            tasks.worlds,
            acts,
            numbered=drawn or viewed,
            max_states=max_states,
            bytes_of_state=(display.bytes_of_state() if viewed else 0) + (pictured if drawn else 0),
        )
        self._pictures = display.pictures(table.rows, self.num_envs, copy) if drawn else None
        observer: Observer
        space: spaces.Space[Any]
        if observation == PICTURES and self._pictures is not None:
            observer, space = self._pictures, spaces.Box(0, 255, display.picture_shape(), np.uint8)
        else:
            if viewed:
                observer, space = display.views(table.rows, self.num_envs, copy), display.view_space()
            elif observation == STATE:
                observer, space = StateObserver(), spaces.Discrete(table.count)
            else:
                observer, space = NothingObserver(), spaces.Discrete(1)
            if self._pictures is not None:
                observer = PicturedObserver(observer, self._pictures)
        self._play = VectorPlay(tasks, table, self.num_envs, observer, mode.value, events)
        self.single_observation_space = space
        self.observation_space = batch_space(space, self.num_envs)
        self.single_action_space = spaces.Discrete(len(table.acts))
        self.action_space = batch_space(self.single_action_space, self.num_envs)

    def _check_memory(self, display: Display, several: bool, observation: str, viewed: bool, drawn: bool) -> None:
        """Reject a batch that does not fit into memory, before allocating it."""
        observed, rendered = display.view_bytes() if viewed else 0, 0
        shown = f"views of {observed:,} bytes" if observed else ""
        if drawn:
            height, width, colors = display.picture_shape()
            shown, rendered = f"pictures of {width} x {height} pixels", height * width * colors
            if observation == PICTURES:
                observed, rendered = rendered, 0
        each = BYTES_PER_ENV + TIMES_OBSERVED * observed + TIMES_RENDERED * rendered
        each += BYTES_PER_GENERATOR if several else 0
        what = f"num_envs: {self.num_envs:,} environments{shown and f' with {shown}'}"
        refuse_too_large(what, self.num_envs * each, "ask for smaller ones, or for fewer" if shown else "ask for fewer")

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Begin new episodes; if it raises, nothing changes.

        Args:
            seed: seeds the choice among several tasks: environment `i` gets ``seed + i``, or the i-th of a sequence.
            options: ``{"task_id": …}`` selects one task for all environments; ``{"reset_mask": …}``, a bool array of
                shape (num_envs,), selects the environments to reset.

        Raises:
            UnknownNameError: no task of this environment has the id.
            ArgumentError: an option is unknown, a mask has another shape or dtype, or the number of seeds is wrong.
            ValueError: a seed is not an integer of at least 0.
            ClosedEnvironmentError: the environment has been closed.
        """
        returned = self._open().reset(seed, options)
        if isinstance(seed, int):
            super().reset(seed=seed)
        return returned

    def step(self, actions: ArrayLike) -> tuple[Observation, NDArray[np.float64], Flags, Flags, dict[str, Any]]:
        """Take one action in each environment; if it raises, nothing changes.

        Raises:
            NotResetError: `reset` has not been called.
            ClosedEnvironmentError: the environment has been closed.
            EpisodeOver: an episode has ended, with `AutoresetMode.DISABLED`.
            InvalidAction: `actions` are not one valid action per environment.
        """
        observation, stepped, infos = self._open().step(actions)
        return observation, stepped.reward, stepped.terminated, stepped.truncated, infos

    def action_masks(self) -> Flags:
        """Return which actions could have an effect, given what the agent has seen; shape (num_envs, actions), bool.

        Equal to the masks of single environments; reveals nothing that the rules hide (`gridworld.world.masks`). Each
        mask is computed when an environment first reaches its state, so masks cost nothing until they are requested.

        Raises:
            NotResetError: `reset` has not been called, or masks depend on the history, as in fog, and the history since
                `reset` exceeds its limit of 64 MB.
            ClosedEnvironmentError: the environment has been closed.
        """
        return self._open().action_masks()

    def render(self) -> tuple[NDArray[np.uint8], ...] | None:
        """Return one picture per environment, shape (height, width, 3); None unless `render_mode` is ``rgb_array``.

        Raises:
            NotResetError: `reset` has not been called.
            ClosedEnvironmentError: the environment has been closed.
        """
        play = self._open()
        if self.render_mode is None or self._pictures is None:
            return None
        return self._pictures.frames(play.batch.rows)

    def _open(self) -> VectorPlay:
        if self.closed:
            raise ClosedEnvironmentError(f"{self} is closed; create a new one")
        return self._play


def _autoreset_mode(given: object) -> AutoresetMode:
    try:
        return AutoresetMode(given)
    except ValueError:
        names = [mode.value for mode in AutoresetMode]
        raise UnknownNameError("autoreset_mode", shorten(str(given)), names, listed_as="there are") from None
