"""Tasks on any tiling as a Gymnasium environment, with the seven external or the nine native actions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from importlib import import_module
from typing import Any, Literal, SupportsIndex

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.error import DependencyNotInstalled

from gridworld.plugins.arguments import check_names
from gridworld.runner.task_set import step_info
from gridworld.suites import TaskSource, find_tasks
from gridworld.support.checks import check_bool, check_choice
from gridworld.support.wording import how_to_install
from gridworld.task_spec import TaskSpecification
from gridworld.world import Episode, World
from gridworld.world.knowledge import Snapshot, shown_differently
from gridworld.world.masks import could_have_effect
from gridworld_multigrid.agent import action_set
from gridworld_multigrid.codes import CODE_LENGTH, Codes
from gridworld_multigrid.rendering.layout import MAX_SIDE, fit, picture_size
from gridworld_multigrid.rendering.palette import BACKGROUND
from gridworld_multigrid.rendering.raster import Picture
from gridworld_multigrid.rendering.renderer import Renderer
from gridworld_multigrid.task_sets import compile_tasks, most_cells, observation_space


class Window:
    """A window for human viewers that opens with its first picture; needs ``gridworld-multigrid[human]``.

    Args:
        pictures_per_second: maximum frame rate.

    Raises:
        DependencyNotInstalled: pygame is not installed.
    """

    def __init__(self, pictures_per_second: int) -> None:
        try:
            self._pygame: Any = import_module("pygame")
        except ImportError as error:
            raise DependencyNotInstalled(
                f"a window needs an optional dependency ({error}): {how_to_install('gridworld-multigrid', 'human')}"
            ) from error
        self._rate = pictures_per_second
        self._clock = self._pygame.time.Clock()
        self._screen: Any = None

    def show(self, picture: Picture, caption: str) -> None:
        """Show a picture of shape (height, width, 3), uint8, with a caption in the title bar."""
        pygame = self._pygame
        height, width = picture.shape[:2]
        if self._screen is None or self._screen.get_size() != (width, height):
            pygame.display.init()
            self._screen = pygame.display.set_mode((width, height))
        pygame.display.set_caption(caption)
        self._screen.blit(pygame.surfarray.make_surface(picture.swapaxes(0, 1)), (0, 0))
        pygame.event.pump()
        pygame.display.flip()
        self._clock.tick(self._rate)

    def close(self) -> None:
        """Close the window; the next picture reopens it."""
        if self._screen is not None:
            self._pygame.display.quit()
        self._screen = None


Observation = dict[str, Any]


class MultiGridEnv(gymnasium.Env[Observation, np.int64]):
    """Gymnasium environment of one task, or of a set from which each episode plays one, on a tiling.

    An action is one of the seven of `gridworld.actions`, or with ``actions="native"`` one of the nine of
    `gridworld_multigrid.agent.Action`. The observation has ``cells`` (for each cell the codes of object, colour and
    state and the number of dots of what is shown, see `gridworld_multigrid.codes`; shape (cells, 4), uint8), ``agent``
    (its cell), ``direction`` (its heading) and ``mission``; `gridworld.runner.task_set.step_info` makes ``info``.

    The spaces of a set cover the observations of all its tasks: there are as many ``cells`` as in the largest task, and
    smaller tasks are padded with unseen cells (0, 0, 0, 0). Codes have the same meaning in all tasks. Pictures of all
    tasks have the same size.

    Args:
        task: the task, or several with different ids.
        tiling: name of an installed tiling.
        render_mode: None, ``rgb_array``, or ``human``, which shows each step in a window and needs pygame.
        image_size: maximum width and height of pictures in pixels, a pair or one number for both, each at least 64.
            Pictures keep the proportions of the maze and are as large as fits.
        actions: ``external`` or ``native``.
        max_side: upper limit of both, at least 64 pixels.
        copy: whether each picture is a new array; otherwise a single read-only array is overwritten by the next
            picture.

    Raises:
        InvalidTaskError: a task is invalid.
        UnknownNameError: no installed plugin provides the tiling.
        DependencyNotInstalled: pygame is needed and not installed.
        ValueError: another argument is out of range.
    """

    metadata = {"render_modes": ["human", "rgb_array"], "render_fps": 10}  # noqa: RUF012  (as Gymnasium declares it)

    def __init__(
        self,
        task: TaskSpecification | Sequence[TaskSpecification],
        tiling: str = "square",
        render_mode: Literal["human", "rgb_array"] | None = None,
        image_size: int | tuple[int, int] = 640,
        actions: Literal["external", "native"] = "external",
        max_side: int = MAX_SIDE,
        copy: bool = True,
    ) -> None:
        check_choice("render_mode", render_mode, ["human", "rgb_array", None])
        self._copy = check_bool("copy", copy)
        self._tasks = compile_tasks(task, tiling)
        self.render_mode = render_mode
        self._image_size = picture_size(image_size, max_side)
        self._actions = action_set(actions)
        self._window = Window(self.metadata["render_fps"]) if render_mode == "human" else None
        worlds = self._tasks.worlds
        self._cell_count = most_cells(worlds)
        fits = [fit(world.topology, self._image_size) for world in worlds]
        self._frame_size = max(each.width for each in fits), max(each.height for each in fits)
        self._take_on(worlds[0])
        self.action_space = spaces.Discrete(len(self._actions.acts))
        self.observation_space = observation_space(worlds)

    def _take_on(self, world: World) -> None:
        """Prepare a task."""
        self.episode = Episode(world)
        self.mission = world.goal_type.mission(world)
        self._renderer: Renderer | None = None
        self._codes = Codes(world, self._tasks.worlds)
        self._cells = np.zeros((self._cell_count, CODE_LENGTH), dtype=np.uint8)
        self._encoded: Snapshot | None = None
        """Snapshot for which the current codes were computed."""

    @property
    def task(self) -> TaskSpecification:
        """The current task."""
        return self.episode.world.task

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Restart with a task.

        Args:
            seed: seeds the choice among several tasks; the world itself has no randomness.
            options: ``{"task_id": …}`` selects a task; by default one is drawn with `np_random`.

        Raises:
            UnknownNameError: no task of this environment has the id.
            ArgumentError: an option is unknown.
        """
        super().reset(seed=seed)
        world = self._tasks.choose(options, self.np_random)
        if world is not self.episode.world:
            self._take_on(world)
        self.episode.reset()
        self._show()
        return self._observe(), step_info(self.episode)

    def step(self, action: SupportsIndex) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Take one action; if it raises, the state is unchanged.

        Raises:
            NotResetError: `reset` has not been called.
            EpisodeOver: the episode has ended.
            InvalidAction: `action` is outside the action space.
        """
        events = self.episode.perform(self._actions.act(action))
        self._show()
        episode = self.episode
        return self._observe(), episode.reward, episode.terminated, episode.truncated, step_info(episode, events)

    def action_masks(self) -> np.ndarray:
        """Return which actions could have an effect, given what the agent has seen; shape (number of actions,), bool.

        Reveals nothing that the rules hide (`gridworld.world.masks`). The name follows sb3-contrib's convention. Raises
        `NotResetError` before `reset`.
        """
        return np.array(could_have_effect(self.episode.world, self.episode.snapshot, self._actions.acts.values()))

    def render(self) -> Picture | None:
        """Return a picture of the current state, shape (height, width, 3), uint8, if the render mode is ``rgb_array``.

        With ``human`` the picture is shown in the window, and with None nothing is drawn; both return None.

        Raises:
            NotResetError: `reset` has not been called.
        """
        if self.render_mode is None:
            return None
        if self._renderer is None:
            self._renderer = Renderer(self.episode, self._image_size)
        picture = self._renderer.render() if self._copy else self._renderer.shown()
        height, width, _ = picture.shape
        if (width, height) != self._frame_size:
            padded = np.full((self._frame_size[1], self._frame_size[0], 3), BACKGROUND, dtype=np.uint8)
            padded[:height, :width] = picture
            picture = padded
        if self._window is None:
            return picture
        self._window.show(picture, self.mission)
        return None

    def close(self) -> None:
        """Close the window, if there is one."""
        if self._window is not None:
            self._window.close()

    def _show(self) -> None:
        if self._window is not None:
            self.render()

    def _observe(self) -> Observation:
        world, now = self.episode.world, self.episode.snapshot
        every_cell = range(world.topology.cell_count)
        stale = every_cell if self._encoded is None else shown_differently(world, self._encoded, now)
        for cell in stale:
            self._cells[cell] = self._codes.of(self.episode.look(cell))
        self._encoded = now
        state = self.episode.state
        return {
            "cells": self._cells.copy(),
            "agent": np.int64(state.cell),
            "direction": np.int64(state.heading),
            "mission": self.mission,
        }


def make_environment(task: TaskSource | Iterable[TaskSource], **options: Any) -> MultiGridEnv:
    """Make an environment from task sources, for ``gymnasium.make``."""
    check_names(MultiGridEnv, options, "the environment")
    return MultiGridEnv(find_tasks(task), **options)
