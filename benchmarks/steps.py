"""Steps of single environments: the kernel, and the MiniGrid backend, beside stock MiniGrid and PyPI `multigrid`.

All play the same random actions on the same 16 x 12 task with one key and one door.
"""

import random
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from minigrid.core.grid import Grid
from minigrid.core.mission import MissionSpace
from minigrid.core.world_object import Door, Goal, Key
from minigrid.minigrid_env import MiniGridEnv

from figures import Effort, Figure, Measure, Play, compare, on_one_core
from gridworld.task_spec import TaskSpecification
from gridworld.world import compile_world, square_topology, transition
from gridworld_minigrid import CustomMiniGridEnv, MiniGridBackend

WIDTH, HEIGHT = 16, 12
WALL_X, DOOR_Y = 8, 5
KEY, GOAL, START = (3, 3), (14, 10), (1, 1)
NEVER = 10**6

TASK = TaskSpecification.from_dict(
    {
        "task_id": "one_key",
        "seed": 0,
        "difficulty_tier": 2,
        "max_steps": NEVER,
        "maze": {
            "dimensions": [WIDTH, HEIGHT],
            "walls": [[WALL_X, y] for y in range(1, HEIGHT - 1) if y != DOOR_Y],
            "start": START,
            "goal": GOAL,
        },
        "mechanisms": {
            "keys": [{"id": "key", "position": KEY, "color": "yellow"}],
            "doors": [{"id": "door", "position": [WALL_X, DOOR_Y], "requires_key": "yellow"}],
        },
        "rules": {"key_consumption": False},  # as in MiniGrid
        "goal": {"type": "reach_position"},
    }
)


class StockMiniGrid(MiniGridEnv):
    """The task as a stock MiniGrid environment."""

    def __init__(self, **options: Any) -> None:
        super().__init__(MissionSpace(lambda: "reach the goal"), width=WIDTH, height=HEIGHT, max_steps=NEVER, **options)

    def _gen_grid(self, width: int, height: int) -> None:
        self.grid = Grid(width, height)
        self.grid.wall_rect(0, 0, width, height)
        self.grid.vert_wall(WALL_X, 0)
        self.put_obj(Door("yellow", is_locked=True), WALL_X, DOOR_Y)
        self.put_obj(Key("yellow"), *KEY)
        self.put_obj(Goal(), *GOAL)
        self.agent_pos, self.agent_dir = START, 0


def actions_for(count: int) -> list[int]:
    """Random actions, the same each time."""
    return random.Random(0).choices(range(7), k=count)


def kernel(count: int, task: TaskSpecification = TASK) -> Play:
    """Bare transitions."""
    world, actions = compile_world(task, square_topology(*task.maze.dimensions)), actions_for(count)

    def play() -> int:
        state = world.start
        for action in actions:
            state, _ = transition(world, state, action)
            if state.status:
                state = world.start
        return count

    return play


def backend(count: int, render_mode: str | None, task: TaskSpecification = TASK) -> Play:
    """`MiniGridBackend.step`, with a frame for every step or without."""
    made, actions = MiniGridBackend(render_mode=render_mode), actions_for(count)
    made.configure(task)

    def play() -> int:
        made.reset()
        for action in actions:
            _, _, terminated, truncated, _, _ = made.step(action)
            if terminated or truncated:
                made.reset()
        return count

    return play


def resets(count: int) -> Play:
    """`MiniGridBackend.reset` with a frame, a step after each, so that there is something to go back from."""
    made = MiniGridBackend()
    made.configure(TASK)

    def play() -> int:
        for _ in range(count):
            made.reset()
            made.step(2)
        return count

    return play


def copying(count: int) -> Play:
    """Copies of a frame of the same size."""
    made = MiniGridBackend()
    made.configure(TASK)
    frame, _, _ = made.reset()

    def play() -> int:
        for _ in range(count):
            frame.copy()
        return count

    return play


def minigrid(env: MiniGridEnv, count: int, with_render: bool) -> Play:
    """The `step` of an environment of MiniGrid's, followed by `render` or not."""
    actions = actions_for(count)

    def play() -> int:
        env.reset(seed=0)
        for action in actions:
            _, _, terminated, truncated, _ = env.step(action)
            if with_render:
                env.render()
            if terminated or truncated:
                env.reset()
        return count

    return play


def _stock() -> MiniGridEnv:
    return StockMiniGrid(render_mode="rgb_array")


def _own(copy: bool) -> MiniGridEnv:
    return CustomMiniGridEnv(TASK, render_mode="rgb_array", copy=copy)


def multigrid(count: int) -> Play:
    """PyPI `multigrid`'s `step`, with one agent."""
    from multigrid.base import MultiGridEnv
    from multigrid.core.grid import Grid as MultiGrid
    from multigrid.core.world_object import Door as MultiDoor
    from multigrid.core.world_object import Goal as MultiGoal
    from multigrid.core.world_object import Key as MultiKey

    class PyPIMultiGrid(MultiGridEnv):
        def _gen_grid(self, width: int, height: int) -> None:
            self.grid = MultiGrid(width, height)
            self.grid.wall_rect(0, 0, width, height)
            self.grid.vert_wall(WALL_X, 0)
            self.put_obj(MultiDoor("yellow", is_locked=True), WALL_X, DOOR_Y)
            self.put_obj(MultiKey("yellow"), *KEY)
            self.put_obj(MultiGoal(), *GOAL)
            for agent in self.agents:
                agent.state.pos, agent.state.dir = START, 0

    env, actions = PyPIMultiGrid(width=WIDTH, height=HEIGHT, max_steps=NEVER), actions_for(count)

    def play() -> int:
        env.reset(seed=0)
        for action in actions:
            _, _, terminated, truncated, _ = env.step({0: action})
            if terminated[0] or truncated[0]:
                env.reset()
        return count

    return play


def measure_kernel(effort: Effort) -> Iterator[Figure]:
    """Transitions (aim: ten times the peer)."""
    return _compare(
        effort,
        {
            "PyPI multigrid step": lambda: multigrid(effort.times(40_000)),
            "kernel transition": lambda: kernel(effort.times(200_000)),
        },
    )


def measure_pictures(effort: Effort) -> Iterator[Figure]:
    """Steps with a frame each (aims: 40 times the peer, half of what copying the frame takes)."""
    steps = effort.times(10_000)
    return _compare(
        effort,
        {
            "stock MiniGrid step + render": lambda: minigrid(_stock(), effort.times(500), with_render=True),
            "MiniGridBackend.step with a frame": lambda: backend(steps, "rgb_array"),
            "MiniGridBackend.reset and step, with a frame each": lambda: resets(effort.times(5_000)),
            "CustomMiniGridEnv step + render, copied": lambda: minigrid(_own(copy=True), steps, with_render=True),
            "CustomMiniGridEnv step + render, in one array": lambda: minigrid(
                _own(copy=False), steps, with_render=True
            ),
            "a copy of the frame": lambda: copying(effort.times(20_000)),
        },
    )


def measure_views(effort: Effort) -> Iterator[Figure]:
    """Steps without frames."""
    return _compare(
        effort,
        {
            "stock MiniGrid step": lambda: minigrid(_stock(), effort.times(5_000), with_render=False),
            "MiniGridBackend.step without frames": lambda: backend(effort.times(20_000), None),
        },
    )


def _compare(effort: Effort, makers: Mapping[str, Callable[[], Play]]) -> Iterator[Figure]:
    on_one_core()
    return compare(makers, effort.rounds)


MEASURES: Mapping[str, Measure] = {
    "kernel": measure_kernel,
    "pictures": measure_pictures,
    "views": measure_views,
}
