"""What a backend is: a topology, observations and a picture of the world that the kernel runs.

A backend never decides what happens: `AbstractGridBackend` steps the kernel, and subclasses only show the result.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

from gridworld.backends.grid_state import GridState, known_snapshot, snapshot
from gridworld.errors import NotResetError
from gridworld.task_spec import TaskSpecification
from gridworld.world.episode import Episode
from gridworld.world.events import Event
from gridworld.world.rules import compile_world
from gridworld.world.topology import Topology
from gridworld.world.world import World

__all__ = ["AbstractGridBackend", "GridState"]

Observation = Any
Info = dict[str, Any]


class AbstractGridBackend(ABC):
    """One task at a time, shown to an agent.

    Call `configure`, then `reset`, then `step` until the episode is terminated or truncated. `info` holds at least
    ``events``, the kernel's records of what the step did.
    """

    _episode: Episode | None = None

    @property
    @abstractmethod
    def name(self) -> str:
        """The name under which results are reported, that of its `BackendInfo`."""

    @property
    @abstractmethod
    def tiling(self) -> str:
        """The name of the tiling on which tasks are laid out, such as ``square``."""

    @abstractmethod
    def make_topology(self, task: TaskSpecification) -> Topology:
        """The topology on which to lay out a task."""

    @abstractmethod
    def observe(self) -> Observation:
        """What the agent observes of the present state."""

    @abstractmethod
    def render(self) -> Any:
        """A picture of the present state: an RGB array of shape (height, width, 3), uint8."""

    def on_configure(self) -> None:
        """Called after another task has been compiled."""

    def on_reset(self) -> None:
        """Called after the episode has gone back to its start."""

    def take(self, action: int) -> tuple[Event, ...]:
        """Let the episode take one of the seven actions; raises as `step` does."""
        return self.episode.step(action)

    def on_step(self, events: tuple[Event, ...]) -> None:
        """Called after each step with what it did."""

    def extra_info(self) -> Info:
        """Entries to add to the `info` of `reset` and `step`."""
        return {}

    def close(self) -> None:
        """Release what the backend holds; it can be configured again afterwards."""
        self._episode = None

    @property
    def episode(self) -> Episode:
        """The running episode.

        Raises:
            NotResetError: before `configure`.
        """
        if self._episode is None:
            raise NotResetError("configure(task) has to be called first")
        return self._episode

    @property
    def world(self) -> World:
        """The compiled task."""
        return self.episode.world

    def configure(self, task_spec: TaskSpecification) -> None:
        """Take on a task; its tables are kept as long as the same specification is configured again.

        Raises:
            InvalidTaskError: the task cannot be; the backend keeps the one it had.
        """
        if self._episode is not None and self._episode.world.task is task_spec:
            self._episode.clear()
            return
        self._episode = Episode(compile_world(task_spec, self.make_topology(task_spec)))
        self.on_configure()

    def reset(self, seed: int | None = None) -> tuple[Observation, GridState, Info]:
        """Go back to the start of the task. The world has no chance in it, so `seed` changes nothing."""
        self.episode.reset()
        self.on_reset()
        return self.observe(), self.get_state(), {"events": (), **self.extra_info()}

    def step(self, action: int) -> tuple[Observation, float, bool, bool, GridState, Info]:
        """Take one action; returns observation, reward, terminated, truncated, state and info.

        Raises:
            NotResetError: before `configure` and `reset`.
            EpisodeOver: the episode has ended.
            InvalidAction: `action` is not one of the seven. The state is unchanged in all three cases.
        """
        events = self.take(action)
        self.on_step(events)
        state = self.get_state()
        info = {"events": events, **self.extra_info()}
        return self.observe(), state.reward, state.terminated, state.truncated, state, info

    def get_mission_text(self) -> str:
        """The sentence that tells the agent what to achieve."""
        world = self.world
        return world.goal_type.mission(world.task)

    def get_state(self) -> GridState:
        """A snapshot of the present state, with everything in it, shown to the agent or not."""
        return snapshot(self.episode)

    def get_known_state(self) -> GridState:
        """A snapshot of what the agent has been shown: what a policy may be given."""
        return known_snapshot(self.episode)
