"""Pictures of a batch of environments equal those of as many single environments, with both backends."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import attrs
import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from gymnasium.wrappers import AddRenderObservation
from hypothesis import given
from hypothesis import strategies as st

from gridworld.errors import ArgumentError
from gridworld.suites import find_tasks
from gridworld.task_spec import TaskSpecification
from gridworld_minigrid import CustomMiniGridEnv, VectorGridEnv
from gridworld_multigrid import MultiGridEnv, VectorMultiGridEnv
from support.environments import play_side_by_side
from support.thoroughness import bounded, in_turn
from support.tilings import TILINGS, everything
from support.twins import with_rules
from support.worlds import corridor, draw_everything, tasks

Tasks = TaskSpecification | list[TaskSpecification]
MODE_WITH = dict(zip(("full", "view_cone", "fog_of_war"), AutoresetMode, strict=True))
"""Observability to the autoreset mode with which it is tried."""
SETTINGS: dict[type, tuple[Any, dict[str, Any]]] = {
    VectorGridEnv: (CustomMiniGridEnv, {"tile_size": 8}),
    VectorMultiGridEnv: (MultiGridEnv, {"tiling": "hex", "image_size": 64}),
}
"""Vector environment to the single one, and options of both."""
both = pytest.mark.parametrize("vector", SETTINGS)


def rendering_one_by_one(make: Callable[[], gymnasium.Env[Any, Any]], count: int, mode: AutoresetMode) -> SyncVectorEnv:
    """`count` single environments that observe pictures, stepped one by one."""
    return SyncVectorEnv([lambda: AddRenderObservation(make(), render_only=True)] * count, autoreset_mode=mode)


def compare(vector: Any, task: Tasks, count: int, mode: AutoresetMode, steps: int, seed: int, **options: Any) -> int:
    """Play side by side with single environments, with kept and with copied pictures; returns the ended episodes."""
    single, default = SETTINGS[vector]
    own = {key: options.pop(key) for key in ("max_states",) if key in options}
    options = {**default, **options}
    theirs: SyncVectorEnv = rendering_one_by_one(partial(single, task, render_mode="rgb_array", **options), count, mode)
    asked = {"num_envs": count, "observation": "pictures", "autoreset_mode": mode, "max_states": 0, **own, **options}
    ours = [vector(task, copy=copy, **asked) for copy in (False, True)]
    return play_side_by_side(theirs, *ours, steps=steps, seed=seed)


@in_turn("observability, mode", MODE_WITH, list(AutoresetMode))
def test_squares(observability: str, mode: AutoresetMode) -> None:
    task = with_rules(draw_everything(max_steps=40), observability=observability)
    assert compare(VectorGridEnv, task, 4, mode, steps=60, seed=1, tile_size=10) > 0


@pytest.mark.more
@in_turn("tiling, observability", TILINGS, MODE_WITH)
def test_every_tiling(tiling: str, observability: str) -> None:
    task, mode = attrs.evolve(everything(observability), max_steps=40), MODE_WITH[observability]
    assert compare(VectorMultiGridEnv, task, 3, mode, steps=60, seed=1, tiling=tiling, image_size=120) > 0


@bounded(5)
@given(
    task=tasks(),
    highlight=st.booleans(),
    view_size=st.sampled_from([None, 3, 9]),
    tile_size=st.integers(1, 16),
    seed=st.integers(0, 2**32 - 1),
)
def test_any_task_on_squares(
    task: TaskSpecification, highlight: bool, view_size: int | None, tile_size: int, seed: int
) -> None:
    options = {"tile_size": tile_size, "highlight": highlight, "agent_view_size": view_size, "max_states": 500}
    compare(VectorGridEnv, task, 3, AutoresetMode.SAME_STEP, steps=30, seed=seed, **options)


@bounded(3)
@given(
    task=tasks(max_side=6),
    tiling=st.sampled_from(TILINGS),
    size=st.sampled_from([64, 97, (64, 300), 480]),
    seed=st.integers(0, 2**32 - 1),
)
def test_any_task_on_any_tiling(task: TaskSpecification, tiling: str, size: int | tuple[int, int], seed: int) -> None:
    options = {"tiling": tiling, "image_size": size, "max_states": 500}
    compare(VectorMultiGridEnv, task, 2, AutoresetMode.SAME_STEP, steps=20, seed=seed, **options)


@both
def test_tasks_of_one_size_are_shown_in_turn(vector: type) -> None:
    several = [attrs.evolve(corridor(row, max_steps=6), task_id=row) for row in ("@..G", "@G.#", ".@G.")]
    assert compare(vector, several, 5, AutoresetMode.SAME_STEP, steps=40, seed=2, max_states=300) > 5


@pytest.mark.parametrize(
    ("vector", "limits", "options"),
    [
        (VectorGridEnv, {"gridworld.vector.stepping_table.MOST_LEARNT": 60}, {}),
        (VectorGridEnv, {"gridworld_minigrid.pictures_observer.MOST_KEPT": 5 * 3 * 8**2}, {}),
        (
            VectorMultiGridEnv,
            {
                "gridworld_multigrid.rendering.pane_pictures.MOST_KEPT": 0,
                "gridworld_multigrid.rendering.pane_pictures.AT_ONCE": 7,
            },
            {"tiling": "3464"},
        ),
    ],
    ids=["rows", "tiles", "panes"],
)
def test_evictions_change_nothing(
    vector: type, limits: dict[str, int], options: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, limit in limits.items():
        monkeypatch.setattr(name, limit)
    (fog,) = find_tasks("tiers/t5_05_gather_in_fog")
    task = fog if options else with_rules(draw_everything(), observability="fog_of_war")
    steps = 20 if options else 150
    compare(vector, task, 3, AutoresetMode.NEXT_STEP, steps=steps, seed=5, **options)


@both
@pytest.mark.parametrize("copy", [False, True])
def test_pictures_are_new_arrays_unless_copy_is_false(vector: Any, copy: bool) -> None:
    env = vector(corridor("@.G"), num_envs=2, observation="pictures", copy=copy, **SETTINGS[vector][1])
    first, _ = env.reset()
    before = first.copy()
    second, *_ = env.step([1, 2])
    assert np.shares_memory(first, second) == (not copy)
    assert np.array_equal(first, before) == copy
    assert second.flags.writeable == copy


@both
def test_tasks_of_different_sizes_are_refused(vector: Any) -> None:
    several = [attrs.evolve(corridor(row), task_id=name) for row, name in (("@.G", "short"), ("@..G", "long"))]
    with pytest.raises(ArgumentError, match="tasks of one size, but 'short' has 5 x 3 cells and 'long' has 6 x 3"):
        vector(several, observation="pictures")


@both
def test_more_pictures_than_fit_into_memory_are_refused(vector: Any) -> None:
    with pytest.raises(ArgumentError, match=r"100,000 environments with pictures of \d+ x \d+ pixels take"):
        vector(corridor("@..G"), num_envs=100_000, observation="pictures")
