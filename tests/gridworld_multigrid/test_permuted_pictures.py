"""The order in which a file lists things changes no pixel of what either backend draws."""

import random
from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from gridworld.backends.kernel import KernelBackend
from gridworld.task_spec import TaskSpecification
from gridworld_minigrid import MiniGridBackend
from gridworld_multigrid import MultiGridBackend
from support.rearranging import reordered
from support.thoroughness import bounded
from support.tilings import TILINGS
from support.worlds import task_dicts

LENGTH = 12


def pictures(backend: KernelBackend, task: TaskSpecification, actions: list[int]) -> list[Any]:
    """What is seen at the start and after each action, to the end of the episode."""
    backend.configure(task)
    observation, state, _ = backend.reset()
    seen = [observation]
    for action in actions:
        if state.terminated or state.truncated:
            break
        observation, _, _, _, state, _ = backend.step(action)
        seen.append(observation)
    return seen


def assert_same(make: Any, task: TaskSpecification, seed: int) -> None:
    rng = random.Random(seed)
    actions = [rng.randrange(7) for _ in range(LENGTH)]
    one, other = pictures(make(), task, actions), pictures(make(), reordered(task, rng), actions)
    assert len(one) == len(other)
    assert all(np.array_equal(first, second) for first, second in zip(one, other, strict=True))


@bounded(8)
@given(task_dicts().map(TaskSpecification.from_dict), st.integers(0, 2**32 - 1))
def test_on_minigrid(task: TaskSpecification, seed: int) -> None:
    assert_same(lambda: MiniGridBackend(tile_size=16), task, seed)


@bounded(8)
@given(st.sampled_from(TILINGS), task_dicts().map(TaskSpecification.from_dict), st.integers(0, 2**32 - 1))
def test_on_tilings(tiling: str, task: TaskSpecification, seed: int) -> None:
    assert_same(lambda: MultiGridBackend(tiling=tiling, image_size=160), task, seed)
