"""Vector environments of both backends equal as many single environments that are stepped one by one."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import attrs
import gymnasium
import numpy as np
import pytest
from gymnasium.error import ClosedEnvironmentError
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from hypothesis import given
from hypothesis import strategies as st
from minigrid.wrappers import FullyObsWrapper

from gridworld.errors import ArgumentError, EpisodeOver, InvalidAction, NotResetError, UnknownNameError
from gridworld.solver import NotTabulatedError
from gridworld.suites import find_tasks
from gridworld.task_spec import TaskSpecification
from gridworld_minigrid import ENVIRONMENT_ID as SQUARES
from gridworld_minigrid import CustomMiniGridEnv, VectorGridEnv
from gridworld_multigrid import ENVIRONMENT_ID as TILED
from gridworld_multigrid import MultiGridEnv, VectorMultiGridEnv
from support.environments import Vector, assert_equal, compare_returned, play_side_by_side
from support.thoroughness import bounded, in_turn
from support.tilings import TILINGS, on_two_tilings
from support.worlds import corridor, draw_everything, tasks

Tasks = TaskSpecification | list[TaskSpecification]
NEXT_STEP, SAME_STEP = AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP
MODES = [pytest.param(mode, id=mode.value) for mode in AutoresetMode]
SINGLE: dict[type, Any] = {VectorGridEnv: CustomMiniGridEnv, VectorMultiGridEnv: MultiGridEnv}
both = pytest.mark.parametrize("vector", SINGLE)
GOALS = [
    {"type": "reach_position"},
    {"type": "collect_all", "target_ids": ["k", "s"]},
    {"type": "push_block_to", "target_ids": ["B"], "target_positions": ["m"]},
    {"type": "survive_steps"},
]
ON_SQUARES = ("tiers/t4_02_scorched_hall", "tiers/t4_05_hold_your_ground", "tiers/t5_06_false_wall")
"""Hazards, survival, and a hidden wall."""
SHOWN_IN_PART = ("tiers/t5_05_gather_in_fog", "tiers/t5_07_clockwork", "tiers/t5_08_phantom_portal")
"""Fog, hidden numbered entities in it, and these with a view cone."""
BUNDLED = [f"{suite}/{task.task_id}" for suite in ("validation_10", "tiers") for task in find_tasks(suite)]
OF_TWO_SIZES = [corridor("@.G"), attrs.evolve(draw_everything(), task_id="everything")]


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
            compare_returned([mine, its])
    for other in copies:
        assert_equal(other.action_masks(), env.action_masks())


@pytest.fixture(
    params=[GOALS[1], *(pytest.param(goal, marks=pytest.mark.more) for goal in (GOALS[0], *GOALS[2:]))],
    ids=lambda goal: goal["type"],
)
def task(request: pytest.FixtureRequest) -> TaskSpecification:
    """A task with all mechanisms, with each goal type in turn."""
    return draw_everything(goal=request.param)


def one_by_one(vector: type, task: Tasks, count: int, mode: AutoresetMode = NEXT_STEP, **options: Any) -> SyncVectorEnv:
    """As many single environments."""
    return SyncVectorEnv([lambda: SINGLE[vector](task, **options)] * count, autoreset_mode=mode)


def named(names: str) -> list[TaskSpecification]:
    return [attrs.evolve(corridor("@.G"), task_id=name) for name in names]


# --- Equal results -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("reference", "mode"),
    [
        (ON_SQUARES[0], AutoresetMode.DISABLED),
        (SHOWN_IN_PART[0], NEXT_STEP),
        (SHOWN_IN_PART[1], SAME_STEP),
        *(
            pytest.param(reference, mode, marks=pytest.mark.more)
            for reference in (*ON_SQUARES, *SHOWN_IN_PART)
            for mode in AutoresetMode
        ),
    ],
)
def test_tabulated_and_learnt_states_play_like_single_environments(reference: str, mode: AutoresetMode) -> None:
    vector = VectorGridEnv if reference in ON_SQUARES else VectorMultiGridEnv
    (task,) = find_tasks(reference)
    tabulated = vector(task, num_envs=5, autoreset_mode=mode)
    learnt = vector(task, num_envs=5, autoreset_mode=mode, max_states=0, copy=vector is VectorGridEnv)
    assert play_side_by_side(one_by_one(vector, task, 5, mode), tabulated, learnt, steps=200, seed=1) > 0


def test_all_mechanisms(task: TaskSpecification) -> None:
    ours = VectorGridEnv(task, num_envs=5, max_states=0)
    assert play_side_by_side(one_by_one(VectorGridEnv, task, 5), ours, steps=200, seed=1) > 0


@on_two_tilings
def test_every_tiling(name: str) -> None:
    several = [task for task in find_tasks("tiers") if task.task_id in ("t2_07_swap", "t4_02_scorched_hall")]
    options = {"num_envs": 4, "tiling": name, "autoreset_mode": SAME_STEP, "max_states": 1_000}
    kept, copied = VectorMultiGridEnv(several, copy=False, **options), VectorMultiGridEnv(several, **options)
    assert not kept.reset()[0]["cells"].flags.writeable
    theirs = one_by_one(VectorMultiGridEnv, several, 4, SAME_STEP, tiling=name)
    assert play_side_by_side(theirs, kept, copied, steps=100, seed=2) > 0


@pytest.mark.parametrize("mode", MODES)
def test_each_environment_draws_tasks_with_its_own_seed(mode: AutoresetMode) -> None:
    several = [
        corridor("@..G", max_steps=7),
        attrs.evolve(draw_everything(max_steps=9, rules={"view_size": 9}), task_id="everything"),
        attrs.evolve(corridor("@.G", max_steps=5), task_id="shorter"),
    ]
    ours = VectorGridEnv(several, num_envs=6, autoreset_mode=mode, max_states=100)
    assert play_side_by_side(one_by_one(VectorGridEnv, several, 6, mode), ours, steps=60, seed=2) > 6


@bounded(4)
@given(task=tasks(), view_size=st.sampled_from([None, 3, 9]), seed=st.integers(0, 2**32 - 1))
def test_any_task_on_squares(task: TaskSpecification, view_size: int | None, seed: int) -> None:
    asked = {"autoreset_mode": SAME_STEP, "agent_view_size": view_size, "max_states": 2_000, "copy": False}
    ours = VectorGridEnv(task, num_envs=4, **asked)
    theirs = one_by_one(VectorGridEnv, task, 4, SAME_STEP, agent_view_size=view_size)
    play_side_by_side(theirs, ours, steps=40, seed=seed)


@bounded(4)
@given(task=tasks(max_side=6), tiling=st.sampled_from(TILINGS), seed=st.integers(0, 2**32 - 1))
def test_any_task_on_any_tiling(task: TaskSpecification, tiling: str, seed: int) -> None:
    ours = VectorMultiGridEnv(task, num_envs=3, tiling=tiling, max_states=2_000)
    play_side_by_side(one_by_one(VectorMultiGridEnv, task, 3, tiling=tiling), ours, steps=30, seed=seed)


@pytest.mark.thorough
@pytest.mark.parametrize("reference", BUNDLED)
@pytest.mark.parametrize("mode", MODES)
def test_every_bundled_task_on_squares(reference: str, mode: AutoresetMode) -> None:
    (task,) = find_tasks(reference)
    ours = VectorGridEnv(task, num_envs=50, autoreset_mode=mode)
    assert play_side_by_side(one_by_one(VectorGridEnv, task, 50, mode), ours, steps=700, seed=3) > 0


@pytest.mark.thorough
@pytest.mark.parametrize("reference", BUNDLED)
@pytest.mark.parametrize("tiling", TILINGS)
def test_every_bundled_task_on_every_tiling(reference: str, tiling: str) -> None:
    (task,) = find_tasks(reference)
    ours = VectorMultiGridEnv(task, num_envs=40, tiling=tiling, autoreset_mode=SAME_STEP)
    theirs = one_by_one(VectorMultiGridEnv, task, 40, SAME_STEP, tiling=tiling)
    assert play_side_by_side(theirs, ours, steps=500, seed=4) > 0


def test_whole_grids_equal_minigrids_wrapper(task: TaskSpecification) -> None:
    ours = VectorGridEnv(task, num_envs=3, observation="grid", max_states=0)
    theirs = SyncVectorEnv([lambda: FullyObsWrapper(CustomMiniGridEnv(task))] * 3)
    play_side_by_side(theirs, ours, steps=100, seed=4)


def test_native_actions_are_learnt() -> None:
    (task,) = find_tasks("tiers/t4_03_doorway_crate")
    ours = VectorMultiGridEnv(task, num_envs=5, actions="native")
    theirs = one_by_one(VectorMultiGridEnv, task, 5, actions="native")
    assert play_side_by_side(theirs, ours, steps=150, seed=3) > 0
    with pytest.raises(NotTabulatedError, match="standard seven"):
        VectorMultiGridEnv(task, observation="state", actions="native")


@in_turn("vector, reference", list(SINGLE), ["tiers/t4_04_crossed_crates", "tiers/t5_05_gather_in_fog"])
def test_evicted_rows_change_nothing(vector: Any, reference: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gridworld.vector.stepping_table.MOST_LEARNT", 60)
    (task,) = find_tasks(reference)
    ours = vector(task, num_envs=5, max_states=0, copy=False)
    play_side_by_side(one_by_one(vector, task, 5), ours, steps=100, seed=5)


@pytest.mark.parametrize("mode", MODES[:2])
def test_events_are_told_on_request(mode: AutoresetMode) -> None:
    (task,) = find_tasks("tiers/t4_05_hold_your_ground")
    ours = VectorGridEnv(task, num_envs=4, autoreset_mode=mode, events=True)
    theirs = one_by_one(VectorGridEnv, task, 4, mode)
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
    assert bool(ended) == (mode == SAME_STEP)


# --- Observations and arrays -------------------------------------------------------------------------------------


def test_states_are_observed_by_number() -> None:
    env = VectorGridEnv(corridor("@.G"), num_envs=2, observation="state")
    states, _ = env.reset()
    moved, *_ = env.step([2, 6])
    assert (states[0], moved[1]) == (states[1], states[1])
    assert moved[0] != states[0]
    assert env.observation_space.contains(moved)
    assert env.single_observation_space.contains(env.step([2, 6])[0][0])


@pytest.mark.parametrize("copy", [True, False])
def test_observations_are_new_arrays_unless_copy_is_false(task: TaskSpecification, copy: bool) -> None:
    env = VectorGridEnv(task, num_envs=2, copy=copy, max_states=0)
    first, _ = env.reset()
    before = first["image"].copy()
    second, *_ = env.step([1, 1])
    assert (second["image"] is first["image"]) == (not copy)
    assert np.array_equal(first["image"], before) == copy


@in_turn("mode, observation", [NEXT_STEP, SAME_STEP], ["view", "state", "pictures"])
def test_frames_on_squares(observation: Any, mode: AutoresetMode) -> None:
    (task,) = find_tasks("tiers/t4_02_scorched_hall")
    options: dict[str, Any] = {"render_mode": "rgb_array", "tile_size": 6}
    ours = VectorGridEnv(task, 3, observation, autoreset_mode=mode, copy=False, **options)
    expect_the_same_frames(one_by_one(VectorGridEnv, task, 3, mode, **options), ours, steps=40, seed=1)


@pytest.mark.parametrize(
    "reference", [SHOWN_IN_PART[0], *(pytest.param(each, marks=pytest.mark.more) for each in SHOWN_IN_PART[1:])]
)
def test_frames_on_hexagons(reference: str) -> None:
    (task,) = find_tasks(reference)
    options: dict[str, Any] = {"tiling": "hex", "render_mode": "rgb_array", "image_size": 80}
    ours = VectorMultiGridEnv(task, 3, observation="none", autoreset_mode=SAME_STEP, **options)
    expect_the_same_frames(one_by_one(VectorMultiGridEnv, task, 3, SAME_STEP, **options), ours, steps=40, seed=1)


# --- Life --------------------------------------------------------------------------------------------------------


def test_gymnasium_makes_it() -> None:
    made = gymnasium.make_vec(SQUARES, num_envs=3, task=corridor("@.G"), autoreset_mode="SameStep")
    assert isinstance(made, VectorGridEnv)
    assert (made.num_envs, made.metadata["autoreset_mode"]) == (3, SAME_STEP)
    assert gymnasium.make_vec(made.spec).num_envs == 3
    made.close()
    assert made.closed
    made = gymnasium.make_vec(TILED, num_envs=3, task=corridor("@.G"), tiling="hex", observation="state")
    assert isinstance(made, VectorMultiGridEnv)
    assert made.observation_space.contains(made.reset()[0])


def test_a_task_is_chosen_for_all_environments_or_some() -> None:
    env = VectorGridEnv(named("ab"), num_envs=3)
    _, infos = env.reset(options={"task_id": "b"})
    assert infos["task_id"].tolist() == ["b", "b", "b"]
    _, infos = env.reset(options={"task_id": "a", "reset_mask": np.array([False, True, False])})
    assert infos["task_id"].tolist() == [None, "a", None]
    assert env.step([6, 6, 6])[-1]["task_id"].tolist() == ["b", "a", "b"]


@in_turn("kept, observation", [False, True], ["view", "grid", "pictures", "none"])
def test_copies_go_on_by_themselves(observation: Any, kept: bool) -> None:
    several = [draw_everything(max_steps=30), *find_tasks("tiers/t5_05_gather_in_fog")]
    tasks = several[1:] if observation == "pictures" else several
    expect_copies_to_go_on(VectorGridEnv(tasks, 3, observation, copy=not kept, tile_size=4, max_states=0))


@in_turn("kept, observation", [False, True], ["cells", "pictures"])
def test_copies_on_a_tiling_go_on_by_themselves(observation: Any, kept: bool) -> None:
    (task,) = find_tasks("tiers/t5_05_gather_in_fog")
    options: dict[str, Any] = {"tiling": "488", "actions": "native", "image_size": 64}
    expect_copies_to_go_on(VectorMultiGridEnv(task, 3, observation=observation, copy=not kept, **options))


@both
def test_a_closed_environment_refuses_everything(vector: Any) -> None:
    env = vector(corridor("@.G"), num_envs=2, render_mode="rgb_array")
    env.reset()
    expect_closed(env)


def test_it_has_to_be_reset_first() -> None:
    env = VectorGridEnv(corridor("@.G"), render_mode="rgb_array")
    for call in (lambda: env.step([0]), env.render):
        with pytest.raises(NotResetError):
            call()


def test_an_ended_episode_has_to_be_reset_with_autoreset_disabled() -> None:
    env = VectorGridEnv(corridor("@G"), num_envs=2, autoreset_mode=AutoresetMode.DISABLED)
    env.reset()
    env.step([6, 2])
    with pytest.raises(EpisodeOver, match="environment 1"):
        env.step([6, 6])


@pytest.mark.parametrize("actions", [[7, 0], [0, -1], [0], [0, 1, 2], [0.0, 1.0]])
def test_actions_outside_the_space_are_refused_and_change_nothing(actions: list[Any]) -> None:
    env = VectorGridEnv(corridor("@.G"), num_envs=2)
    before, _ = env.reset()
    with pytest.raises(InvalidAction):
        env.step(actions)
    after, *_ = env.step([6, 6])
    np.testing.assert_array_equal(before["image"], after["image"])


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
        ({"options": {"reset_mask": [True, True]}}, ArgumentError, r"bool array of shape \(2,\), got \[True, True\]"),
        ({"options": {"reset_mask": np.ones(3, dtype=bool)}}, ArgumentError, r"got bool of shape \(3,\)"),
        ({"options": {"reset_mask": np.ones(2, dtype=int)}}, ArgumentError, r"got int64 of shape \(2,\)"),
        ({"options": {"reset_mask": np.zeros(2, dtype=bool)}}, ArgumentError, "reset_mask: no environment is selected"),
        ({"seed": [1, 2, 3]}, ArgumentError, "seed: expected 2 of them, one for each environment, got 3"),
        ({"seed": [1, "2"]}, ValueError, r"seed\[1\] must be a whole number, got '2'"),
        ({"seed": "x"}, ValueError, "seed must be a whole number, got 'x'"),
        ({"seed": -1}, ValueError, "seed must be at least 0, got -1"),
    ],
    ids=str,
)
def test_invalid_resets_are_refused_and_change_nothing(
    options: dict[str, Any], error: type[Exception], message: str
) -> None:
    env, other = VectorGridEnv(named("ab"), num_envs=2), VectorGridEnv(named("ab"), num_envs=2)
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


# --- Arguments ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("vector", "options", "error", "message"),
    [
        (VectorGridEnv, {"observation": "vew"}, UnknownNameError, "unknown observation 'vew' .did you mean 'view'"),
        (VectorGridEnv, {"autoreset_mode": "samestep"}, UnknownNameError, "autoreset_mode .*did you mean 'SameStep'"),
        (VectorGridEnv, {"num_envs": 0}, ValueError, "num_envs must be at least 1, got 0"),
        (VectorGridEnv, {"max_states": -1}, ValueError, "max_states must be at least 0, got -1"),
        (VectorGridEnv, {"tile_size": 0}, ValueError, "tile_size must be at least 1 pixel, got 0"),
        (VectorGridEnv, {"max_side": "64"}, ValueError, "max_side must be a whole number, got '64'"),
        (VectorGridEnv, {"copy": "no"}, ValueError, "copy must be True or False, got 'no'"),
        (VectorGridEnv, {"highlight": "off"}, ValueError, "highlight must be True or False, got 'off'"),
        (VectorGridEnv, {"agent_view_size": 8}, ArgumentError, "agent_view_size must be an odd whole number .*got 8"),
        (VectorGridEnv, {"render_mode": "rgb_aray"}, ValueError, "got 'rgb_aray' .did you mean 'rgb_array'"),
        (VectorGridEnv, {"render_mode": "human"}, ValueError, "render_mode must be 'rgb_array' or None, got 'human'"),
        (VectorGridEnv, {"observation": "state", "max_states": 2}, NotTabulatedError, "more than 2 states"),
        (VectorMultiGridEnv, {"observation": "cell"}, UnknownNameError, "did you mean 'cells'"),
        (VectorMultiGridEnv, {"tiling": None}, ArgumentError, "name of a tiling, such as 'square', got a NoneType"),
        (VectorMultiGridEnv, {"image_size": 63}, ValueError, "image_size must be at least 64 pixels"),
        (VectorMultiGridEnv, {"max_side": 1e3}, ValueError, "max_side must be a whole number, got 1000.0"),
        (VectorMultiGridEnv, {"actions": "nativ"}, ValueError, "'external' or 'native', got 'nativ' .did you mean"),
    ],
    ids=str,
)
def test_invalid_arguments_are_refused(
    vector: Any, options: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        vector(corridor("@.G"), **options)


@pytest.mark.parametrize(
    ("vector", "options"),
    [
        *((VectorGridEnv, {name: value}) for name, value in [("tile_size", 0), ("tile_size", "32"), ("max_side", -1)]),
        *((VectorGridEnv, {name: value}) for name, value in [("copy", "no"), ("highlight", "no")]),
        (VectorGridEnv, {"agent_view_size": 7.0}),
        *((VectorMultiGridEnv, {name: value}) for name, value in [("tiling", None), ("image_size", 3)]),
        *((VectorMultiGridEnv, {name: value}) for name, value in [("max_side", "x"), ("copy", "no")]),
    ],
    ids=str,
)
def test_single_environments_refuse_the_same(vector: Any, options: dict[str, Any]) -> None:
    messages = []
    for make in (SINGLE[vector], vector):
        with pytest.raises((ValueError, ArgumentError), match=next(iter(options))) as refused:
            make(corridor("@.G"), **options)
        messages.append(str(refused.value))
    assert messages[0] == messages[1]


@pytest.mark.parametrize(
    ("vector", "observation"),
    [
        *((VectorGridEnv, shown) for shown in ("view", "grid", "pictures", "state", "none")),
        *((VectorMultiGridEnv, shown) for shown in ("cells", "pictures", "state", "none")),
    ],
)
def test_more_environments_than_fit_are_refused(vector: Any, observation: str) -> None:
    with pytest.raises(ArgumentError, match=r"take [\d,.]+ GB, more than 4 GB"):
        vector(corridor("@.G"), num_envs=10**9, observation=observation)


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
