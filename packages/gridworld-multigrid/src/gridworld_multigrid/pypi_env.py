"""`TaskMultiGridEnv`: a task as an environment of the package ``multigrid``, with the kernel's rules.

`step` calls the kernel and then updates the package's grid and agent, so that its observations, renderer, wrappers and
adapters work as on any of its environments.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Literal

from multigrid.base import MultiGridEnv
from multigrid.core.constants import TILE_PIXELS
from multigrid.core.grid import Grid
from multigrid.core.mission import MissionSpace
from multigrid.core.world_object import Door, Floor, Goal, Key, Lava, Wall, WorldObj

from gridworld.errors import InvalidTaskError, Problem
from gridworld.runner.task_set import step_info
from gridworld.support.wording import listed
from gridworld.task.colors import nearest_of_six
from gridworld.task_spec import TaskSpecification
from gridworld.world import Episode, compile_world, square_topology
from gridworld.world.goal_type import Mark
from gridworld.world.knowledge import Snapshot, looking_different
from gridworld.world.looks import CellLook, Shown, held_look, look_at

ByAgent = dict[int, Any]
"""Values by agent; the only agent is 0."""
ONLY = 0

KNOWN: Mapping[str, Callable[[Any, str], WorldObj]] = {
    "keys": lambda spec, value: Key(spec.color),
    "doors": lambda spec, value: Door(
        spec.requires_key or "grey", is_open=value == "open", is_locked=value == "locked"
    ),
    "hazards": lambda spec, value: Lava(),
}
"""Makes the package's object for an entity, by mechanism type."""


class TaskMultiGridEnv(MultiGridEnv):  # type: ignore[misc]  # the package has no types
    """Environment of one task for one agent, numbered 0.

    Observations are the package's own: ``image`` (symbolic, shape (view, view, 3)), ``direction`` and ``mission``, by
    agent. `gridworld.runner.task_set.step_info` makes ``info``. Marked cells other than goals are the package's floor.

    Args:
        task: the task, with keys, doors and lava only.
        render_mode: None, ``rgb_array`` or ``human``.
        agent_view_size: cells along a side of the view, odd and at least 3; by default the task's ``view_size``.
        see_through_walls: whether walls and doors do not limit the view.
        tile_size: width of a cell in pixels.
        highlight: whether pictures lighten the agent's view.
        screen_size: size of the window in pixels.

    Raises:
        InvalidTaskError: the task is invalid, or has something that the package does not know; each is named.
    """

    def __init__(
        self,
        task: TaskSpecification,
        render_mode: Literal["human", "rgb_array"] | None = None,
        agent_view_size: int | None = None,
        see_through_walls: bool = False,
        tile_size: int = TILE_PIXELS,
        highlight: bool = True,
        screen_size: int = 640,
    ) -> None:
        unknown = list(_unknown(task))
        if unknown:
            raise InvalidTaskError(unknown, task.task_id)
        width, height = task.maze.dimensions
        self.episode = Episode(compile_world(task, square_topology(width, height)))
        self._things: dict[int, WorldObj] = {}
        """The object of each entity, which stays the same throughout an episode, as in the package."""
        self._placed: Snapshot | None = None
        super().__init__(
            mission_space=MissionSpace.from_string(self.episode.world.goal_type.mission(self.episode.world)),
            agents=1,
            width=width,
            height=height,
            max_steps=task.max_steps,
            agent_view_size=agent_view_size or task.rules.view_size,
            see_through_walls=see_through_walls,
            render_mode=render_mode,
            tile_size=tile_size,
            highlight=highlight,
            screen_size=screen_size,
        )

    @property
    def task(self) -> TaskSpecification:
        """The task."""
        return self.episode.world.task

    def reset(self, seed: int | None = None, options: Mapping[str, Any] | None = None) -> tuple[ByAgent, ByAgent]:
        """Restart the task, which has no randomness; options have no effect, as in the package."""
        self.episode.reset()
        observations, _ = super().reset(seed=seed)
        return observations, {ONLY: step_info(self.episode)}

    def step(self, actions: Mapping[int, int]) -> tuple[ByAgent, ByAgent, ByAgent, ByAgent, ByAgent]:
        """Take the action of agent 0, one of the seven; if it raises, the state is unchanged.

        Raises:
            NotResetError: `reset` has not been called.
            EpisodeOver: the episode has ended.
            InvalidAction: the action is not one of the seven.
        """
        events = self.episode.step(int(actions[ONLY]))
        self.sync()
        if self.render_mode == "human":
            self.render()
        episode = self.episode
        return (
            self.gen_obs(),
            {ONLY: episode.reward},
            {ONLY: episode.terminated},
            {ONLY: episode.truncated},
            {ONLY: step_info(episode, events)},
        )

    def gen_obs(self) -> ByAgent:
        """Return the package's observation, with values of its own at each step."""
        (seen,) = super().gen_obs().values()
        return {ONLY: {**seen, "direction": int(seen["direction"]), "mission": seen["mission"].copy()}}

    def sync(self) -> None:
        """Update the package's grid and agent to the episode's current state."""
        world, before, now = self.episode.world, self._placed, self.episode.snapshot
        cells = range(world.topology.cell_count) if before is None else looking_different(world, before, now)
        for cell in cells:
            self._put(cell, self._object(look_at(world, now.state, cell, now.knowledge.met)))
        self._placed, self.step_count = now, now.state.steps
        y, x = divmod(now.state.cell, self.width)
        agent, held = self.agents[ONLY].state, held_look(world, now.state, now.knowledge.met)
        agent.pos, agent.dir, agent.terminated = (x, y), now.state.heading, self.episode.terminated
        agent.carrying = None if held is None else self._object(held)

    def _gen_grid(self, width: int, height: int) -> None:
        self.grid, self._placed = Grid(width, height), None
        self._things.clear()
        self.sync()

    def _put(self, cell: int, thing: WorldObj | None) -> None:
        y, x = divmod(cell, self.width)
        self.grid.set(x, y, thing)
        if thing is not None:
            thing.cur_pos = (x, y)
            thing.init_pos = thing.init_pos or (x, y)

    def _object(self, look: CellLook) -> WorldObj | None:
        """Return the package's object for a look: the topmost entity, or the mark below; None for plain floor."""
        if look.wall:
            return Wall()
        if look.things:
            return self._thing(look.things[-1])
        return None if look.mark is None else _mark_object(look.mark)

    def _thing(self, shown: Shown) -> WorldObj:
        entity = self.episode.world.entities[shown.entity]
        made = KNOWN[entity.type.name](entity.spec, entity.type.values[shown.value])
        thing = self._things.setdefault(shown.entity, made)
        thing[...] = made  # a door may have been opened
        return thing


def _mark_object(mark: Mark) -> WorldObj:
    return Goal() if mark.kind == "goal" else Floor(nearest_of_six(mark.color or "green"))


def _unknown(task: TaskSpecification) -> Iterator[Problem]:
    """Yield a problem for each mechanism of a task that the package has no object for."""
    has = f"the package multigrid has only {listed([*KNOWN][:2])}, and lava"
    for name, specs in task.mechanisms.groups():
        for number, spec in enumerate(specs):
            if name not in KNOWN:
                yield Problem(f"mechanisms.{name}[{number}]", has)
            elif name == "hazards" and spec.hazard_type != "lava":
                yield Problem(f"mechanisms.{name}[{number}].hazard_type", has)
