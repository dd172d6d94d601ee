"""Stable-Baselines3's PPO learns tasks in vector environments, as the example in ``examples/train_ppo.py`` shows it."""

import importlib.util
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest
import torch

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


@pytest.mark.parametrize(("task", "steps"), [("tiers/t1_01_open_room", 200_000), ("tiers/t2_01_first_key", 1_000_000)])
def test_a_policy_learns_to_win(example: ModuleType, task: str, steps: int) -> None:
    model, env = example.train(task, steps)
    assert example.success_rate(model, env) > 0.9
