"""Many copies stepped on tables do what as many environments do that are stepped one after the other."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode, SyncVectorEnv, VectorEnv
from gymnasium.wrappers.vector import DictInfoToList, NormalizeReward, RecordEpisodeStatistics
from hypothesis import given
from hypothesis import strategies as st
from minigrid.wrappers import FullyObsWrapper

from gridworld.errors import (
    ArgumentError,
    EpisodeOver,
    InvalidAction,
    NotResetError,
    UnknownNameError,
)
from gridworld.solver import NotTabulatedError
from gridworld.suites import find_tasks
from gridworld.task_spec import TaskSpecification
from gridworld_minigrid import CustomMiniGridEnv, VectorGridEnv
from gridworld_minigrid.registration import ENVIRONMENT_ID
from support.environments import expect_closed, expect_copies_to_go_on, expect_the_same_frames, play_side_by_side
from support.thoroughness import bounded, in_turn
from support.worlds import corridor, draw_everything, tasks

Tasks = TaskSpecification | list[TaskSpecification]
SUITES = ("validation_10", "tiers")
SMALL = ("tiers/t4_02_scorched_hall", "tiers/t4_05_hold_your_ground", "tiers/t5_06_false_wall")
"""Hazards, survival, and what is hidden."""
OF_TWO_SIZES = [corridor("@.G"), TaskSpecification.from_dict({**draw_everything().to_dict(), "task_id": "everything"})]
MODES = [pytest.param(mode, id=mode.value) for mode in AutoresetMode]


def one_by_one(task: Tasks, count: int, mode: AutoresetMode, **options: Any) -> SyncVectorEnv:
    """As many single environments."""
    return SyncVectorEnv([lambda: CustomMiniGridEnv(task, **options)] * count, autoreset_mode=mode)


@in_turn("reference, mode", SMALL, list(AutoresetMode))
def test_it_plays_as_single_environments_do(reference: str, mode: AutoresetMode) -> None:
    (task,) = find_tasks(reference)
    tabulated = VectorGridEnv(task, num_envs=10, autoreset_mode=mode)
    learnt = VectorGridEnv(task, num_envs=10, autoreset_mode=mode, max_states=0)
    assert play_side_by_side(one_by_one(task, 10, mode), tabulated, learnt, steps=200, seed=1) > 0


def test_it_plays_with_all_mechanisms(task: TaskSpecification) -> None:
    ours, mode = VectorGridEnv(task, num_envs=5, max_states=0), AutoresetMode.NEXT_STEP
    assert play_side_by_side(one_by_one(task, 5, mode), ours, steps=200, seed=1) > 0


@pytest.mark.parametrize("mode", MODES)
def test_each_copy_draws_its_tasks_as_a_single_environment_with_its_seed_does(mode: AutoresetMode) -> None:
    several = [
        corridor("@..G", max_steps=7),
        draw_everything(max_steps=9, rules={"view_size": 9}),
        TaskSpecification.from_dict({**corridor("@.G", max_steps=5).to_dict(), "task_id": "shorter"}),
    ]
    several[1] = TaskSpecification.from_dict({**several[1].to_dict(), "task_id": "everything"})
    ours = VectorGridEnv(several, num_envs=6, autoreset_mode=mode, max_states=100)
    assert play_side_by_side(one_by_one(several, 6, mode), ours, steps=60, seed=2) > 6


@bounded(4)
@given(task=tasks(), view_size=st.sampled_from([None, 3, 9]), seed=st.integers(0, 2**32 - 1))
def test_it_plays_any_task(task: TaskSpecification, view_size: int | None, seed: int) -> None:
    mode = AutoresetMode.SAME_STEP
    ours = VectorGridEnv(task, num_envs=4, autoreset_mode=mode, agent_view_size=view_size, max_states=2_000, copy=False)
    play_side_by_side(one_by_one(task, 4, mode, agent_view_size=view_size), ours, steps=40, seed=seed)


@pytest.mark.thorough
@pytest.mark.parametrize("reference", [task.task_id for suite in SUITES for task in find_tasks(suite)])
@pytest.mark.parametrize("mode", MODES)
def test_it_plays_every_bundled_task(reference: str, mode: AutoresetMode) -> None:
    task = next(task for suite in SUITES for task in find_tasks(suite) if task.task_id == reference)
    ours = VectorGridEnv(task, num_envs=50, autoreset_mode=mode)
    assert play_side_by_side(one_by_one(task, 50, mode), ours, steps=700, seed=3) > 0


def test_the_whole_grid_is_that_of_minigrids_wrapper(task: TaskSpecification) -> None:
    ours = VectorGridEnv(task, num_envs=3, observation="grid", max_states=0)
    theirs = SyncVectorEnv([lambda: FullyObsWrapper(CustomMiniGridEnv(task))] * 3)
    play_side_by_side(theirs, ours, steps=100, seed=4)


def test_rows_that_are_forgotten_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gridworld.vector.stepping_table.MOST_LEARNT", 60)
    task, mode = draw_everything(), AutoresetMode.NEXT_STEP
    ours = VectorGridEnv(task, num_envs=5, autoreset_mode=mode, max_states=0)
    play_side_by_side(one_by_one(task, 5, mode), ours, steps=200, seed=5)


@pytest.mark.parametrize("mode", MODES[:2])
def test_events_are_told_on_request(mode: AutoresetMode) -> None:
    (task,) = find_tasks("tiers/t4_05_hold_your_ground")
    ours = VectorGridEnv(task, num_envs=4, autoreset_mode=mode, events=True)
    theirs = one_by_one(task, 4, mode)
    rng = np.random.default_rng(6)
    for env in (ours, theirs):
        _, infos = env.reset()
        assert infos["events"].tolist() == [()] * 4
    ended = 0
    for _ in range(80):
        actions = rng.integers(7, size=4)
        told, other = ours.step(actions)[-1], theirs.step(actions)[-1]
        for name in ("events", "event_records"):
            expected = other[name].copy()
            if "final_info" in other:  # the last step's, where an environment tells of its reset
                expected[other["_final_info"]] = other["final_info"][name][other["_final_info"]]
                ended += 1
            assert told[name].tolist() == expected.tolist()
    assert bool(ended) == (mode == AutoresetMode.SAME_STEP)


def test_states_are_observed_by_number() -> None:
    env = VectorGridEnv(corridor("@.G"), num_envs=2, observation="state")
    states, _ = env.reset()
    moved, *_ = env.step([2, 6])
    assert (states[0], moved[1]) == (states[1], states[1])
    assert moved[0] != states[0]
    assert env.observation_space.contains(moved)
    assert env.single_observation_space.contains(env.step([2, 6])[0][0])


def test_nothing_need_be_observed() -> None:
    env = VectorGridEnv(corridor("@.G"), num_envs=2, observation="none")
    env.reset()
    observation, rewards, *_ = env.step([2, 6])
    assert (observation.tolist(), rewards.tolist()) == ([0, 0], [0.0, 0.0])
    assert env.observation_space.contains(observation)


def test_observations_are_arrays_of_their_own_unless_asked_otherwise(task: TaskSpecification) -> None:
    for copy in (True, False):
        env = VectorGridEnv(task, num_envs=2, copy=copy, max_states=0)
        first, _ = env.reset()
        before = first["image"].copy()
        second, *_ = env.step([1, 1])
        assert (second["image"] is first["image"]) == (not copy)
        assert np.array_equal(first["image"], before) == copy


def test_what_a_step_returns_never_changes() -> None:
    env = VectorGridEnv(corridor("@.G", max_steps=4), num_envs=3, autoreset_mode="SameStep")
    env.reset()
    returned = []
    for actions in ([2, 6, 2], [2, 2, 6], [6, 2, 2], [1, 1, 1]):
        step = env.step(actions)
        returned.append((step, repr(step)))
    assert all(repr(step) == shown for step, shown in returned)


def test_gymnasium_makes_it_unless_another_way_is_asked_for() -> None:
    made = gymnasium.make_vec(ENVIRONMENT_ID, num_envs=3, task=corridor("@.G"), autoreset_mode="SameStep")
    assert isinstance(made, VectorGridEnv)
    assert (made.num_envs, made.metadata["autoreset_mode"]) == (3, AutoresetMode.SAME_STEP)
    again = gymnasium.make_vec(made.spec)
    assert again.num_envs == 3
    made.close()
    assert made.closed


def test_gymnasiums_wrappers_work_on_it(task: TaskSpecification) -> None:
    infos: list[Any] = []
    for env in (VectorGridEnv(task, num_envs=4, max_states=0), one_by_one(task, 4, AutoresetMode.NEXT_STEP)):
        wrapped: VectorEnv[Any, Any, Any] = DictInfoToList(NormalizeReward(RecordEpisodeStatistics(env)))
        wrapped.reset(seed=1)
        rng = np.random.default_rng(1)
        told = [wrapped.step(rng.integers(7, size=4))[-1] for _ in range(120)]
        infos.append(
            [[(each["episode"]["r"], each["episode"]["l"]) for each in step if "episode" in each] for step in told]
        )
    assert infos[0] == infos[1]
    assert any(infos[0])


def test_a_task_is_chosen_for_all_copies_or_some() -> None:
    one, other = (TaskSpecification.from_dict({**corridor("@.G").to_dict(), "task_id": name}) for name in ("a", "b"))
    env = VectorGridEnv([one, other], num_envs=3)
    _, infos = env.reset(options={"task_id": "b"})
    assert infos["task_id"].tolist() == ["b", "b", "b"]
    _, infos = env.reset(options={"task_id": "a", "reset_mask": np.array([False, True, False])})
    assert infos["task_id"].tolist() == [None, "a", None]
    assert env.step([6, 6, 6])[-1]["task_id"].tolist() == ["b", "a", "b"]


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        (
            {"options": 5},
            ArgumentError,
            "options of reset: expected a dictionary with 'task_id' or 'reset_mask', got 5",
        ),
        ({"options": {"mask": 0}}, ArgumentError, "unknown option 'mask' .*'reset_mask'.*'task_id' and 'reset_mask'"),
        ({"options": {"task_id": "c"}}, UnknownNameError, "unknown task of this environment 'c'.*there are: a, b"),
        ({"options": {"task_id": 5}}, UnknownNameError, "unknown task of this environment '5'"),
        ({"options": {"reset_mask": [True, True]}}, ArgumentError, r"bool array of shape \(2,\), got \[True, True\]"),
        ({"options": {"reset_mask": np.ones(3, dtype=bool)}}, ArgumentError, r"got bool of shape \(3,\)"),
        ({"options": {"reset_mask": np.ones(2, dtype=int)}}, ArgumentError, r"got int64 of shape \(2,\)"),
        ({"options": {"reset_mask": np.zeros(2, dtype=bool)}}, ArgumentError, "reset_mask: no environment is selected"),
        ({"seed": [1, 2, 3]}, ArgumentError, "seed: expected 2 of them, one for each environment, got 3"),
        ({"seed": [1, "2"]}, ValueError, r"seed\[1\] has to be a whole number, got '2'"),
        ({"seed": "x"}, ValueError, "seed has to be a whole number, got 'x'"),
        ({"seed": 1.5}, ValueError, "seed has to be a whole number, got 1.5"),
        ({"seed": True}, ValueError, "seed has to be a whole number, got True"),
        ({"seed": -1}, ValueError, "seed has to be at least 0, got -1"),
    ],
    ids=str,
)
def test_resets_that_make_no_sense_are_refused_and_change_nothing(
    options: dict[str, Any], error: type[Exception], message: str
) -> None:
    several = [TaskSpecification.from_dict({**corridor("@.G").to_dict(), "task_id": name}) for name in ("a", "b")]
    env, other = VectorGridEnv(several, num_envs=2), VectorGridEnv(several, num_envs=2)
    with pytest.raises(error, match=message):
        env.reset(**{"seed": 3, **options})
    with pytest.raises(NotResetError):
        env.step([0, 0])
    for each in (env, other):
        each.reset(seed=4)
    with pytest.raises(error, match=message):
        env.reset(**{"seed": 3, **options})
    drawn = [[each.reset()[1]["task_id"].tolist() for _ in range(16)] for each in (env, other)]
    assert drawn[0] == drawn[1]


@pytest.mark.parametrize("actions", [[7, 0], [0, -1], [0], [0, 1, 2], [0.0, 1.0]])
def test_actions_outside_the_space_are_refused_and_change_nothing(actions: list[Any]) -> None:
    env = VectorGridEnv(corridor("@.G"), num_envs=2)
    before, _ = env.reset()
    with pytest.raises(InvalidAction):
        env.step(actions)
    after, *_ = env.step([6, 6])
    np.testing.assert_array_equal(before["image"], after["image"])


def test_actions_may_be_integers_of_any_type() -> None:
    env = VectorGridEnv(corridor("@.G"), num_envs=2, observation="state")
    env.reset()
    returned = [env.step(np.array([0, 1], dtype=dtype))[0].dtype for dtype in (np.int8, np.int64, np.uint8, np.uint64)]
    assert set(returned) == {np.dtype(np.int64)}


def test_an_ended_episode_is_not_gone_on_with_where_resets_are_left_to_the_caller() -> None:
    env = VectorGridEnv(corridor("@G"), num_envs=2, autoreset_mode=AutoresetMode.DISABLED)
    env.reset()
    env.step([6, 2])
    with pytest.raises(EpisodeOver, match="environment 1"):
        env.step([6, 6])


def test_it_has_to_be_reset_first() -> None:
    env = VectorGridEnv(corridor("@.G"), render_mode="rgb_array")
    for call in (lambda: env.step([0]), env.render):
        with pytest.raises(NotResetError):
            call()


@pytest.mark.parametrize("kept", [False, True])
@pytest.mark.parametrize("observation", ["view", "grid", "pictures", "none"])
def test_copies_of_it_go_on_by_themselves(observation: Any, kept: bool) -> None:
    several = [draw_everything(max_steps=30), *find_tasks("tiers/t5_05_gather_in_fog")]
    tasks = several[1:] if observation == "pictures" else several
    expect_copies_to_go_on(VectorGridEnv(tasks, 3, observation, copy=not kept, tile_size=4, max_states=0))


def test_nothing_is_done_once_it_is_closed() -> None:
    env = VectorGridEnv(corridor("@.G"), num_envs=2, render_mode="rgb_array")
    env.reset()
    expect_closed(env)


@pytest.mark.parametrize("mode", MODES[:2])
@pytest.mark.parametrize("observation", ["view", "state", "pictures"])
def test_it_renders_what_single_environments_do(observation: Any, mode: AutoresetMode) -> None:
    (task,) = find_tasks("tiers/t4_02_scorched_hall")
    options: dict[str, Any] = {"render_mode": "rgb_array", "tile_size": 6}
    ours = VectorGridEnv(task, 3, observation, autoreset_mode=mode, copy=False, **options)
    expect_the_same_frames(one_by_one(task, 3, mode, **options), ours, steps=40, seed=1)


def test_it_renders_only_where_that_is_asked_for() -> None:
    env = VectorGridEnv(corridor("@.G"), num_envs=2, observation="pictures")
    env.reset()
    assert env.render() is None
    with pytest.raises(ValueError, match="render_mode has to be 'rgb_array' or None, got 'human'"):
        VectorGridEnv(corridor("@.G"), render_mode="human")


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"observation": "vew"}, UnknownNameError, "unknown observation 'vew' .did you mean 'view'"),
        ({"observation": None}, UnknownNameError, "unknown observation 'None'"),
        ({"autoreset_mode": "samestep"}, UnknownNameError, "unknown autoreset_mode .*did you mean 'SameStep'"),
        ({"autoreset_mode": None}, UnknownNameError, "unknown autoreset_mode 'None'"),
        ({"num_envs": 0}, ValueError, "num_envs has to be at least 1, got 0"),
        ({"num_envs": "3"}, ValueError, "num_envs has to be a whole number, got '3'"),
        ({"max_states": -1}, ValueError, "max_states has to be at least 0, got -1"),
        ({"max_states": 1e6}, ValueError, "max_states has to be a whole number, got 1000000.0"),
        ({"tile_size": 0}, ValueError, "tile_size has to be at least 1 pixel, got 0"),
        ({"max_side": "64"}, ValueError, "max_side has to be a whole number, got '64'"),
        ({"num_envs": True}, ValueError, "num_envs has to be a whole number, got True"),
        ({"copy": "no"}, ValueError, "copy has to be True or False, got 'no'"),
        ({"events": 1}, ValueError, "events has to be True or False, got 1"),
        ({"highlight": "off"}, ValueError, "highlight has to be True or False, got 'off'"),
        ({"agent_view_size": 7.0}, ArgumentError, "agent_view_size has to be odd, .* a whole number, got 7.0"),
        ({"agent_view_size": True}, ArgumentError, "agent_view_size has to be odd, .*got True"),
        ({"agent_view_size": 8}, ArgumentError, "agent_view_size has to be odd, .*got 8"),
        ({"render_mode": "rgb_aray"}, ValueError, "got 'rgb_aray' .did you mean 'rgb_array'"),
        ({"observation": "state", "max_states": 2}, NotTabulatedError, "more than 2 states"),
    ],
    ids=str,
)
def test_arguments_that_make_no_sense_are_refused(
    options: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        VectorGridEnv(corridor("@.G"), **options)


@pytest.mark.parametrize("observation", ["view", "grid", "pictures", "state", "none"])
def test_more_copies_than_fit_are_refused_before_any_is_made(observation: Any) -> None:
    with pytest.raises(ArgumentError, match=r"take [\d,.]+ GB, more than 4 GB"):
        VectorGridEnv(corridor("@.G"), num_envs=10**9, observation=observation)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"observation": "pictures", "num_envs": 30_000},
            "30,000 environments with pictures of 224 x 96 pixels take .* ask for smaller ones, or for fewer",
        ),
        (
            {"render_mode": "rgb_array", "num_envs": 100_000},
            "100,000 environments with pictures of 224 x 96 pixels take",
        ),
        ({"agent_view_size": 199, "num_envs": 5_000}, "5,000 environments with views of 118,803 bytes take"),
        ({"observation": "pictures", "task": OF_TWO_SIZES}, "pictures need tasks of one size"),
        ({"render_mode": "rgb_array", "task": OF_TWO_SIZES}, "pictures need tasks of one size"),
    ],
    ids=str,
)
def test_what_does_not_fit_is_refused_before_states_are_tabulated(
    options: dict[str, Any], message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: Any, **__: Any) -> None:
        raise AssertionError("tabulated")

    monkeypatch.setattr("gridworld.vector.task_vector_env.SteppingTable", refuse)
    with pytest.raises(ArgumentError, match=message):
        VectorGridEnv(**{"task": corridor("@...G"), **options})


@pytest.mark.parametrize(
    "options",
    [
        {"tile_size": 0},
        {"tile_size": "32"},
        {"max_side": -1},
        {"copy": "no"},
        {"highlight": "no"},
        {"agent_view_size": 7.0},
    ],
    ids=str,
)
def test_single_environments_refuse_the_same(options: dict[str, Any]) -> None:
    (name,) = options
    with pytest.raises((ValueError, ArgumentError), match=name) as single:
        CustomMiniGridEnv(corridor("@.G"), **options)
    with pytest.raises((ValueError, ArgumentError), match=name) as vector:
        VectorGridEnv(corridor("@.G"), **options)
    assert str(single.value) == str(vector.value)
