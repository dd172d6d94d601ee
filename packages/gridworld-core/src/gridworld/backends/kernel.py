"""`KernelBackend`: the base of backends that show worlds of the rules kernel.

The kernel decides what happens; subclasses lay tasks out and show the result. Text observations, oracle models,
shortest plans and snapshots work on every such backend.
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
    """Looks of walls, floor, agent and marks in words, without a full stop; empty for no description."""

    wall: str = ""
    floor: str = ""
    agent: str = ""
    """Look of the agent and its heading."""
    goal: str = ""
    """Look of the place to reach."""
    target: str = ""
    """Look of other marks of goals."""
    unseen: str = ""
    remembered: str = ""
    """Look of cells seen earlier but not in view."""
    held: str = ""
    """Place where the carried entity is shown."""
    things: str = ""
    """Look that all entities share."""


LETTERED = (
    "each has a letter on or beside it, the same for all that are alike, which can be another one in the next picture"
)
"""Words for `things` in the style with letters."""


MissionMode = Literal["goal", "description", "both"]
"""Source of the mission: the goal's sentence, the task's ``description``, or both in this order."""
DEFAULT_MISSION: MissionMode = "goal"
"""Default source of the mission."""


class KernelBackend(AbstractGridBackend):
    """A backend that shows one task at a time, played by the kernel.

    `info` holds at least ``events``, the kernel's records of what the step did.
    """

    unseen: bool = False
    """Whether rendering is skipped: `reset` and `step` observe nothing, and `info` holds only events."""
    _episode: Episode | None = None
    _mission: MissionMode = DEFAULT_MISSION

    @abstractmethod
    def make_topology(self, task: TaskSpecification) -> Topology:
        """Make the topology of a task."""

    @abstractmethod
    def observe(self) -> Observation:
        """Make the agent's observation of the current state."""

    def skip_rendering(self) -> None:
        """Set `unseen` until the next `configure`, for models that ignore observations.

        By default this does nothing, since observations may be more than pictures.
        """

    @property
    def pictured(self) -> bool:
        """Whether observations are pictures, drawn or `unseen`."""
        return is_rgb(self.observe())

    @property
    def ground_words(self) -> GroundWords:
        """Looks of walls, floor, agent and marks in words."""
        return GroundWords()

    def draw_tile(self, world: World, look: CellLook | None, heading: int | None = None) -> Any:
        """Draw a lattice cell in view, with all cells of its patch.

        Args:
            world: a world on the tiling that holds the entities of the look.
            look: the look of the cell; None for an unseen one.
            heading: heading of an agent on the cell; None for no agent.

        Returns:
            RGB, shape (height, width, 3), uint8, of one size for all looks; None if the backend draws no pictures.
        """
        return None

    def on_configure(self) -> None:
        """Prepare for a new task, after the task has been compiled; by default does nothing."""

    def on_change(self) -> None:
        """React to a reset, step or restored snapshot, before the observation; by default does nothing."""

    def take(self, action: int) -> tuple[Event, ...]:
        """Take an action in the episode; raises like `step`."""
        return self.episode.step(action)

    def extra_info(self) -> Info:
        """Return additional entries for the `info` of `reset` and `step`."""
        return {}

    def close(self) -> None:
        """Release what the backend holds; it can be configured again afterwards."""
        self._episode = None

    @property
    def episode(self) -> Episode:
        """The running episode.

        Raises:
            NotResetError: called before `configure`.
        """
        if self._episode is None:
            raise NotResetError("configure(task) must be called first")
        return self._episode

    @property
    def mission(self) -> MissionMode:
        """Source of the mission for this task and the next ones.

        Raises:
            ValueError: the value is not a `MissionMode`.
        """
        return self._mission

    @mission.setter
    def mission(self, mode: MissionMode) -> None:
        if mode not in get_args(MissionMode):
            raise ValueError(f"mission must be one of {get_args(MissionMode)}, got {mode!r}")
        self._mission = mode

    @property
    def world(self) -> World:
        """The compiled task; raises like `episode`."""
        return self.episode.world

    def configure(self, task_spec: TaskSpecification) -> None:
        """Take on a task; configuring the same object again keeps its tables.

        Raises:
            InvalidTaskError: the task is invalid; the previous one is kept.
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
            NotResetError: called before `configure` and `reset`.
            EpisodeOver: the episode has ended.
            InvalidAction: the action is unknown. Errors leave the state unchanged.
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
        """Return the current state as a value for `restore`.

        Raises:
            NotResetError: called before `configure` and `reset`.
        """
        return self.episode.snapshot

    def restore(self, snapshot: Snapshot) -> None:
        """Restore a snapshot of any episode of the current task on the same topology.

        Raises:
            NotResetError: called before `configure`.
        """
        self.episode.restore(snapshot)
        self.on_change()

    def get_mission_text(self) -> str:
        """Return the mission from the source set by `mission`; the goal's sentence for tasks without description."""
        goal, description = self.world.goal_type.mission(self.world), self.world.task.description.strip()
        if self._mission == "goal" or not description:
            return goal
        return description if self._mission == "description" else f"{goal.rstrip('.')}. {description}"

    def get_state(self) -> GridState:
        """Return the full current state."""
        return full_grid_state(self.world, self.episode.snapshot)

    def get_known_state(self) -> GridState:
        """Return the current state as far as the agent has been shown it, which policies may be given."""
        return known_grid_state(self.world, self.episode.snapshot)

    def digest(self) -> str:
        """Return the digest of the current snapshot (`gridworld.world.digest`)."""
        return digest(self.world, self.episode.snapshot)


class DrawnBackend(KernelBackend):
    """A kernel backend whose pictures support every size and style.

    Args:
        max_side: maximum width and height of pictures in pixels.
    """

    render_mode: Literal["rgb_array"] | None
    """Form of observations, ``rgb_array`` for pictures; None to observe nothing."""

    def __init__(self, max_side: int) -> None:
        self._max_side = max_side
        self._pictures = OWN_PICTURES

    def skip_rendering(self) -> None:
        """Set `unseen` until the next `configure`."""
        self.unseen = True

    @property
    def pictured(self) -> bool:
        """Whether there is a `render_mode`."""
        return self.render_mode is not None

    @property
    def draws_any_size(self) -> bool:
        """Whether `set_pictures` supports sizes: always True."""
        return True

    def set_pictures(self, settings: PictureSettings) -> None:
        """Change pictures from the next `configure` on; a size overrides the backend's own argument.

        Raises:
            ArgumentError: the size is larger than `max_side`.
        """
        settings.check_size(self._max_side)
        if settings != self._pictures:
            self.close()
            self._pictures = settings


class UnseenBackend(KernelBackend):
    """A backend without pictures, for uses that need none, such as playing a plan.

    Args:
        topology: a topology with the dimensions of all tasks.
    """

    def __init__(self, topology: Topology) -> None:
        self._topology = topology

    @property
    def name(self) -> str:
        """Name in reported results: ``unseen``."""
        return "unseen"

    @property
    def tiling(self) -> str:
        """Name of the topology."""
        return self._topology.name

    def make_topology(self, task: TaskSpecification) -> Topology:
        """Return the topology for every task."""
        return self._topology

    def observe(self) -> None:
        """Observe nothing."""

    def render(self) -> Any:
        """Raise GridworldError, since the backend draws no pictures."""
        raise GridworldError("this backend draws no pictures; install gridworld-minigrid or gridworld-multigrid")
