"""Stable-Baselines3 learns in vector environments, with masks and without, as ``examples/train_ppo.py`` shows it."""

import importlib.util
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import gymnasium
import numpy as np
import pytest
import torch
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported

from support.worlds import describe, door, key

EXAMPLE = Path(__file__).parents[2] / "examples" / "train_ppo.py"


@pytest.fixture(scope="module")
def example() -> Iterator[ModuleType]:
    spec = importlib.util.spec_from_file_location("train_ppo", EXAMPLE)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield module
    torch.set_num_threads(threads)


TASKS = {
    "empty room": "tiers/t1_01_open_room",
    "key and door": describe(
        """
        #####
        #@#.#
        #.d.#
        #k#G#
        #####
        """,
        max_steps=250,
        k=key("yellow"),
        d=door("yellow"),
    ),
}


@pytest.mark.parametrize("name", TASKS)
def test_a_policy_learns_to_win(example: ModuleType, name: str) -> None:
    model, env = example.train(TASKS[name], steps=250_000)
    assert example.success_rate(model, env) > 0.9


def test_a_policy_with_masks_finds_those_of_all_copies(example: ModuleType) -> None:
    made = gymnasium.make_vec(example.ENVIRONMENT_ID, num_envs=8, task=TASKS["key and door"], autoreset_mode="SameStep")
    env = example.FlatViews(made)
    assert is_masking_supported(env)
    env.reset()
    np.testing.assert_array_equal(get_action_masks(env), made.action_masks())
    MaskablePPO("MlpPolicy", env, n_steps=16, batch_size=64, device="cpu").learn(total_timesteps=512)
