"""Stable-Baselines3's PPO learns tasks in vector environments, as the example in ``examples/train_ppo.py`` shows it."""

import importlib.util
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest
import torch

from worlds import describe, door, key

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
