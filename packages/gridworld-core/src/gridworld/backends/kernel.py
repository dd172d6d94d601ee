"""`KernelBackend`: a backend that shows the worlds of the rules kernel.

It never decides what happens: the kernel does, and subclasses only lay tasks out and show the result. Text
observations, oracle models, shortest plans and snapshots work on every such backend.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, Literal, get_args

import attrs

from gridworld.backends.base import AbstractGridBackend, Info, Observation
from gridworld.backends.grid_state import GridState, full_grid_state, known_grid_state
from gridworld.backends.pictures import OWN_PICTURES, PictureSettings
from gridworld.errors import GridworldError, NotResetError
from gridworld.support.png import is_rgb
from gridworld.task.validation import refuse_impossible_sides
from gridworld.task_spec import TaskSpecification
from gridworld.world.compilation import compile_world
from gridworld.world.digest import digest
from gridworld.world.episode import Episode
from gridworld.world.events import Event
from gridworld.world.knowledge import Snapshot
from gridworld.world.looks import CellLook
from gridworld.world.topology import Topology
from gridworld.world.world import World

__all__ = ["DEFAULT_MISSION", "KernelBackend", "MissionMode"]


@attrs.frozen
class GroundWords:
    """Words that follow a name and a colon, without a full stop; empty where there is nothing to tell."""

    wall: str = ""
    floor: str = ""
    agent: str = ""
    """How it is seen where it is, and which way it faces."""
    goal: str = ""
    """The place that the agent has to reach."""
    target: str = ""
    """What else a goal marks: where a block belongs, where to have been."""
    unseen: str = ""
    remembered: str = ""
    """What was seen earlier and is not in view now."""
    held: str = ""
    """Where what the agent carries is shown."""
    things: str = ""
    """What all things have, whatever they are."""


LETTERED = (
    "each has a letter on or beside it, the same for all that are alike, which can be another one in the next picture"
)
"""Of the style with letters."""


MissionMode = Literal["goal", "description", "both"]
"""What the mission is: the goal's sentence, the task's own ``description``, or the one and then the other."""
DEFAULT_MISSION: MissionMode = "goal"
"""What the mission is unless something else is asked for."""


class KernelBackend(AbstractGridBackend):
    """One task at a time, played by the kernel.

    `info` holds at least ``events``, the kernel's records of what the step did.
    """

    unseen: bool = False
    """Whether `skip_rendering` was asked for, and is possible: `reset` and `step` observe nothing in the task in play,
    and `info` holds the events alone."""
    _episode: Episode | None = None
    _mission: MissionMode = DEFAULT_MISSION

    @abstractmethod
    def make_topology(self, task: TaskSpecification) -> Topology:
        """The topology on which to lay out a task."""

    @abstractmethod
    def observe(self) -> Observation:
        """What the agent observes of the present state."""

    def skip_rendering(self) -> None:
        """Be `unseen` until `configure` is called again: nobody looks, as where `random` plays.

        By default all is observed as ever, since it may be more than a picture.
        """

    @property
    def pictured(self) -> bool:
        """Whether what the agent observes is a picture, be it drawn or `unseen`."""
        return is_rgb(self.observe())

    @property
    def ground_words(self) -> GroundWords:
        """How pictures show what no plugin draws: walls, floor, the agent, marks, what is not in view."""
        return GroundWords()

    def draw_tile(self, world: World, look: CellLook | None, heading: int | None = None) -> Any:
        """A lattice cell as pictures show it in view, with all cells that it has on the tiling.

        Args:
            world: a world on the tiling; it holds the things of the look.
            look: what is shown there; None for what may not be seen.
            heading: where an agent on it faces; None for no agent.

        Returns:
            RGB, shape (height, width, 3), uint8, of the same size whatever the look; None from a backend that draws no
            such pictures.
        """
        return None

    def on_configure(self) -> None:
        """Called after another task has been compiled."""

    def on_change(self) -> None:
        """Called after each reset, step and restored snapshot, before anything is observed."""

    def take(self, action: int) -> tuple[Event, ...]:
        """Let the episode take one of the seven actions; raises as `step` does."""
        return self.episode.step(action)

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
    def mission(self) -> MissionMode:
        """What the mission is, of this task and of the next ones; the goal's sentence unless it is set.

        Raises:
            ValueError: it is set to something else than a `MissionMode`.
        """
        return self._mission

    @mission.setter
    def mission(self, mode: MissionMode) -> None:
        if mode not in get_args(MissionMode):
            raise ValueError(f"mission has to be one of {get_args(MissionMode)}, got {mode!r}")
        self._mission = mode

    @property
    def world(self) -> World:
        """The compiled task; raises as `episode` does."""
        return self.episode.world

    def configure(self, task_spec: TaskSpecification) -> None:
        """Take on a task; its tables are kept as long as the same specification is configured again.

        Raises:
            InvalidTaskError: the task is invalid; the backend keeps the one it had.
        """
        if self._episode is not None and self._episode.world.task is task_spec:
            self.unseen = False
            self._episode.clear()
            return
        refuse_impossible_sides(task_spec)
        self._episode = Episode(compile_world(task_spec, self.make_topology(task_spec)))
        self.unseen = False
        self.on_configure()

    def reset(self, seed: int | None = None) -> tuple[Observation, GridState, Info]:
        """Go back to the start of the task. The kernel has no randomness, so `seed` changes nothing."""
        self.episode.reset()
        self.on_change()
        return self._observed(), self.get_state(), self._info(())

    def step(self, action: int) -> tuple[Observation, float, bool, bool, GridState, Info]:
        """Take one action; returns observation, reward, terminated, truncated, state and info.

        Raises:
            NotResetError: before `configure` and `reset`.
            EpisodeOver: the episode has ended.
            InvalidAction: `action` is not one of the seven. The state is unchanged in all three cases.
        """
        events = self.take(action)
        self.on_change()
        state, info = self.get_state(), self._info(events)
        return self._observed(), state.reward, state.terminated, state.truncated, state, info

    def _observed(self) -> Observation:
        return None if self.unseen else self.observe()

    def _info(self, events: tuple[Event, ...]) -> Info:
        return {"events": events} if self.unseen else {"events": events, **self.extra_info()}

    def snapshot(self) -> Snapshot:
        """The present moment as a value, to come back to with `restore`.

        Raises:
            NotResetError: before `configure` and `reset`.
        """
        return self.episode.snapshot

    def restore(self, snapshot: Snapshot) -> None:
        """Go to a moment of any episode of the present task on the same topology; pictures and texts follow.

        Raises:
            NotResetError: before `configure`.
        """
        self.episode.restore(snapshot)
        self.on_change()

    def get_mission_text(self) -> str:
        """What tells the agent what to achieve, as `mission` says.

        Where a task has no description, this is the goal's sentence.
        """
        goal, description = self.world.goal_type.mission(self.world), self.world.task.description.strip()
        if self._mission == "goal" or not description:
            return goal
        return description if self._mission == "description" else f"{goal.rstrip('.')}. {description}"

    def get_state(self) -> GridState:
        """The present state, with everything in it, shown to the agent or not."""
        return full_grid_state(self.world, self.episode.snapshot)

    def get_known_state(self) -> GridState:
        """What the agent has been shown of the present state: what a policy may be given."""
        return known_grid_state(self.world, self.episode.snapshot)

    def digest(self) -> str:
        """The digest of the present snapshot (`gridworld.world.digest`)."""
        return digest(self.world, self.episode.snapshot)


class DrawnBackend(KernelBackend):
    """Keeps what is asked of its pictures.

    Args:
        max_side: the largest width and height of pictures, in pixels.
    """

    render_mode: Literal["rgb_array"] | None
    """None to observe nothing."""

    def __init__(self, max_side: int) -> None:
        self._max_side = max_side
        self._pictures = OWN_PICTURES

    def skip_rendering(self) -> None:
        """Be `unseen`."""
        self.unseen = True

    @property
    def pictured(self) -> bool:
        """Whether there is a `render_mode`."""
        return self.render_mode is not None

    @property
    def draws_any_size(self) -> bool:
        """True."""
        return True

    def set_pictures(self, settings: PictureSettings) -> None:
        """Draw in another way from the next `configure` on; a size takes the place of the backend's own argument.

        Raises:
            ArgumentError: the size is larger than `max_side`.
        """
        settings.check_size(self._max_side)
        if settings != self._pictures:
            self.close()
            self._pictures = settings


class UnseenBackend(KernelBackend):
    """Plays on a topology and observes nothing.

    Args:
        topology: the topology, of the dimensions of all tasks that are played.
    """

    def __init__(self, topology: Topology) -> None:
        self._topology = topology

    @property
    def name(self) -> str:
        """``unseen``."""
        return "unseen"

    @property
    def tiling(self) -> str:
        """The name of the topology."""
        return self._topology.name

    def make_topology(self, task: TaskSpecification) -> Topology:
        """The topology, whatever the task."""
        return self._topology

    def observe(self) -> None:
        """Nothing."""

    def render(self) -> Any:
        """There is no picture.

        Raises:
            GridworldError: always.
        """
        raise GridworldError("this backend draws no pictures; install gridworld-minigrid or gridworld-multigrid")
