"""`AbstractGridBackend`: the contract of every backend.

Backends for worlds of this toolkit's kernel derive from `gridworld.backends.kernel.KernelBackend`, which implements
most of the contract. A backend around another simulator derives from `gridworld.backends.simulator.SimulatorBackend`,
or implements the seven abstract methods below.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar

from gridworld.backends.grid_state import GridState
from gridworld.backends.pictures import PictureSettings
from gridworld.errors import ArgumentError
from gridworld.plugins.registry import owner_of
from gridworld.task_spec import TaskSpecification

__all__ = ["AbstractGridBackend", "GridState", "Info", "Observation"]

Observation = Any
"""Observation of an agent; for models that take pictures, an RGB array of shape (height, width, 3), uint8."""

Info = dict[str, Any]
"""Additional facts about a reset or step.

A backend that reports events has a tuple of `gridworld.world.events.Event` under ``events``, empty after a reset; other
backends omit this entry.
"""


class AbstractGridBackend(ABC):
    """A backend, which shows one task at a time to an agent.

    Call `configure`, then `reset`, then `step` until the episode is terminated or truncated.
    """

    turns_in_place: ClassVar[bool] = True
    """Whether a turn on squares is a quarter turn that leaves the agent on its cell; False for other physics."""
    moves_one_cell: ClassVar[bool] = True
    """Whether moving forward on bare floor of squares leads exactly one cell ahead; False for other physics."""

    @property
    def name(self) -> str:
        """Name in reported results: by default the class name; plugins use the name in their `BackendInfo`."""
        return type(self).__name__

    @property
    def tiling(self) -> str | None:
        """Name of the tiling, such as ``square``; None for a backend without tilings."""
        return None

    @abstractmethod
    def configure(self, task_spec: TaskSpecification) -> None:
        """Prepare a task.

        Raises:
            InvalidTaskError: the task is invalid or not supported; the previous one is kept.
        """

    @abstractmethod
    def reset(self, seed: int | None = None) -> tuple[Observation, GridState, Info]:
        """Restart the task; returns observation, state and info.

        Raises:
            NotResetError: called before `configure`.
        """

    @abstractmethod
    def step(self, action: int) -> tuple[Observation, float, bool, bool, GridState, Info]:
        """Take one of the seven actions; returns observation, reward, terminated, truncated, state and info.

        An error leaves the state unchanged.

        Raises:
            NotResetError: called before `configure` and `reset`.
            EpisodeOver: the episode has ended.
            InvalidAction: the action is unknown.
        """

    @abstractmethod
    def render(self) -> Any:
        """Draw the current state as an RGB array of shape (height, width, 3), uint8.

        Raises:
            NotResetError: called before `configure` and `reset`.
        """

    @abstractmethod
    def get_mission_text(self) -> str:
        """Return the sentence that states the agent's goal.

        Raises:
            NotResetError: called before `configure`.
        """

    @abstractmethod
    def get_state(self) -> GridState:
        """Return the full current state as a new object.

        Raises:
            NotResetError: called before `configure` and `reset`.
        """

    @abstractmethod
    def close(self) -> None:
        """Release resources; the backend can be configured again."""

    @property
    def draws_any_size(self) -> bool:
        """Whether `set_pictures` supports sizes; False by default."""
        return False

    def set_pictures(self, settings: PictureSettings) -> None:
        """Set the picture settings; takes effect at the next `configure`, which must follow.

        The default implementation supports only the backend's own pictures.

        Raises:
            ArgumentError: the settings are not supported; the previous ones are kept.
        """
        lacking = " and ".join(settings.wishes())
        if lacking:
            owner = owner_of("backend", self, self.name)
            raise ArgumentError(f"{owner} draws pictures only in its own style and does not support {lacking}")

    def get_known_state(self) -> GridState:
        """Return the current state restricted to what the agent has seen; by default the full state."""
        return self.get_state()

    def digest(self) -> str:
        """Return the digest of the current state, 16 hexadecimal digits; by default `GridState.digest`."""
        return self.get_state().digest()
