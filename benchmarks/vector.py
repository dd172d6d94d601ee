"""Steps a second of many environments at once, beside those that others step together.

All play random actions on a locked door and its key in 8 x 8 cells, on one core, with a symbolic view of 7 x 7 cells in
every step; the time is that of the processor, the best of several rounds counts, and only the ratios mean anything on
another machine. Peers that are not installed are passed over: MiniGrid in Gymnasium's ``SyncVectorEnv``, EnvPool,
xland-minigrid and navix; the last two are compiled, with a loop over steps in them.

    nox -s benchmarks
"""

import argparse
import json
import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np

from gridworld.solver import NotTabulatedError
from gridworld.suites import find_tasks
from gridworld.task_spec import TaskSpecification
from gridworld_minigrid.registration import ENVIRONMENT_ID as SQUARES
from gridworld_multigrid.registration import ENVIRONMENT_ID as TILINGS
from mazes import empty_maze, keyed_maze

Play = Callable[[int], None]
"""Takes so many steps in all copies."""
Line = dict[str, Any]

COPIES = 4096
DOOR_KEY = TaskSpecification.from_dict(
    {
        "task_id": "door_key",
        "seed": 0,
        "difficulty_tier": 2,
        "max_steps": 640,
        "maze": {
            "dimensions": [8, 8],
            "walls": [[4, y] for y in range(1, 7) if y != 3],
            "start": [1, 1],
            "goal": [6, 6],
        },
        "mechanisms": {
            "keys": [{"id": "key", "position": [2, 5], "color": "yellow"}],
            "doors": [{"id": "door", "position": [4, 3], "requires_key": "yellow"}],
        },
        "rules": {"key_consumption": False},
        "goal": {"type": "reach_position"},
    }
)
FITTING = 300_000
BUNDLED = ("validation_10", "tiers")


def stepping(env: Any, count: int) -> Play:
    """Random actions in an environment of Gymnasium's."""
    env.reset(seed=0)
    actions = np.random.default_rng(0).integers(0, 7, (64, count))

    def play(steps: int) -> None:
        for step in range(steps):
            env.step(actions[step % len(actions)])

    return play


def ours(task: TaskSpecification = DOOR_KEY, count: int = COPIES, name: str = SQUARES, **options: Any) -> Play:
    """Copies of a task."""
    return stepping(gymnasium.make_vec(name, num_envs=count, task=task, **options), count)


def minigrid() -> tuple[Play, int]:
    """MiniGrid's own environments, one after the other."""
    made = gymnasium.make_vec("MiniGrid-DoorKey-8x8-v0", num_envs=16, vectorization_mode="sync")
    return stepping(made, 16), 16


def envpool() -> tuple[Play, int]:
    """EnvPool's, on one thread."""
    import envpool

    made = envpool.make("MiniGrid-DoorKey-8x8-v0", env_type="gymnasium", num_envs=COPIES, num_threads=1, seed=0)
    return stepping(_Unseeded(made), COPIES), COPIES


class _Unseeded:
    """An environment that is seeded when it is made."""

    def __init__(self, env: Any) -> None:
        self._env = env
        self.step = env.step

    def reset(self, seed: int) -> None:
        self._env.reset()


def xminigrid() -> tuple[Play, int]:
    """Those of xland-minigrid, compiled."""
    import jax
    from xminigrid import make
    from xminigrid.wrappers import GymAutoResetWrapper

    env, params = make("MiniGrid-DoorKey-8x8")
    env = GymAutoResetWrapper(env)
    reset = jax.vmap(env.reset, in_axes=(None, 0))
    step = jax.vmap(env.step, in_axes=(None, 0, 0))
    begun = reset(params, jax.random.split(jax.random.key(0), COPIES))
    return _scanned(lambda now, action: step(params, now, action), begun, 6), COPIES


def navix() -> tuple[Play, int]:
    """Those of navix, compiled."""
    import jax
    import navix as nx

    env = nx.make("Navix-DoorKey-8x8-v0", observation_fn=nx.observations.symbolic_first_person)
    begun = jax.vmap(env.reset)(jax.random.split(jax.random.PRNGKey(0), COPIES))
    return _scanned(jax.vmap(env.step), begun, 7), COPIES


