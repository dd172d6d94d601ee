"""Many copies stepped on tables do what as many environments do that are stepped one after the other, on any tiling."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from hypothesis import given
from hypothesis import strategies as st

from gridworld.errors import ArgumentError, InvalidAction, UnknownNameError
from gridworld.solver import NotTabulatedError
from gridworld.suites import find_tasks
from gridworld.task_spec import TaskSpecification
from gridworld_multigrid import MultiGridEnv, VectorMultiGridEnv
from gridworld_multigrid.registration import ENVIRONMENT_ID
from support.environments import expect_closed, expect_copies_to_go_on, expect_the_same_frames, play_side_by_side
from support.thoroughness import bounded, in_turn
from support.tilings import TILINGS
from support.worlds import corridor, tasks

Tasks = TaskSpecification | list[TaskSpecification]
SAME_STEP = AutoresetMode.SAME_STEP
SHOWN_IN_PART = ("tiers/t5_05_gather_in_fog", "tiers/t5_07_clockwork", "tiers/t5_08_phantom_portal")
"""Fog, hidden things with numbers in it, and the same with a cone."""
ALL_TASKS = [f"{suite}/{task.task_id}" for suite in ("validation_10", "tiers") for task in find_tasks(suite)]


def one_by_one(task: Tasks, count: int, mode: AutoresetMode, **options: Any) -> SyncVectorEnv:
    """As many single environments."""
    return SyncVectorEnv([lambda: MultiGridEnv(task, **options)] * count, autoreset_mode=mode)


@in_turn("reference, mode", SHOWN_IN_PART, list(AutoresetMode))
def test_it_plays_as_single_environments_do(reference: str, mode: AutoresetMode) -> None:
    (task,) = find_tasks(reference)
    tabulated = VectorMultiGridEnv(task, num_envs=5, autoreset_mode=mode)
    learnt = VectorMultiGridEnv(task, num_envs=5, autoreset_mode=mode, max_states=0, copy=False)
    assert play_side_by_side(one_by_one(task, 5, mode), tabulated, learnt, steps=200, seed=1) > 0


@pytest.mark.parametrize("tiling", TILINGS)
def test_it_plays_on_every_tiling(tiling: str) -> None:
    several = [task for task in find_tasks("tiers") if task.task_id in ("t2_07_swap", "t4_02_scorched_hall")]
    options = {"num_envs": 4, "tiling": tiling, "autoreset_mode": SAME_STEP, "max_states": 1_000}
    kept, copied = VectorMultiGridEnv(several, copy=False, **options), VectorMultiGridEnv(several, **options)
    assert not kept.reset()[0]["cells"].flags.writeable
    assert play_side_by_side(one_by_one(several, 4, SAME_STEP, tiling=tiling), kept, copied, steps=100, seed=2) > 0


@bounded(4)
@given(task=tasks(max_side=6), tiling=st.sampled_from(TILINGS), seed=st.integers(0, 2**32 - 1))
def test_it_plays_any_task(task: TaskSpecification, tiling: str, seed: int) -> None:
    ours = VectorMultiGridEnv(task, num_envs=3, tiling=tiling, max_states=2_000)
    play_side_by_side(one_by_one(task, 3, AutoresetMode.NEXT_STEP, tiling=tiling), ours, steps=30, seed=seed)


def test_native_actions_are_learnt() -> None:
    (task,) = find_tasks("tiers/t4_03_doorway_crate")
    ours = VectorMultiGridEnv(task, num_envs=5, actions="native")
    theirs = one_by_one(task, 5, AutoresetMode.NEXT_STEP, actions="native")
    assert play_side_by_side(theirs, ours, steps=150, seed=3) > 0
    with pytest.raises(NotTabulatedError, match="other actions"):
        VectorMultiGridEnv(task, observation="state", actions="native")


@pytest.mark.thorough
@pytest.mark.parametrize("reference", ALL_TASKS)
@pytest.mark.parametrize("tiling", TILINGS)
def test_it_plays_every_bundled_task(reference: str, tiling: str) -> None:
    (task,) = find_tasks(reference)
    ours = VectorMultiGridEnv(task, num_envs=40, tiling=tiling, autoreset_mode=SAME_STEP)
    assert play_side_by_side(one_by_one(task, 40, SAME_STEP, tiling=tiling), ours, steps=500, seed=4) > 0


def test_rows_that_are_forgotten_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gridworld.vector.stepping_table.MOST_LEARNT", 60)
    for reference in ("tiers/t4_04_crossed_crates", "tiers/t5_05_gather_in_fog"):
        (task,) = find_tasks(reference)
        ours = VectorMultiGridEnv(task, num_envs=5, max_states=0, copy=False)
        play_side_by_side(one_by_one(task, 5, AutoresetMode.NEXT_STEP), ours, steps=150, seed=5)


def test_gymnasium_makes_it_unless_another_way_is_asked_for() -> None:
    made = gymnasium.make_vec(ENVIRONMENT_ID, num_envs=3, task=corridor("@.G"), tiling="hex", observation="state")
    assert isinstance(made, VectorMultiGridEnv)
    states, _ = made.reset()
    assert made.observation_space.contains(states)


def test_nothing_need_be_observed() -> None:
    env = VectorMultiGridEnv(corridor("@.G"), num_envs=2, observation="none")
    env.reset()
    assert env.step([2, 6])[0].tolist() == [0, 0]


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"observation": "cell"}, UnknownNameError, "did you mean 'cells'"),
        ({"observation": 3}, UnknownNameError, "unknown observation '3'"),
        ({"tiling": None}, ArgumentError, "expected the name of a tiling, such as 'square', got a NoneType"),
        ({"autoreset_mode": "never"}, UnknownNameError, "unknown autoreset_mode 'never'; there are: NextStep"),
        ({"num_envs": -1}, ValueError, "num_envs has to be at least 1, got -1"),
        ({"max_states": None}, ValueError, "max_states has to be a whole number, got None"),
        ({"image_size": 63}, ValueError, "image_size has to be at least 64 pixels"),
        ({"max_side": 1e3}, ValueError, "max_side has to be a whole number, got 1000.0"),
        ({"actions": "nativ"}, ValueError, "actions has to be 'external' or 'native', got 'nativ' .did you mean"),
        ({"copy": "no"}, ValueError, "copy has to be True or False, got 'no'"),
    ],
    ids=str,
)
def test_arguments_that_make_no_sense_are_refused(
    options: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        VectorMultiGridEnv(corridor("@.G"), **options)


@pytest.mark.parametrize("observation", ["cells", "pictures", "state", "none"])
def test_more_copies_than_fit_are_refused_before_any_is_made(observation: Any) -> None:
    with pytest.raises(ArgumentError, match=r"take [\d,.]+ GB, more than 4 GB"):
        VectorMultiGridEnv(corridor("@.G"), num_envs=10**9, observation=observation)


@pytest.mark.parametrize("options", [{"tiling": None}, {"image_size": 3}, {"max_side": "x"}, {"copy": "no"}], ids=str)
def test_single_environments_refuse_the_same(options: dict[str, Any]) -> None:
    with pytest.raises((ValueError, ArgumentError)) as single:
        MultiGridEnv(corridor("@.G"), **options)
    with pytest.raises((ValueError, ArgumentError)) as vector:
        VectorMultiGridEnv(corridor("@.G"), **options)
    assert str(single.value) == str(vector.value)


@pytest.mark.parametrize("reference", SHOWN_IN_PART)
def test_it_renders_what_single_environments_do(reference: str) -> None:
    (task,) = find_tasks(reference)
    options: dict[str, Any] = {"tiling": "hex", "render_mode": "rgb_array", "image_size": 80}
    ours = VectorMultiGridEnv(task, 3, observation="none", autoreset_mode=SAME_STEP, **options)
    expect_the_same_frames(one_by_one(task, 3, SAME_STEP, **options), ours, steps=40, seed=1)


@pytest.mark.parametrize("kept", [False, True])
@pytest.mark.parametrize("observation", ["cells", "pictures"])
def test_copies_of_it_go_on_by_themselves(observation: Any, kept: bool) -> None:
    (task,) = find_tasks("tiers/t5_05_gather_in_fog")
    options: dict[str, Any] = {"tiling": "488", "actions": "native", "image_size": 64}
    expect_copies_to_go_on(VectorMultiGridEnv(task, 3, observation=observation, copy=not kept, **options))


def test_nothing_is_done_once_it_is_closed() -> None:
    env = VectorMultiGridEnv(corridor("@.G"), num_envs=2, render_mode="rgb_array")
    env.reset()
    expect_closed(env)


def test_actions_outside_the_set_are_refused() -> None:
    env = VectorMultiGridEnv(corridor("@.G"), num_envs=2)
    env.reset()
    with pytest.raises(InvalidAction, match="action 7 of environment 1"):
        env.step(np.array([0, 7]))
