"""Pictures of many copies are what as many single environments render, on any tiling."""

from __future__ import annotations

from functools import partial
from typing import Any

import attrs
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from hypothesis import given
from hypothesis import strategies as st

from gridworld.errors import ArgumentError
from gridworld.suites import find_tasks
from gridworld.task_spec import TaskSpecification
from gridworld_multigrid import MultiGridEnv, VectorMultiGridEnv
from support.environments import play_side_by_side, rendering_one_by_one
from support.thoroughness import bounded, in_turn
from support.tilings import TILINGS, everything
from support.worlds import corridor, tasks

SAME_STEP = AutoresetMode.SAME_STEP
MODE_WITH = dict(zip(("full", "view_cone", "fog_of_war"), AutoresetMode, strict=True))
"""Observability to the mode with which it is tried."""


def one_by_one(
    task: TaskSpecification | list[TaskSpecification], count: int, mode: AutoresetMode, **options: Any
) -> SyncVectorEnv:
    return rendering_one_by_one(partial(MultiGridEnv, task, render_mode="rgb_array", **options), count, mode)


@in_turn("tiling, observability", TILINGS, MODE_WITH)
def test_pictures_are_those_of_single_environments(tiling: str, observability: str) -> None:
    mode = MODE_WITH[observability]
    task = attrs.evolve(everything(observability), max_steps=40)
    options = {"tiling": tiling, "image_size": 120}
    asked = {"num_envs": 3, "observation": "pictures", "autoreset_mode": mode, "max_states": 0, **options}
    kept, copied = VectorMultiGridEnv(task, copy=False, **asked), VectorMultiGridEnv(task, **asked)
    assert play_side_by_side(one_by_one(task, 3, mode, **options), kept, copied, steps=60, seed=1) > 0


@bounded(8)
@given(
    task=tasks(max_side=6),
    tiling=st.sampled_from(TILINGS),
    size=st.sampled_from([64, 97, (64, 300), 480]),
    seed=st.integers(0, 2**32 - 1),
)
def test_pictures_of_any_task_are(task: TaskSpecification, tiling: str, size: int | tuple[int, int], seed: int) -> None:
    options = {"tiling": tiling, "image_size": size}
    ours = VectorMultiGridEnv(
        task, num_envs=2, observation="pictures", autoreset_mode=SAME_STEP, max_states=500, **options
    )
    play_side_by_side(one_by_one(task, 2, SAME_STEP, **options), ours, steps=20, seed=seed)


def test_tasks_of_one_size_are_shown_in_turn() -> None:
    several = [attrs.evolve(corridor(row, max_steps=6), task_id=row) for row in ("@..G", "@G.#", ".@G.")]
    options = {"tiling": "hex", "image_size": 64}
    ours = VectorMultiGridEnv(several, num_envs=5, observation="pictures", autoreset_mode=SAME_STEP, **options)
    assert play_side_by_side(one_by_one(several, 5, SAME_STEP, **options), ours, steps=40, seed=2) > 5


def test_panes_that_are_forgotten_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gridworld_multigrid.rendering.pane_pictures.MOST_KEPT", 0)
    monkeypatch.setattr("gridworld_multigrid.rendering.pane_pictures.AT_ONCE", 7)
    (task,) = find_tasks("tiers/t5_05_gather_in_fog")
    options = {"tiling": "3464", "image_size": 64}
    ours = VectorMultiGridEnv(task, num_envs=2, observation="pictures", max_states=0, **options)
    play_side_by_side(one_by_one(task, 2, AutoresetMode.NEXT_STEP, **options), ours, steps=20, seed=3)


def test_pictures_are_arrays_of_their_own_unless_asked_otherwise() -> None:
    for copy in (True, False):
        env = VectorMultiGridEnv(corridor("@.G"), num_envs=2, observation="pictures", copy=copy, image_size=64)
        first, _ = env.reset()
        before = first.copy()
        second, *_ = env.step([1, 2])
        assert np.shares_memory(first, second) == (not copy)
        assert np.array_equal(first, before) == copy
        assert second.flags.writeable == copy


def test_tasks_of_different_sizes_are_refused() -> None:
    several = [attrs.evolve(corridor(row), task_id=row) for row in ("@.G", "@..G")]
    with pytest.raises(ArgumentError, match="pictures need tasks of one size"):
        VectorMultiGridEnv(several, observation="pictures")


def test_more_pictures_than_fit_into_memory_are_refused() -> None:
    with pytest.raises(ArgumentError, match=r"100,000 environments with pictures of \d+ x \d+ pixels take"):
        VectorMultiGridEnv(corridor("@.G"), num_envs=100_000, observation="pictures")
