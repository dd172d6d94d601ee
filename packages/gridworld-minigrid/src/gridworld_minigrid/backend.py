"""`MiniGridBackend`: tasks on square cells, shown as MiniGrid's own tiles."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from gridworld.backends.kernel import KernelBackend
from gridworld.errors import NotResetError
from gridworld.task_spec import TaskSpecification
from gridworld.world import Topology, square_topology
from gridworld_minigrid.env import CustomMiniGridEnv
from gridworld_minigrid.sizes import MAX_SIDE
from gridworld_minigrid.tiles import draw_held_tile

__all__ = ["MiniGridBackend"]

SMALLEST_SIDE = 64
"""The least that `max_side` may be, in pixels."""


class MiniGridBackend(KernelBackend):
    """Shows tasks as pictures of MiniGrid's tiles.

    The observation is an RGB frame of shape (height * tile_size, width * tile_size, 3), uint8; what the agent holds is
    shown in a white frame in the top left corner. ``info["symbolic"]`` holds MiniGrid's own observation.

    Args:
        render_mode: ``rgb_array``, or None to make no frame until `render` is called; observations are then None.
        tile_size: the width of a cell in pixels, at least 8; less where the frame would be larger than `max_side`.
        highlight: whether frames show the agent's field of view lighter.
        max_side: the largest width and height of frames in pixels, at least 64; a cell has at least one pixel.

    Raises:
        ValueError: an argument outside its range.
    """

    def __init__(
        self,
        render_mode: Literal["rgb_array"] | None = "rgb_array",
        tile_size: int = 32,
        highlight: bool = False,
        max_side: int = MAX_SIDE,
    ) -> None:
        if render_mode not in ("rgb_array", None):
            raise ValueError(f"render_mode has to be 'rgb_array' or None, got {render_mode!r}")
        if tile_size < 8:
            raise ValueError(f"tile_size has to be at least 8 pixels, got {tile_size}")
        if max_side < SMALLEST_SIDE:
            raise ValueError(f"max_side has to be at least {SMALLEST_SIDE} pixels, got {max_side}")
        self.render_mode = render_mode
        self._max_side = max_side
        self._tile_size = tile_size
        self._highlight = highlight
        self._env: CustomMiniGridEnv | None = None

    @property
    def name(self) -> str:
        """``minigrid``."""
        return "minigrid"

    @property
    def tiling(self) -> str:
        """``square``."""
        return "square"

    @property
    def env(self) -> CustomMiniGridEnv:
        """The environment behind the pictures; it shares the backend's episode.

        Raises:
            NotResetError: before `configure`.
        """
        if self._env is None:
            raise NotResetError("configure(task) has to be called first")
        return self._env

    def make_topology(self, task: TaskSpecification) -> Topology:
        """The square tiling."""
        return square_topology(*task.maze.dimensions)

    def on_configure(self) -> None:
        """Make the environment of the task."""
        self._env = CustomMiniGridEnv(
            self.episode, tile_size=self._tile_size, highlight=self._highlight, max_side=self._max_side
        )

    def on_change(self) -> None:
        """Bring the environment up to date."""
        self.env.sync()

    def extra_info(self) -> dict[str, Any]:
        """MiniGrid's symbolic observation."""
        return {"symbolic": self.env.gen_obs()}

    def observe(self) -> np.ndarray | None:
        """A frame, or None when `render_mode` is None."""
        return self.render() if self.render_mode else None

    def render(self) -> np.ndarray:
        """A frame of the present state, whatever the `render_mode`.

        Raises:
            NotResetError: before `configure` and `reset`.
        """
        env = self.env
        frame: np.ndarray = env.get_full_render(self._highlight, env.tile_size)
        if env.carrying is not None:
            frame[: env.tile_size, : env.tile_size] = draw_held_tile(env.carrying, env.tile_size)
        return frame

    def close(self) -> None:
        """Close the environment."""
        if self._env is not None:
            self._env.close()
        self._env = None
        super().close()
