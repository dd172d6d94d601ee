"""Steps of many environments at once, beside those that others step together.

All play random actions on a locked door and its key in 8 x 8 cells, with a symbolic view of 7 x 7 cells in every step:
MiniGrid in Gymnasium's ``SyncVectorEnv``, EnvPool, xland-minigrid and navix; the last two are compiled, with a loop
over steps in them. (Aims: 15 million steps a second with views, ten times every peer, and 60 million without.)
"""

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

import gymnasium
import numpy as np
from gymnasium.wrappers import AddRenderObservation

from figures import Effort, Figure, Measure, Play, compare, on_one_core, rates
from gridworld.solver import NotTabulatedError
from gridworld.suites import find_tasks
from gridworld.task_spec import TaskSpecification
from gridworld_minigrid import ENVIRONMENT_ID as SQUARES
from gridworld_multigrid import ENVIRONMENT_ID as TILINGS

COPIES, PICTURED = 4096, 1024
"""How many environments are stepped together, and of how many pictures are observed."""
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
BUNDLED = ("validation_10", "tiers")


def stepping(env: Any, copies: int, steps: int) -> Play:
    """Random actions in an environment of Gymnasium's."""
    env.reset(seed=0)
    actions = np.random.default_rng(0).integers(0, 7, (64, copies))

    def play() -> int:
        for step in range(steps):
            env.step(actions[step % len(actions)])
        return copies * steps

    return play


def ours(
    steps: int, task: TaskSpecification = DOOR_KEY, copies: int = COPIES, name: str = SQUARES, **options: Any
) -> Play:
    """Copies of a task."""
    return stepping(gymnasium.make_vec(name, num_envs=copies, task=task, **options), copies, steps)


def minigrid(steps: int) -> Play:
    """MiniGrid's own environments, one after the other."""
    return stepping(
        gymnasium.make_vec("minigrid:MiniGrid-DoorKey-8x8-v0", num_envs=16, vectorization_mode="sync"), 16, steps
    )


def envpool(steps: int) -> Play:
    """EnvPool's, on one thread."""
    import envpool

    made = envpool.make("MiniGrid-DoorKey-8x8-v0", env_type="gymnasium", num_envs=COPIES, num_threads=1, seed=0)
    return stepping(_Unseeded(made), COPIES, steps)


class _Unseeded:
    """An environment that is seeded when it is made."""

    def __init__(self, env: Any) -> None:
        self._env = env
        self.step = env.step

    def reset(self, seed: int) -> None:
        self._env.reset()


def xminigrid(loops: int) -> Play:
    """Those of xland-minigrid, compiled."""
    import jax
    from xminigrid import make
    from xminigrid.wrappers import GymAutoResetWrapper

    env, params = make("MiniGrid-DoorKey-8x8")
    env = GymAutoResetWrapper(env)
    reset = jax.vmap(env.reset, in_axes=(None, 0))
    step = jax.vmap(env.step, in_axes=(None, 0, 0))
    begun = reset(params, jax.random.split(jax.random.key(0), COPIES))
    return _scanned(lambda now, action: step(params, now, action), begun, 6, loops)


def navix(loops: int) -> Play:
    """Those of navix, compiled."""
    import jax
    import navix as nx

    env = nx.make("Navix-DoorKey-8x8-v0", observation_fn=nx.observations.symbolic_first_person)
    begun = jax.vmap(env.reset)(jax.random.split(jax.random.PRNGKey(0), COPIES))
    return _scanned(jax.vmap(env.step), begun, 7, loops)


def _scanned(step: Callable[[Any, Any], Any], begun: Any, actions: int, loops: int) -> Play:
    """Loops of 32 steps that are compiled with them; what is observed is summed up, so that it is made."""
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

    def play() -> int:
        nonlocal carry
        for _ in range(loops):
            carry = loop(carry, jax.random.split(jax.random.PRNGKey(1), 32))
        jax.block_until_ready(carry)
        return COPIES * 32 * loops

    return play


def measure_peers(effort: Effort) -> Iterator[Figure]:
    """The door and its key."""
    on_one_core()
    many, few = effort.times(320), effort.times(64)
    yield from compare(
        {
            "MiniGrid, SyncVectorEnv": lambda: minigrid(effort.times(200)),
            "EnvPool": lambda: envpool(few),
            "navix": lambda: navix(effort.times(2)),
            "xland-minigrid": lambda: xminigrid(effort.times(2)),
            "ours, states learnt": lambda: ours(many, max_states=0),
            "ours": lambda: ours(many),
            "ours, in one array": lambda: ours(many, copy=False),
            "ours, whole grids": lambda: ours(many, observation="grid"),
            "ours, no observations": lambda: ours(many, observation="none"),
        },
        effort.rounds,
    )


def measure_bundled(suite: str, effort: Effort) -> Iterator[Figure]:
    """All tasks of a suite: with views and without, or with views alone where states are learnt as copies go."""
    on_one_core()
    steps = effort.times(256)
    for task in find_tasks(suite):
        try:
            ours(1, task, 1, observation="state")
        except NotTabulatedError:
            plays = {f"{task.task_id}, learnt": ours(steps, task)}
        else:
            plays = {f"{task.task_id}, {shown}": ours(steps, task, observation=shown) for shown in ("view", "none")}
        yield from rates(plays, effort.rounds)


def measure_tilings(effort: Effort) -> Iterator[Figure]:
    """One bundled task on each tiling, whose cells are all shown."""
    on_one_core()
    (task,) = find_tasks("tiers/t2_01_first_key")
    for shown in ("cells", "none"):
        plays = {
            f"{tiling}, {shown}": ours(
                effort.times(64), task, name=TILINGS, tiling=tiling, observation=shown, copy=False
            )
            for tiling in ("square", "hex", "triangle", "488", "3464")
        }
        yield from rates(plays, effort.rounds)


def measure_pictures(effort: Effort) -> Iterator[Figure]:
    """Pictures of the door and its key, and of one bundled task on each tiling, of at most 64 x 64 pixels."""
    on_one_core()
    steps = effort.times(64)
    squares = partial(ours, steps, copies=PICTURED, observation="pictures", tile_size=8)
    (task,) = find_tasks("tiers/t2_01_first_key")
    tilings = partial(ours, steps, task, PICTURED, TILINGS, observation="pictures", image_size=64, copy=False)
    plays = {
        "MiniGrid, SyncVectorEnv": pictured_minigrid(effort.times(40)),
        "ours": squares(),
        "ours, in one array": squares(copy=False),
        "ours, in one array, without highlights": squares(copy=False, highlight=False),
        **{
            f"{tiling}, in one array": tilings(tiling=tiling) for tiling in ("square", "hex", "triangle", "488", "3464")
        },
    }
    yield from rates(plays, effort.rounds)


def pictured_minigrid(steps: int) -> Play:
    """MiniGrid's own environments, of which the pictures are observed that it draws."""
    name, wrap = "minigrid:MiniGrid-DoorKey-8x8-v0", partial(AddRenderObservation, render_only=True)
    options = {"wrappers": [wrap], "render_mode": "rgb_array", "tile_size": 8}
    return stepping(gymnasium.make_vec(name, num_envs=16, vectorization_mode="sync", **options), 16, steps)


MEASURES: Mapping[str, Measure] = {
    "peers": measure_peers,
    "pictures": measure_pictures,
    "tilings": measure_tilings,
    "validation_10": partial(measure_bundled, "validation_10"),
    "tiers": partial(measure_bundled, "tiers"),
}
