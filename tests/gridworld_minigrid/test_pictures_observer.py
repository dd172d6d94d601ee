"""Pictures of many copies are what as many single environments render."""

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
from gridworld_minigrid import CustomMiniGridEnv, VectorGridEnv
from support.environments import play_side_by_side, rendering_one_by_one
from support.thoroughness import bounded, in_turn
from support.twins import with_rules
from support.worlds import corridor, draw_everything, tasks

MODES = [pytest.param(mode, id=mode.value) for mode in AutoresetMode]


def one_by_one(
    task: TaskSpecification | list[TaskSpecification], count: int, mode: AutoresetMode, **options: Any
) -> SyncVectorEnv:
    return rendering_one_by_one(partial(CustomMiniGridEnv, task, render_mode="rgb_array", **options), count, mode)


@in_turn("observability, mode", ["full", "view_cone", "fog_of_war"], list(AutoresetMode))
def test_pictures_are_those_of_single_environments(observability: str, mode: AutoresetMode) -> None:
    task = with_rules(draw_everything(max_steps=40), observability=observability)
    options = {"num_envs": 4, "observation": "pictures", "autoreset_mode": mode, "tile_size": 10}
    kept = VectorGridEnv(task, copy=False, max_states=0, **options)
    copied = VectorGridEnv(task, max_states=0, **options)
    assert play_side_by_side(one_by_one(task, 4, mode, tile_size=10), kept, copied, steps=60, seed=1) > 0


@bounded(8)
@given(
    task=tasks(),
    highlight=st.booleans(),
    view_size=st.sampled_from([None, 3, 9]),
    tile_size=st.integers(1, 16),
    seed=st.integers(0, 2**32 - 1),
)
def test_pictures_of_any_task_are(
    task: TaskSpecification, highlight: bool, view_size: int | None, tile_size: int, seed: int
) -> None:
    options = {"tile_size": tile_size, "highlight": highlight, "agent_view_size": view_size}
    ours = VectorGridEnv(task, num_envs=3, observation="pictures", autoreset_mode="SameStep", max_states=500, **options)
    play_side_by_side(one_by_one(task, 3, AutoresetMode.SAME_STEP, **options), ours, steps=30, seed=seed)


def test_tasks_of_one_size_are_shown_in_turn() -> None:
    several = [_named(corridor(row, max_steps=6), row) for row in ("@..G", "@G.#", ".@G.")]
    ours = VectorGridEnv(several, num_envs=5, observation="pictures", tile_size=8)
    mode = AutoresetMode.NEXT_STEP
    assert play_side_by_side(one_by_one(several, 5, mode, tile_size=8), ours, steps=40, seed=2) > 5


def test_rows_that_are_forgotten_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gridworld.vector.stepping_table.MOST_LEARNT", 60)
    task, mode = with_rules(draw_everything(), observability="fog_of_war"), AutoresetMode.NEXT_STEP
    ours = VectorGridEnv(task, num_envs=4, observation="pictures", tile_size=8, max_states=0)
    play_side_by_side(one_by_one(task, 4, mode, tile_size=8), ours, steps=150, seed=5)


def test_tiles_that_are_forgotten_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gridworld_minigrid.pictures_observer.MOST_KEPT", 5 * 3 * 8**2)
    task, mode = draw_everything(), AutoresetMode.NEXT_STEP
    ours = VectorGridEnv(task, num_envs=3, observation="pictures", tile_size=8, max_states=0)
    play_side_by_side(one_by_one(task, 3, mode, tile_size=8), ours, steps=60, seed=5)


def test_pictures_are_arrays_of_their_own_unless_asked_otherwise() -> None:
    for copy in (True, False):
        env = VectorGridEnv(corridor("@.G"), num_envs=2, observation="pictures", copy=copy)
        first, _ = env.reset()
        before = first.copy()
        second, *_ = env.step([1, 2])
        assert np.shares_memory(first, second) == (not copy)
        assert np.array_equal(first, before) == copy
        assert second.flags.writeable == copy


def test_tasks_of_different_sizes_are_refused() -> None:
    several = [_named(corridor("@.G"), "short"), _named(corridor("@..G"), "long")]
    with pytest.raises(ArgumentError, match="'short' has 5 x 3 cells and 'long' has 6 x 3"):
        VectorGridEnv(several, observation="pictures")


def test_more_pictures_than_fit_into_memory_are_refused() -> None:
    (task,) = find_tasks("tiers/t2_01_first_key")
    with pytest.raises(ArgumentError, match=r"100,000 environments with pictures of \d+ x \d+ pixels take"):
        VectorGridEnv(task, num_envs=100_000, observation="pictures")


def _named(task: TaskSpecification, name: str) -> TaskSpecification:
    return attrs.evolve(task, task_id=name)
