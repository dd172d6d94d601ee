"""A task on any tiling as a Gymnasium environment, with the nine native actions."""

from __future__ import annotations

import string
from collections.abc import Mapping
from os import PathLike
from typing import Any, Literal, SupportsIndex

import gymnasium
import numpy as np
from gymnasium import spaces

from gridworld.plugins.tilings import find_tiling, lay_out
from gridworld.task_spec import TaskSpecification
from gridworld.world import Episode, compile_world
from gridworld.world.knowledge import Snapshot, shown_differently
from gridworld_multigrid.agent import NATIVE_ACTION_SPACE, native_act
from gridworld_multigrid.codes import Codes
from gridworld_multigrid.rendering.canvas import Picture
from gridworld_multigrid.rendering.renderer import Renderer
from gridworld_multigrid.rendering.sizes import picture_size

__all__ = ["MultiGridEnv", "make_environment"]

Observation = dict[str, Any]
MISSION_CHARACTERS = string.ascii_letters + string.digits + string.punctuation + " "


class MultiGridEnv(gymnasium.Env[Observation, np.int64]):
    """One task on a tiling.

    An action is one of `gridworld_multigrid.agent.Action`. The observation has ``cells`` (object, colour and state
    code of what may be shown of each cell, see `gridworld_multigrid.codes`; shape (cells, 3), uint8), ``agent`` (its
    cell), ``direction`` (its heading) and ``mission``. ``info["events"]`` tells what a step did.

    Args:
        task: the task.
        tiling: the name of an installed tiling.
        render_mode: None or ``rgb_array``.
        image_size: the side of pictures, or their width and height, in pixels, each at least 64.

    Raises:
        InvalidTaskError: the task cannot be.
        UnknownNameError: no installed plugin provides the tiling.
        ValueError: another argument is outside its range.
    """

    metadata = {"render_modes": ["rgb_array"], "render_fps": 10}  # noqa: RUF012  (as Gymnasium declares it)

    def __init__(
        self,
        task: TaskSpecification,
        tiling: str = "square",
        render_mode: Literal["rgb_array"] | None = None,
        image_size: int | tuple[int, int] = 640,
    ) -> None:
        if render_mode not in ("rgb_array", None):
            raise ValueError(f"render_mode has to be 'rgb_array' or None, got {render_mode!r}")
        world = compile_world(task, lay_out(find_tiling(tiling), task))
        self.render_mode = render_mode
        self.episode = Episode(world)
        self.mission = world.goal_type.mission(task)
        self._image_size = picture_size(image_size)
        self._renderer: Renderer | None = None
        self._codes = Codes(world)
        self._cells = np.zeros((world.topology.cell_count, 3), dtype=np.uint8)
        self._encoded: Snapshot | None = None
        """The moment that the codes tell of."""
        self.action_space = spaces.Discrete(len(NATIVE_ACTION_SPACE))
        self.observation_space = spaces.Dict(
            cells=spaces.Box(0, 255, self._cells.shape, np.uint8),
            agent=spaces.Discrete(world.topology.cell_count),
            direction=spaces.Discrete(world.headings),
            mission=spaces.Text(max(len(self.mission), 1), charset=MISSION_CHARACTERS),
        )

    @property
    def task(self) -> TaskSpecification:
        """The task that is played."""
        return self.episode.world.task

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Go back to the start of the task. The world has no chance in it, so `seed` changes nothing in it."""
        super().reset(seed=seed, options=options)
        self.episode.reset()
        return self._observe(), {"events": ()}

    def step(self, action: SupportsIndex) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Take one of the nine native actions.

        Raises:
            NotResetError: before `reset`.
            EpisodeOver: the episode has ended.
            InvalidAction: `action` is not one of the nine. The state is unchanged in all three cases.
        """
        events = self.episode.perform(native_act(action))
        episode = self.episode
        return self._observe(), episode.reward, episode.terminated, episode.truncated, {"events": events}

    def render(self) -> Picture | None:
        """A picture of the present state, shape (height, width, 3), uint8; None when `render_mode` is None.

        Raises:
            NotResetError: before `reset`.
        """
        if self.render_mode is None:
            return None
        if self._renderer is None:
            self._renderer = Renderer(self.episode, self._image_size)
        return self._renderer.render()

    def _encode(self) -> None:
        """Bring the codes of the cells up to date."""
        world, now = self.episode.world, self.episode.snapshot
        every_cell = range(world.topology.cell_count)
        stale = every_cell if self._encoded is None else shown_differently(world, self._encoded, now)
        for cell in stale:
            self._cells[cell] = self._codes.of(self.episode.look(cell))
        self._encoded = now

    def _observe(self) -> Observation:
        self._encode()
        state = self.episode.state
        return {
            "cells": self._cells.copy(),
            "agent": np.int64(state.cell),
            "direction": np.int64(state.heading),
            "mission": self.mission,
        }


def make_environment(task: TaskSpecification | Mapping[str, Any] | str | PathLike[str], **options: Any) -> MultiGridEnv:
    """What ``gymnasium.make`` calls; a task file's path or contents are read first."""
    if isinstance(task, TaskSpecification):
        return MultiGridEnv(task, **options)
    if isinstance(task, Mapping):
        return MultiGridEnv(TaskSpecification.from_dict(task), **options)
    return MultiGridEnv(TaskSpecification.from_json(task), **options)
