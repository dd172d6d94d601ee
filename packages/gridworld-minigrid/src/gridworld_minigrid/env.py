"""Tasks as real `MiniGridEnv` environments with the kernel's rules.

`step` calls the kernel and then updates MiniGrid's grid, agent and carried object, so that MiniGrid's symbolic view,
renderer and wrappers work as on any of its environments.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from copy import deepcopy
from os import PathLike
from typing import Any

import attrs
import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.vector.utils import batch_space
from minigrid.core.constants import TILE_PIXELS
from minigrid.core.grid import Grid
from minigrid.core.mission import MissionSpace
from minigrid.core.world_object import WorldObj
from minigrid.minigrid_env import MiniGridEnv

from gridworld.plugins.arguments import check_names
from gridworld.runner.task_set import TaskSet, step_info
from gridworld.suites import TaskSource, find_tasks
from gridworld.support.checks import check_bool, check_choice
from gridworld.task_spec import TaskSpecification
from gridworld.world import Episode
from gridworld.world.knowledge import Snapshot, in_sight, looking_different
from gridworld.world.looks import CellLook, held_look, look_at
from gridworld.world.masks import could_have_effect
from gridworld.world.rules import ACTS
from gridworld.world.square import cone
from gridworld_minigrid.grid_pictures import Canvas, GridPicture
from gridworld_minigrid.objects import EMPTY, OUTSIDE, code_of, make_object
from gridworld_minigrid.task_sets import (
    MAX_SIDE,
    asked_tile_size,
    compile_tasks,
    grid_size,
    image_size,
    view_size,
)
from gridworld_minigrid.tiles import Shade, draw_tile


class _FixedMission:
    """A mission function that can be pickled; MiniGrid reads its number of arguments."""

    __code__ = (lambda: None).__code__

    def __init__(self, text: str) -> None:
        self._text = text

    def __call__(self) -> str:
        return self._text


class Missions(MissionSpace):
    """Mission space of one or more sentences."""

    def __init__(self, texts: Iterable[str]) -> None:
        self.texts = tuple(sorted(set(texts)))
        super().__init__(mission_func=_FixedMission(self.texts[0]))

    def sample(self, *args: Any, **kwargs: Any) -> str:
        """Draw one of the sentences."""
        return self.texts[int(self.np_random.integers(len(self.texts)))] if len(self.texts) > 1 else self.texts[0]

    def contains(self, x: Any) -> bool:
        """Whether `x` is one of the sentences."""
        return x in self.texts

    def __eq__(self, other: object) -> bool:
        return self.texts == other.texts if isinstance(other, Missions) else bool(super().__eq__(other))


@batch_space.register(Missions)
def _batch(space: Missions, n: int = 1) -> spaces.Tuple[Any]:
    """Return the space of `n` missions without copying the sentences `n` times, as Gymnasium would."""
    return spaces.Tuple([deepcopy(space)] * n)


Observation = dict[str, Any]
MAX_KEPT_VIEWS, MAX_KEPT_PLACES = 4096, 1 << 24
"""Maximum number of cached views, and of their cells (8 bytes each)."""


class CustomMiniGridEnv(MiniGridEnv):
    """Gymnasium environment of one task, or of a set from which each episode plays one.

    The observation is MiniGrid's: ``image`` (symbolic, shape (view, view, 3), uint8), ``direction`` (0 to 3) and
    ``mission``; `gridworld.runner.task_set.step_info` makes ``info``.

    The spaces of a set cover the observations of all its tasks: ``image`` has the size of the largest view, at least 7.
    Smaller views are padded with unseen cells (0, 0, 0), with the agent in the middle of the last row, as always.
    Pictures have the size of the largest grid, and are black around a smaller one. Wrappers that derive a space from
    the grid's size (such as `minigrid.wrappers.FullyObsWrapper`) need tasks of equal size.

    As with MiniGrid, pictures of the whole grid do not show the carried object. ``image`` shows it at the agent's
    position, and pictures of the field of view show it under the agent.

    Args:
        task: the task, several with different ids, or an `Episode` on the square topology to share with its owner.
        render_mode: None, ``rgb_array`` or ``human``.
        tile_size: width of a cell in pixels; reduced if pictures of the whole grid would exceed `max_side`.
        highlight: whether pictures lighten the agent's field of view, like MiniGrid's.
        agent_pov: whether pictures show only the agent's field of view.
        agent_view_size: cells along a side of the symbolic view, odd and at least 3; by default each task's
            `view_size`.
        screen_size: MiniGrid's size of the window, in pixels.
        max_side: largest width and height of pictures of the whole grid in pixels; a cell has at least one.
        copy: whether each picture of the whole grid is a new array; otherwise a single read-only array is overwritten
            by the next picture.

    Raises:
        InvalidTaskError: a task is invalid.
        ArgumentError: `agent_view_size` is even or out of range.
        ValueError: unknown `render_mode`, a size that is not an integer of at least 1, or an invalid boolean.
    """

    carrying: WorldObj | None

    def __init__(
        self,
        task: TaskSpecification | Sequence[TaskSpecification] | Episode,
        render_mode: str | None = None,
        tile_size: int = TILE_PIXELS,
        highlight: bool = True,
        agent_pov: bool = False,
        agent_view_size: int | None = None,
        screen_size: int | None = 640,
        max_side: int = MAX_SIDE,
        copy: bool = True,
    ) -> None:
        check_choice("render_mode", render_mode, ["human", "rgb_array", None])
        self._tasks = TaskSet([task.world]) if isinstance(task, Episode) else compile_tasks(task)
        self._copy = check_bool("copy", copy)
        highlight, agent_pov = check_bool("highlight", highlight), check_bool("agent_pov", agent_pov)
        self._given_view_size = agent_view_size
        worlds = self._tasks.worlds
        self._frame_size = grid_size(worlds)
        self._image_size = image_size(worlds, agent_view_size)
        self.episode = task if isinstance(task, Episode) else Episode(worlds[0])
        super().__init__(
            mission_space=Missions(world.goal_type.mission(world) for world in worlds),
            width=self._frame_size[0],
            height=self._frame_size[1],
            max_steps=worlds[0].max_steps,
            agent_view_size=self._image_size,
            render_mode=render_mode,
            screen_size=screen_size,
            highlight=highlight,
            tile_size=asked_tile_size(tile_size, *self._frame_size, max_side),
            agent_pov=agent_pov,
        )
        self._fit()

    def _fit(self) -> None:
        """Adapt MiniGrid's attributes and the tables to the current task."""
        world = self.episode.world
        self.width, self.height = world.topology.width, world.topology.height
        self.max_steps, self.mission = world.max_steps, world.goal_type.mission(world)
        self.agent_view_size = view_size(world, self._given_view_size)
        self._objects: dict[CellLook, WorldObj | None] = {}
        self._pictures: dict[tuple[bool, int], GridPicture] = {}
        """Pictures of the whole grid by highlighting and tile size."""
        self._views: dict[tuple[int, int, int, frozenset[int]], np.ndarray] = {}
        """Row of the code table for each cell of a view, shape (view, view); the agent's cell shows its hand."""
        self._codes = np.zeros((world.topology.cell_count + 3, 3), dtype=np.uint8)
        """Codes of all cells, then of the hand, of the area outside the grid, and of unseen cells."""
        self._codes[-3:-1] = EMPTY, OUTSIDE
        self._placed: Snapshot | None = None
        """The snapshot that MiniGrid's grid currently shows."""

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
        gymnasium.Env.reset(self, seed=seed)  # MiniGrid's own seeds too late for the choice
        world = self._tasks.choose(options, self.np_random)
        if world is not self.episode.world:
            self.episode = Episode(world)
            self._fit()
        self.episode.reset()
        observation, _ = super().reset()
        return observation, step_info(self.episode)

    def action_masks(self) -> np.ndarray:
        """Return which actions could have an effect, given what the agent has seen; shape (7,), bool.

        Reveals nothing that the rules hide (`gridworld.world.masks`). The name follows sb3-contrib's convention. Raises
        `NotResetError` before `reset`.
        """
        episode = self.episode
        return np.array(could_have_effect(episode.world, episode.snapshot, ACTS.values()))

    def step(self, action: int) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Take one of MiniGrid's seven actions; if it raises, the state is unchanged.

        Raises:
            NotResetError: `reset` has not been called.
            EpisodeOver: the episode has ended.
            InvalidAction: `action` is not one of the seven.
        """
        events = self.episode.step(action)
        self.sync()
        if self.render_mode == "human":
            self.render()
        episode = self.episode
        return self.gen_obs(), episode.reward, episode.terminated, episode.truncated, step_info(episode, events)

    def sync(self) -> None:
        """Update MiniGrid's grid and agent to the episode's current state."""
        world, placed, now = self.episode.world, self._placed, self.episode.snapshot
        cells = range(world.topology.cell_count) if placed is None else looking_different(world, placed, now)
        for cell in cells:
            thing = self._object(look_at(world, now.state, cell, now.knowledge.met))
            self.grid.grid[cell] = thing
            self._codes[cell] = code_of(thing)
        self._placed = now
        self._place_agent()

    def _gen_grid(self, width: int, height: int) -> None:
        self.grid = Grid(width, height)
        self._placed = None
        self.sync()

    def _object(self, look: CellLook) -> WorldObj | None:
        if look not in self._objects:
            self._objects[look] = make_object(self.episode.world, look)
        return self._objects[look]

    def _place_agent(self) -> None:
        state = self.episode.state
        y, x = divmod(state.cell, self.width)
        self.agent_pos, self.agent_dir, self.step_count = (x, y), state.heading, state.steps
        look = held_look(self.episode.world, state, self.episode.knowledge.met)
        before, self.carrying = self.carrying, None if look is None else self._object(look)
        if self.carrying is not before:
            self._codes[-3] = code_of(self.carrying)

    def gen_obs(self) -> Observation:
        """Return MiniGrid's symbolic observation, read from incrementally updated tables."""
        image = self._codes.take(self._view(), axis=0)
        above = self._image_size - len(image)
        if above:
            image = np.pad(image, ((above // 2, above // 2), (above, 0), (0, 0)))
        return {"image": image, "direction": self.agent_dir, "mission": self.mission}

    def _view(self) -> np.ndarray:
        """Return the rows of the code table that the agent's current view shows."""
        state = self.episode.state
        opaque = self.episode.world.opaque_cells(state)
        key = (state.cell, state.heading, self.agent_view_size, opaque)
        view = self._views.get(key)
        if view is None:
            around = cone(self.width, self.height, state.cell, state.heading, self.agent_view_size)
            hand, outside, unseen = range(len(self._codes))[-3:]
            rows = ((outside if cell < 0 else cell) for cell in around.window)
            shown = [row if seen else unseen for row, seen in zip(rows, around.view(opaque).mask, strict=True)]
            view = np.array(shown).reshape(self.agent_view_size, self.agent_view_size)
            view[self.agent_view_size // 2, -1] = hand
            if len(self._views) >= min(MAX_KEPT_VIEWS, MAX_KEPT_PLACES // view.size):
                self._views.clear()
            self._views[key] = view
        return view

    def get_full_render(self, highlight: bool, tile_size: int) -> np.ndarray:
        """Return a picture of the whole grid as the observability allows; redraws only what has changed."""
        picture = self._pictures.get((highlight, tile_size))
        if picture is None:
            picture = GridPicture(self.episode, tile_size)
            self._pictures[highlight, tile_size] = picture
        episode = self.episode
        picture.draw(in_sight(episode.world, episode.state, self.agent_view_size) if highlight else frozenset())
        pixels = picture.copy() if self._copy else picture.pixels
        below, right = self._frame_size[1] - self.height, self._frame_size[0] - self.width
        return np.pad(pixels, ((0, below * tile_size), (0, right * tile_size), (0, 0))) if below or right else pixels

    def get_pov_render(self, tile_size: int) -> np.ndarray:
        """Return a picture of the agent's field of view, as MiniGrid draws it."""
        grid, seen = self.gen_obs_grid()
        size = self.agent_view_size
        canvas = Canvas(size, size, tile_size)
        agent = (size - 1) * size + size // 2
        shades = [Shade.LIT if seen[cell % size, cell // size] else Shade.PLAIN for cell in range(size * size)]
        canvas.draw(
            (cell, draw_tile(thing, 3 if cell == agent else None, shade, tile_size))
            for cell, (thing, shade) in enumerate(zip(grid.grid, shades, strict=True))
        )
        above = (self._image_size - size) * tile_size
        return np.pad(canvas.copy(), ((above, 0), (above // 2, above // 2), (0, 0)))


@attrs.frozen
class TaskParser:
    """Makes environments; its fields are their arguments."""

    render_mode: str | None = None
    tile_size: int = 32
    highlight: bool = True
    max_side: int = MAX_SIDE

    def parse(self, spec: TaskSpecification, seed: int | None = None) -> CustomMiniGridEnv:
        """Make and reset an environment for a task; raises `InvalidTaskError` for an invalid one."""
        env = CustomMiniGridEnv(spec, **attrs.asdict(self))
        env.reset(seed=spec.seed if seed is None else seed)
        return env

    def parse_dict(self, data: Mapping[str, Any], seed: int | None = None) -> CustomMiniGridEnv:
        """Make an environment from a task file's contents; raises as `TaskSpecification.from_dict` and `parse` do."""
        return self.parse(TaskSpecification.from_dict(data), seed)

    def parse_file(self, path: str | PathLike[str], seed: int | None = None) -> CustomMiniGridEnv:
        """Make an environment from a task file; raises as `TaskSpecification.from_json` and `parse` do."""
        return self.parse(TaskSpecification.from_json(path), seed)


def make_environment(task: TaskSource | Iterable[TaskSource], **options: Any) -> CustomMiniGridEnv:
    """Make an environment from task sources, for ``gymnasium.make``."""
    check_names(CustomMiniGridEnv, options, "the environment")
    return CustomMiniGridEnv(find_tasks(task), **options)