def _scanned(step: Callable[[Any, Any], Any], begun: Any, actions: int) -> Play:
    """A loop over steps that is compiled with them; what is observed is summed up, so that it is made."""
    import jax
    import jax.numpy as jnp

    def body(carry: Any, key: Any) -> Any:
        now, total = carry
        now = step(now, jax.random.randint(key, (COPIES,), 0, actions))
        return (now, total + now.observation.sum() + now.reward.sum()), None

    @jax.jit
    def loop(carry: Any, keys: Any) -> Any:
        return jax.lax.scan(body, carry, keys)[0]

    carry = (begun, jnp.float32(0))

    def play(steps: int) -> None:
        nonlocal carry
        carry = loop(carry, jax.random.split(jax.random.PRNGKey(1), 32))
        for _ in range(max(1, steps // 32) - 1):
            carry = loop(carry, jax.random.split(jax.random.PRNGKey(1), 32))
        jax.block_until_ready(carry)

    return play


PEERS = {
    "MiniGrid, SyncVectorEnv": (minigrid, 200),
    "EnvPool": (envpool, 64),
    "xland-minigrid": (xminigrid, 64),
    "navix": (navix, 64),
}


def rate(play: Play, copies: int, steps: int, rounds: int) -> float:
    """The most steps of single copies per second of several rounds, after one to warm up."""
    play(steps)
    spent = []
    for _ in range(rounds):
        started = time.process_time()
        play(steps)
        spent.append(time.process_time() - started)
    return copies * steps / min(spent)


def measure_peers(rounds: int) -> Iterator[Line]:
    """The door and its key."""
    for name, options in (
        ("views", {}),
        ("views in one array", {"copy": False}),
        ("views, states learnt", {"max_states": 0}),
        ("whole grids", {"observation": "grid"}),
        ("no observations", {"observation": "none"}),
    ):
        yield {"name": f"ours, {name}", "rate": rate(ours(**options), COPIES, 320, rounds)}
    for name, (make, steps) in PEERS.items():
        try:
            play, copies = make()
        except ImportError as error:
            yield {"name": name, "skipped": str(error)}
            continue
        yield {"name": name, "rate": rate(play, copies, steps, rounds)}


def measure_bundled(rounds: int) -> Iterator[Line]:
    """All bundled tasks that fit into tables, and those that do not."""
    for suite in BUNDLED:
        for task in find_tasks(suite):
            try:
                ours(task, 1, observation="state")
            except NotTabulatedError:
                yield {"name": f"{task.task_id}, learnt", "rate": rate(ours(task), COPIES, 64, rounds)}
                continue
            for shown in ("view", "none"):
                play = ours(task, observation=shown)
                yield {"name": f"{task.task_id}, {shown}", "rate": rate(play, COPIES, 64, rounds)}


def measure_tilings(rounds: int) -> Iterator[Line]:
    """One bundled task on each tiling, whose cells are all shown."""
    (task,) = find_tasks("tiers/t2_01_first_key")
    for tiling in ("square", "hex", "triangle", "488", "3464"):
        for shown in ("cells", "none"):
            options = {"name": TILINGS, "tiling": tiling, "observation": shown, "copy": False}
            yield {"name": f"{tiling}, {shown}", "rate": rate(ours(task, **options), COPIES, 64, rounds)}


def measure_growth(rounds: int) -> Iterator[Line]:
    """The door and its key in more and more environments."""
    for count in (1, 16, 256, 4096, 65_536):
        steps = max(8, 1_000_000 // max(count, 1000))
        yield {"name": f"{count:,} environments", "rate": rate(ours(count=count), count, steps, rounds)}


def measure_mazes(rounds: int) -> Iterator[Line]:
    """Mazes of more and more cells, and of more and more keys and doors, with what it takes to begin."""
    for task in (*map(empty_maze, (8, 32, 128, 256)), *(keyed_maze(32, doors) for doors in (1, 2, 4))):
        started = time.process_time()
        play = ours(task)
        made = time.process_time() - started
        yield {"name": task.task_id, "rate": rate(play, COPIES, 64, rounds), "made": made}


MEASURES = {
    "peers": measure_peers,
    "bundled": measure_bundled,
    "tilings": measure_tilings,
    "growth": measure_growth,
    "mazes": measure_mazes,
}


def told(line: Line) -> str:
    """A line of the report."""
    if "skipped" in line:
        return f"{line['name']:44s} skipped: {line['skipped']}"
    made = f", after {line['made']:.1f} s" if "made" in line else ""
    return f"{line['name']:44s} {line['rate'] / 1e6:10.3f} million steps/s{made}"


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", choices=MEASURES, action="append", help="measure this alone")
    parser.add_argument("--json", type=Path, help="write the figures to this file too")
    options = parser.parse_args()
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    figures: dict[str, list[Line]] = {}
    for name in options.only or MEASURES:
        print(f"\n{name}", flush=True)
        figures[name] = []
        for line in MEASURES[name](options.rounds):
            figures[name].append(line)
            print(told(line), flush=True)
    if options.json:
        options.json.write_text(json.dumps({"copies": COPIES, "figures": figures}, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
