"""`KernelBackend`: base class of backends for worlds of the rules kernel.

The kernel decides what happens; subclasses lay out tasks and show the result. Text observations, oracle models,
shortest plans and snapshots work on every such backend.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import Any, Literal, get_args

import attrs

from gridworld.backends.base import AbstractGridBackend, Info, Observation
from gridworld.backends.grid_state import GridState, full_grid_state, known_grid_state
from gridworld.backends.pictures import OWN_PICTURES, PictureSettings, PictureStyle
from gridworld.errors import GridworldError, NotResetError
from gridworld.support.checks import check_choice
from gridworld.support.png import is_rgb
from gridworld.task.validation import refuse_impossible_sides
from gridworld.task_spec import TaskSpecification
from gridworld.world.compilation import compile_world
from gridworld.world.digest import digest
from gridworld.world.episode import Episode
from gridworld.world.knowledge import Snapshot
from gridworld.world.looks import CellLook
from gridworld.world.topology import Topology
from gridworld.world.world import World

__all__ = ["DEFAULT_MISSION", "KernelBackend", "MissionMode"]


@attrs.frozen
class GroundWords:
    """Descriptions of how a backend draws walls, floor, agent and marks, without a full stop; empty for none."""

    wall: str = ""
    floor: str = ""
    agent: str = ""
    """Description of how the agent and its heading are drawn."""
    goal: str = ""
    """Description of how the cell to reach is drawn."""
    target: str = ""
    """Description of how other goal marks are drawn."""
    unseen: str = ""
    remembered: str = ""
    """Description of how cells seen earlier but no longer in view are drawn."""
    held: str = ""
    """Description of where the carried entity is shown."""
    things: str = ""
    """Visual trait common to all entities."""


LETTERED = (
    "each has a letter on or beside it, the same for all that are alike, which can be another one in the next picture"
)
"""Value of `things` for pictures in the style with letters."""


MissionMode = Literal["goal", "description", "both"]
"""Source of the mission: the goal's sentence, the task's ``description``, or both in this order."""
DEFAULT_MISSION: MissionMode = "goal"
"""Default source of the mission."""


class KernelBackend(AbstractGridBackend):
    """A backend that plays one task at a time with the kernel.

    `info` holds ``events``, the kernel's events of the step.
    """

    unseen: bool = False
    """Whether rendering is skipped: `reset` and `step` then observe nothing."""
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

        The default does nothing, since observations may be more than pictures.
        """

    @property
    def pictured(self) -> bool:
        """Whether observations are pictures, even while rendering is skipped."""
        return is_rgb(self.observe())

    @property
    def ground_words(self) -> GroundWords:
        """Descriptions of how walls, floor, agent and marks are drawn."""
        return GroundWords()

    def draw_tile(self, world: World, look: CellLook | None, heading: int | None = None) -> Any:
        """Draw a lattice cell in view, with all cells of its patch.

        Args:
            world: a world on the tiling that contains the look's entities.
            look: the look of the cell; None for an unseen one.
            heading: heading of an agent on the cell; None for no agent.

        Returns:
            RGB, shape (height, width, 3), uint8, of the same size for every look; None if the backend draws no
            pictures.
        """
        return None

    def on_configure(self) -> None:
        """Hook called after a task has been compiled; does nothing by default."""

    def on_change(self) -> None:
        """Hook called after every reset, step or restored snapshot, before the observation; does nothing by default."""

    def close(self) -> None:
        """Release all resources; the backend can be configured again."""
        self._episode = None

    @property
    def episode(self) -> Episode:
        """The current episode.

        Raises:
            NotResetError: called before `configure`.
        """
        if self._episode is None:
            raise NotResetError("configure(task) must be called first")
        return self._episode

    @property
    def mission(self) -> MissionMode:
        """Source of the mission; kept for later tasks.

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
        """Compile a task; configuring the same object again reuses its tables.

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
        """Restart the task. The kernel has no randomness, so `seed` is ignored."""
        self.episode.reset()
        self.on_change()
        return self._observed(), self.get_state(), {"events": ()}

    def step(self, action: int) -> tuple[Observation, float, bool, bool, GridState, Info]:
        """Take one action; returns observation, reward, terminated, truncated, state and info.

        An error leaves the state unchanged.

        Raises:
            NotResetError: called before `configure` and `reset`.
            EpisodeOver: the episode has ended.
            InvalidAction: the action is unknown.
        """
        events = self.episode.step(action)
        self.on_change()
        state = self.get_state()
        return self._observed(), state.reward, state.terminated, state.truncated, state, {"events": events}

    def _observed(self) -> Observation:
        return None if self.unseen else self.observe()

    def snapshot(self) -> Snapshot:
        """Return the current state as an immutable value for `restore`.

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
        """Return the mission from the source set by `mission`; tasks without a description use the goal's sentence."""
        goal, description = self.world.goal_type.mission(self.world), self.world.task.description.strip()
        if self._mission == "goal" or not description:
            return goal
        return description if self._mission == "description" else f"{goal.rstrip('.')}. {description}"

    def get_state(self) -> GridState:
        """Return the full current state."""
        return full_grid_state(self.world, self.episode.snapshot)

    def get_known_state(self) -> GridState:
        """Return the current state restricted to what the agent has seen; safe to pass to policies."""
        return known_grid_state(self.world, self.episode.snapshot)

    def digest(self) -> str:
        """Return the digest of the current snapshot (`gridworld.world.digest`)."""
        return digest(self.world, self.episode.snapshot)


class DrawnBackend(KernelBackend):
    """A kernel backend whose pictures support every size and style.

    Args:
        render_mode: ``rgb_array`` to observe pictures, or None to observe None.
        max_side: maximum width and height of pictures in pixels.
        words: how the backend draws walls, floor, agent and marks, by picture style.

    Raises:
        ValueError: unknown render mode.
    """

    def __init__(
        self, render_mode: Literal["rgb_array"] | None, max_side: int, words: Mapping[PictureStyle, GroundWords]
    ) -> None:
        check_choice("render_mode", render_mode, ["rgb_array", None])
        self.render_mode = render_mode
        self._max_side, self._words = max_side, words
        self._pictures = OWN_PICTURES

    @property
    def ground_words(self) -> GroundWords:
        """Descriptions for the current picture style."""
        return self._words[self._pictures.style]

    def observe(self) -> Observation:
        """Return a picture; None if `render_mode` is None."""
        return self.render() if self.render_mode else None

    def skip_rendering(self) -> None:
        """Set `unseen` until the next `configure`."""
        self.unseen = True

    @property
    def pictured(self) -> bool:
        """Whether `render_mode` is set."""
        return self.render_mode is not None

    @property
    def draws_any_size(self) -> bool:
        """Whether `set_pictures` supports sizes: always True."""
        return True

    def set_pictures(self, settings: PictureSettings) -> None:
        """Set the picture settings for the next `configure`; a size overrides the backend's own argument.

        Raises:
            ArgumentError: the size is larger than `max_side`.
        """
        settings.check_size(self._max_side)
        if settings != self._pictures:
            self.close()
            self._pictures = settings


class UnseenBackend(KernelBackend):
    """A backend without pictures, for example for replaying a plan.

    Args:
        topology: a topology that fits the dimensions of all tasks.
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
        """Raise GridworldError: this backend draws no pictures."""
        raise GridworldError("this backend draws no pictures; install gridworld-minigrid or gridworld-multigrid")
