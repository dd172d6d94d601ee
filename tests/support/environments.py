"""Environments held against each other step by step, and stock MiniGrid environments."""

from __future__ import annotations

from typing import Any

import gymnasium
import minigrid  # noqa: F401  (registers its environments with Gymnasium)
import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv
from minigrid.minigrid_env import MiniGridEnv

OWN_INFOS = ("success", "_success", "task_id", "_task_id", "final_obs", "_final_obs", "_final_info")
"""Entries of ``info`` to compare, besides ``final_info``."""


Vector = VectorEnv[Any, Any, Any]


def play_side_by_side(theirs: Vector, *ours: Vector, steps: int, seed: int) -> int:
    """Compare environments on the same random actions; returns the number of finished episodes."""
    mode = theirs.metadata["autoreset_mode"]
    for env in ours:
        assert env.metadata["autoreset_mode"] == mode
        assert env.observation_space == theirs.observation_space
        assert env.single_observation_space == theirs.single_observation_space
        assert env.action_space == theirs.action_space
    rng = np.random.default_rng(seed)
    compare_returned([env.reset(seed=seed) for env in (theirs, *ours)])
    ended = 0
    for _ in range(steps):
        actions = rng.integers(theirs.single_action_space.n, size=theirs.num_envs)
        stepped = [env.step(actions) for env in (theirs, *ours)]
        compare_returned(stepped)
        over = stepped[0][2] | stepped[0][3]
        ended += int(over.sum())
        if mode == AutoresetMode.DISABLED and over.any():
            compare_returned([env.reset(options={"reset_mask": over.copy()}) for env in (theirs, *ours)])
    return ended


def compare_returned(returned: list[tuple[Any, ...]]) -> None:
    other, *ours = returned
    for mine in ours:
        for one, another in zip(mine[:-1], other[:-1], strict=True):
            assert_equal(one, another)
        _compare_infos(mine[-1], other[-1])
        if "final_info" in other[-1]:
            _compare_infos(mine[-1]["final_info"], other[-1]["final_info"])


def _compare_infos(mine: dict[str, Any], other: dict[str, Any]) -> None:
    for name in OWN_INFOS:
        assert (name in mine) == (name in other)
        if name in mine:
            assert_equal(mine[name], other[name])


def assert_equal(one: Any, another: Any) -> None:
    """Check that nested values have equal values, types and shapes."""
    if isinstance(another, dict):
        assert one.keys() == another.keys()
        for key in another:
            assert_equal(one[key], another[key])
    elif isinstance(another, tuple | str) or another is None:
        assert one == another
    else:
        one, another = np.asarray(one), np.asarray(another)
        assert (one.dtype, one.shape) == (another.dtype, another.shape)
        if one.dtype == object:
            for each, counterpart in zip(one, another, strict=True):
                assert_equal(each, counterpart)
        else:
            assert np.array_equal(one, another)


def expect_kept_picture(kept: gymnasium.Env[Any, Any], own: gymnasium.Env[Any, Any]) -> None:
    """Check that one environment renders its own read-only picture, and the other equal copies."""
    picture = kept.render()
    assert not picture.flags.writeable
    for action in (1, 2, 2):
        kept.step(action), own.step(action)
        assert np.shares_memory(kept.render(), picture)
        np.testing.assert_array_equal(picture, own.render())


def make_stock(name: str, seed: int, max_steps: int | None = None, view_size: int = 7) -> MiniGridEnv:
    """The stock environment ``MiniGrid-{name}`` at the start of an episode, made comparable to ours.

    The agent faces right and does not see through walls. `view_size` is the side of its field of view in cells.
    """
    env = gymnasium.make(f"MiniGrid-{name}", disable_env_checker=True, agent_view_size=view_size).unwrapped
    assert isinstance(env, MiniGridEnv)
    env.reset(seed=seed)
    env.agent_dir = 0
    env.see_through_walls = False
    if max_steps is not None:
        env.max_steps = max_steps
    return env
