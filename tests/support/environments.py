"""Environments held against each other step by step, and stock MiniGrid environments."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from typing import Any

import gymnasium
import minigrid  # noqa: F401  (registers its environments with Gymnasium)
import numpy as np
import pytest
from gymnasium.error import ClosedEnvironmentError
from gymnasium.vector import AutoresetMode, SyncVectorEnv, VectorEnv
from gymnasium.wrappers import AddRenderObservation
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
    _compare([env.reset(seed=seed) for env in (theirs, *ours)])
    ended = 0
    for _ in range(steps):
        actions = rng.integers(theirs.single_action_space.n, size=theirs.num_envs)
        stepped = [env.step(actions) for env in (theirs, *ours)]
        _compare(stepped)
        over = stepped[0][2] | stepped[0][3]
        ended += int(over.sum())
        if mode == AutoresetMode.DISABLED and over.any():
            _compare([env.reset(options={"reset_mask": over.copy()}) for env in (theirs, *ours)])
    return ended


def _compare(returned: list[tuple[Any, ...]]) -> None:
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


def rendering_one_by_one(make: Callable[[], gymnasium.Env[Any, Any]], count: int, mode: AutoresetMode) -> SyncVectorEnv:
    """`count` single environments that observe pictures, stepped one by one."""
    return SyncVectorEnv([lambda: AddRenderObservation(make(), render_only=True)] * count, autoreset_mode=mode)


def expect_the_same_frames(theirs: Vector, ours: Vector, steps: int, seed: int) -> None:
    """Compare rendered frames of two environments on the same random actions."""
    rng, kept = np.random.default_rng(seed), []
    for env in (theirs, ours):
        env.reset(seed=seed)
    for step in range(steps):
        if step % 3 == 0:
            frames = ours.render()
            assert isinstance(frames, tuple)
            assert_equal(np.array(frames), np.array(theirs.render()))
            kept.append((frames, np.array(frames)))
        actions = rng.integers(theirs.single_action_space.n, size=theirs.num_envs)
        for env in (theirs, ours):
            env.step(actions)
    assert all(np.array_equal(np.array(frames), then) for frames, then in kept)


def expect_the_same_masks(theirs: SyncVectorEnv, *ours: Any, steps: int, seed: int, asked: float = 0.5) -> int:
    """Compare action masks of single and vector environments on the same random actions.

    `asked` is the probability of a comparison at a step. Returns the number of different masks.
    """
    rng, count, seen = np.random.default_rng(seed), theirs.num_envs, set()
    actions = theirs.single_action_space.n
    for env in (theirs, *ours):
        env.reset(seed=seed)
    for _ in range(steps):
        if rng.random() < asked:
            expected = np.array(theirs.call("action_masks"))
            seen.update(map(tuple, expected.tolist()))
            for env in ours:
                assert_equal(env.action_masks(), expected)
        roaming = np.where(rng.random(count) < 0.4, rng.integers(0, 3, count), rng.integers(0, actions, count))
        stepped = [env.step(roaming) for env in (theirs, *ours)]
        over = stepped[0][2] | stepped[0][3]
        if theirs.metadata["autoreset_mode"] == AutoresetMode.DISABLED and (over.any() or rng.random() < 0.1):
            mask = over if over.any() else rng.random(count) < 0.3
            if mask.any():
                for env in (theirs, *ours):
                    env.reset(options={"reset_mask": mask.copy()})
    return len(seen)


def expect_closed(env: Any) -> None:
    """Check that an environment can only be closed again after `close`."""
    env.step(np.zeros(env.num_envs, dtype=np.intp))
    env.close()
    env.close()
    for call in (env.reset, env.render, env.action_masks, lambda: env.step(np.zeros(env.num_envs, dtype=np.intp))):
        with pytest.raises(ClosedEnvironmentError, match=f"num_envs={env.num_envs}. is closed"):
            call()


def expect_copies_to_go_on(env: Any) -> None:
    """Check that deep and pickled copies play on independently."""
    rng, count = np.random.default_rng(3), env.num_envs
    env.reset(seed=3)
    for _ in range(5):
        env.step(rng.integers(env.single_action_space.n, size=count))
    copies = (copy.deepcopy(env), pickle.loads(pickle.dumps(env)))
    actions = rng.integers(env.single_action_space.n, size=(60, count))
    *others, own = ([copy.deepcopy(each.step(taken)) for taken in actions] for each in (*copies, env))
    for other in others:
        for mine, its in zip(own, other, strict=True):
            _compare([mine, its])
    for other in copies:
        assert_equal(other.action_masks(), env.action_masks())


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
