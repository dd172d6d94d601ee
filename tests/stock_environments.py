"""Stock MiniGrid environments at the start of an episode."""

import gymnasium
import minigrid  # noqa: F401  (registers its environments with Gymnasium)
from minigrid.minigrid_env import MiniGridEnv

__all__ = ["make_stock"]


def make_stock(name: str, seed: int, max_steps: int | None = None, view_size: int = 7) -> MiniGridEnv:
    """A stock environment at the start of an episode.

    The agent faces right as every agent of ours does, and does not see through walls: Empty lets it, to be faster.

    Args:
        name: its id without the ``MiniGrid-`` in front.
        seed: what it is reset with.
        max_steps: a step budget other than its own.
        view_size: cells along a side of the agent's field of view.
    """
    env = gymnasium.make(f"MiniGrid-{name}", disable_env_checker=True, agent_view_size=view_size).unwrapped
    assert isinstance(env, MiniGridEnv)
    env.reset(seed=seed)
    env.agent_dir = 0
    env.see_through_walls = False
    if max_steps is not None:
        env.max_steps = max_steps
    return env
