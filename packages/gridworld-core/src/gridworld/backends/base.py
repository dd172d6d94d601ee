"""What every backend offers, whatever simulates its worlds: `AbstractGridBackend`, the contract and no more.

Backends that show the worlds of this toolkit's kernel derive from `gridworld.backends.kernel.KernelBackend` and get
most of it from there. A backend around another simulator derives from
`gridworld.backends.simulator.SimulatorBackend`, or implements the seven abstract methods below.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

from gridworld.backends.grid_state import GridState
from gridworld.backends.pictures import PictureSettings
from gridworld.errors import ArgumentError
from gridworld.plugins.faults import backend_name
from gridworld.task_spec import TaskSpecification

__all__ = ["AbstractGridBackend", "GridState", "Info", "Observation"]

Observation = Any
"""What an agent observes; for models that are shown pictures an RGB array of shape (height, width, 3), uint8."""

Info = dict[str, Any]
"""Further facts about a reset or step. A backend that reports what its steps did has a tuple of
`gridworld.world.events.Event` under ``events``, empty after a reset; any other backend has no such entry."""


class AbstractGridBackend(ABC):
    """One task at a time, shown to an agent.

    Call `configure`, then `reset`, then `step` until the episode is terminated or truncated.
    """

    @property
    def name(self) -> str:
        """The name under which results are reported: that of its `BackendInfo`, or by default its class's."""
        return type(self).__name__

    @property
    def tiling(self) -> str | None:
        """The name of the tiling on which tasks are laid out, such as ``square``; None where there is no tiling."""
        return None

    @abstractmethod
    def configure(self, task_spec: TaskSpecification) -> None:
        """Take on a task.

        Raises:
            InvalidTaskError: the task is invalid, or this backend cannot play it; the backend keeps the one it had.
        """

    @abstractmethod
    def reset(self, seed: int | None = None) -> tuple[Observation, GridState, Info]:
        """Go back to the start of the task; returns observation, state and info.

        Raises:
            NotResetError: before `configure`.
        """

    @abstractmethod
    def step(self, action: int) -> tuple[Observation, float, bool, bool, GridState, Info]:
        """Take one of the seven actions; returns observation, reward, terminated, truncated, state and info.

        Raises:
            NotResetError: before `configure` and `reset`.
            EpisodeOver: the episode has ended.
            InvalidAction: `action` is not one of the seven. The state is unchanged in all three cases.
        """

    @abstractmethod
    def render(self) -> Any:
        """A picture of the present state: an RGB array of shape (height, width, 3), uint8.

        Raises:
            NotResetError: before `configure` and `reset`.
        """

    @abstractmethod
    def get_mission_text(self) -> str:
        """The sentence that tells the agent what to achieve.

        Raises:
            NotResetError: before `configure`.
        """

    @abstractmethod
    def get_state(self) -> GridState:
        """The present state, with everything in it, shown to the agent or not; the caller may keep it.

        Raises:
            NotResetError: before `configure` and `reset`.
        """

    @abstractmethod
    def close(self) -> None:
        """Release what the backend holds; it can be configured again afterwards."""

    @property
    def draws_any_size(self) -> bool:
        """Whether `set_pictures` can be asked for a size; by default it cannot."""
        return False

    def set_pictures(self, settings: PictureSettings) -> None:
        """Draw in another way from the next `configure` on, for which a task in play is given up.

        By default there is no other way.

        Raises:
            ArgumentError: the backend has no such pictures; what it lacks is named, and it draws as before.
        """
        lacking = " and ".join(settings.wishes())
        if lacking:
            raise ArgumentError(
                f"{backend_name(self.name)} draws pictures in its own way only: it does not offer {lacking}"
            )

    def get_known_state(self) -> GridState:
        """What the agent has been shown of the present state; by default all of it."""
        return self.get_state()

    def digest(self) -> str:
        """A digest of the present state: 16 hexadecimal digits, by default those of `GridState.digest`."""
        return self.get_state().digest()
