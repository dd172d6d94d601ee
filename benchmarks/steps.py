"""Steps per second of the kernel and the MiniGrid backend, beside stock MiniGrid and PyPI `multigrid`.

All play the same random actions on the same 16 x 12 task with one key and one door, in one process, one after the
other; the best of several rounds counts, and only the ratios mean anything on another machine.

    nox -s benchmarks
"""

import argparse
import random
import time
from collections.abc import Callable
from typing import Any

from minigrid.core.grid import Grid
from minigrid.core.mission import MissionSpace
from minigrid.core.world_object import Door, Goal, Key
from minigrid.minigrid_env import MiniGridEnv
from multigrid.base import MultiGridEnv
from multigrid.core.grid import Grid as MultiGrid
from multigrid.core.world_object import Door as MultiDoor
from multigrid.core.world_object import Goal as MultiGoal
from multigrid.core.world_object import Key as MultiKey

from gridworld.task_spec import TaskSpecification
from gridworld.world import compile_world, square_topology, transition
from gridworld_minigrid import MiniGridBackend

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


class PyPIMultiGrid(MultiGridEnv):
    """The task as an environment of the package `multigrid`, with one agent."""

    def _gen_grid(self, width: int, height: int) -> None:
        self.grid = MultiGrid(width, height)
        self.grid.wall_rect(0, 0, width, height)
        self.grid.vert_wall(WALL_X, 0)
        self.put_obj(MultiDoor("yellow", is_locked=True), WALL_X, DOOR_Y)
        self.put_obj(MultiKey("yellow"), *KEY)
        self.put_obj(MultiGoal(), *GOAL)
        for agent in self.agents:
            agent.state.pos, agent.state.dir = START, 0


def play_kernel(actions: list[int]) -> None:
    """Bare transitions."""
    world = compile_world(TASK, square_topology(WIDTH, HEIGHT))
    state = world.start
    for action in actions:
        state, _ = transition(world, state, action)
        if state.status:
            state = world.start


def play_backend(render_mode: str | None) -> Callable[[list[int]], None]:
    """`MiniGridBackend.step`, with a frame for every step or without."""
    backend = MiniGridBackend(render_mode=render_mode)
    backend.configure(TASK)

    def play(actions: list[int]) -> None:
        backend.reset()
        for action in actions:
            _, _, terminated, truncated, _, _ = backend.step(action)
            if terminated or truncated:
                backend.reset()

    return play


def play_minigrid(with_render: bool) -> Callable[[list[int]], None]:
    """Stock MiniGrid's `step`, followed by `render` or not."""
    env = StockMiniGrid(render_mode="rgb_array")

    def play(actions: list[int]) -> None:
        env.reset(seed=0)
        for action in actions:
            _, _, terminated, truncated, _ = env.step(action)
            if with_render:
                env.render()
            if terminated or truncated:
                env.reset()

    return play


def play_multigrid(actions: list[int]) -> None:
    """PyPI `multigrid`'s `step`."""
    env = PyPIMultiGrid(width=WIDTH, height=HEIGHT, max_steps=NEVER)
    env.reset(seed=0)
    for action in actions:
        _, _, terminated, truncated, _ = env.step({0: action})
        if terminated[0] or truncated[0]:
            env.reset()


def rate(play: Callable[[list[int]], None], count: int, rounds: int) -> float:
    """The best steps per second of several rounds, after one short round to warm up."""
    actions = random.Random(0).choices(range(7), k=count)
    play(actions[: max(1, count // 20)])
    durations = []
    for _ in range(rounds):
        start = time.perf_counter()
        play(actions)
        durations.append(time.perf_counter() - start)
    return count / min(durations)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--scale", type=float, default=1.0, help="multiplies the number of steps")
    options = parser.parse_args()
    plan: list[tuple[str, Callable[[list[int]], None], int]] = [
        ("kernel transition", play_kernel, 200_000),
        ("PyPI multigrid step", play_multigrid, 40_000),
        ("MiniGridBackend.step, RGB frames", play_backend("rgb_array"), 10_000),
        ("MiniGridBackend.step, no frames", play_backend(None), 20_000),
        ("stock MiniGrid step + render", play_minigrid(True), 500),
        ("stock MiniGrid step", play_minigrid(False), 5_000),
    ]
    rates = {name: rate(play, max(1, int(count * options.scale)), options.rounds) for name, play, count in plan}
    for name, value in rates.items():
        print(f"{name:36s} {value:12,.0f} /s")
    print()
    for ours, peer, wanted in (
        ("kernel transition", "PyPI multigrid step", 3),
        ("MiniGridBackend.step, RGB frames", "stock MiniGrid step + render", 10),
        ("MiniGridBackend.step, no frames", "stock MiniGrid step", None),
    ):
        aim = f"(aim: at least {wanted})" if wanted else ""
        print(f"{ours} / {peer}: {rates[ours] / rates[peer]:.1f} {aim}")


if __name__ == "__main__":
    main()
