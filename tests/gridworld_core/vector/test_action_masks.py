"""The action masks of vector environments are those of single ones, whenever somebody asks for them."""

from __future__ import annotations

from typing import Any

import attrs
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from hypothesis import given
from hypothesis import strategies as st

from gridworld.actions import Action
from gridworld.errors import NotResetError
from gridworld.mechanisms.switches import SWITCHES
from gridworld.plugins import get_registry
from gridworld.runner.task_set import TaskSet
from gridworld.suites import find_tasks
from gridworld.task_spec import TaskSpecification
from gridworld.vector import SteppingTable, VectorPlay
from gridworld.vector.observers import NothingObserver
from gridworld.world import Episode, World, compile_world, square_topology
from gridworld.world.masks import could_have_effect
from gridworld.world.rules import ACTS
from gridworld.world.state import State
from gridworld.world.world import Entity
from gridworld_minigrid import CustomMiniGridEnv, VectorGridEnv
from gridworld_multigrid import MultiGridEnv, VectorMultiGridEnv
from gridworld_multigrid.agent import Action as NativeAction
from support.environments import assert_equal
from support.plugins import with_item
from support.random_tasks import WITH_EXAMPLES, compile_on, random_task
from support.thoroughness import bounded, in_turn
from support.tilings import TILINGS, on_two_tilings
from support.twins import with_rules
from support.worlds import corridor, draw_everything, key, switch, tasks

SEEN_IN_PART = ("tiers/t5_05_gather_in_fog", "tiers/t5_07_clockwork", "tiers/t5_06_false_wall")
"""Fog, hidden things with numbers in it, and a wall that is none."""
OBSERVABILITY = ("full", "view_cone", "fog_of_war")


def expect_the_same_masks(theirs: SyncVectorEnv, *ours: Any, steps: int, seed: int, asked: float = 0.5) -> int:
    """Compare action masks of single and vector environments on the same random actions.

    `asked` is the probability of a comparison at a step. Returns the number of different masks.
    """
    rng, count, seen = np.random.default_rng(seed), theirs.num_envs, set()
    actions = theirs.single_action_space.n
    for env in (theirs, *ours):
        env.reset(seed=seed)
    for _ in range(steps):
        if rng.random() < asked:
            expected = np.array(theirs.call("action_masks"))
            seen.update(map(tuple, expected.tolist()))
            for env in ours:
                assert_equal(env.action_masks(), expected)
        roaming = np.where(rng.random(count) < 0.4, rng.integers(0, 3, count), rng.integers(0, actions, count))
        stepped = [env.step(roaming) for env in (theirs, *ours)]
        over = stepped[0][2] | stepped[0][3]
        if theirs.metadata["autoreset_mode"] == AutoresetMode.DISABLED and (over.any() or rng.random() < 0.1):
            mask = over if over.any() else rng.random(count) < 0.3
            if mask.any():
                for env in (theirs, *ours):
                    env.reset(options={"reset_mask": mask.copy()})
    return len(seen)


def squares(task: Any, count: int, mode: AutoresetMode = AutoresetMode.NEXT_STEP) -> SyncVectorEnv:
    return SyncVectorEnv([lambda: CustomMiniGridEnv(task)] * count, autoreset_mode=mode)


def on_tiling(task: Any, count: int, **options: Any) -> SyncVectorEnv:
    return SyncVectorEnv([lambda: MultiGridEnv(task, **options)] * count)


@in_turn("observability, mode", OBSERVABILITY, list(AutoresetMode))
@pytest.mark.parametrize("asked", [pytest.param(1, marks=pytest.mark.more), 0.03])
def test_masks_equal_those_of_single_environments(observability: str, mode: AutoresetMode, asked: float) -> None:
    task = with_rules(draw_everything(max_steps=40), observability=observability, view_size=3)
    ours = [VectorGridEnv(task, 5, shown, mode, max_states=0) for shown in ("view", "none")]
    assert expect_the_same_masks(squares(task, 5, mode), *ours, steps=80, seed=1, asked=asked) > 1


@pytest.mark.parametrize(
    "reference", [SEEN_IN_PART[0], *(pytest.param(each, marks=pytest.mark.more) for each in SEEN_IN_PART[1:])]
)
def test_masks_of_tabulated_states(reference: str) -> None:
    (task,) = find_tasks(reference)
    tabulated, learnt = VectorGridEnv(task, num_envs=5), VectorGridEnv(task, num_envs=5, max_states=0)
    assert expect_the_same_masks(squares(task, 5), tabulated, learnt, steps=80, seed=2) > 1


@bounded(4)
@given(
    task=tasks(max_side=6),
    tiling=st.sampled_from(TILINGS),
    observability=st.sampled_from(OBSERVABILITY),
    asked=st.sampled_from([1, 0.1]),
    seed=st.integers(0, 2**32 - 1),
)
def test_masks_of_any_task(task: TaskSpecification, tiling: str, observability: str, asked: float, seed: int) -> None:
    shown = with_rules(task, observability=observability, hidden_mechanisms=task.rules.hidden_mechanisms)
    ours = VectorMultiGridEnv(shown, num_envs=3, tiling=tiling, observation="none", max_states=2_000)
    expect_the_same_masks(on_tiling(shown, 3, tiling=tiling), ours, steps=60, seed=seed, asked=asked)


@in_turn("tiling, observability", ["square", "488"], OBSERVABILITY)
def test_masks_with_mechanisms_of_other_plugins(tiling: str, observability: str) -> None:
    rng, compared = np.random.default_rng(6), 0
    for seed in range(3):
        task = with_rules(random_task(seed, WITH_EXAMPLES), observability=observability, view_size=3)
        world = compile_on(tiling, task, WITH_EXAMPLES)
        play = VectorPlay(TaskSet([world]), SteppingTable([world], max_states=0), 3, NothingObserver(), "Disabled")
        episodes = [Episode(world) for _ in range(3)]
        play.reset(None, None)
        for episode in episodes:
            episode.reset()
        for _ in range(30):
            expected = [could_have_effect(world, episode.snapshot, ACTS.values()) for episode in episodes]
            assert play.action_masks().tolist() == list(map(list, expected))
            compared += 1
            actions = rng.choice(7, p=[0.15, 0.15, 0.4, 0.1, 0.05, 0.1, 0.05], size=3)
            play.step(actions)
            for episode, action in zip(episodes, actions.tolist(), strict=True):
                episode.step(action)
            if play.batch.positions.over.any():
                break
    assert compared > 30


@on_two_tilings
def test_masks_of_native_actions(name: str) -> None:
    (task,) = find_tasks("tiers/t5_05_gather_in_fog")
    ours = VectorMultiGridEnv(task, num_envs=3, tiling=name, observation="none", actions="native")
    assert expect_the_same_masks(on_tiling(task, 3, tiling=name, actions="native"), ours, steps=60, seed=3) > 1
    assert ours.action_masks().shape == (3, 9)


def test_masks_of_tasks_with_different_observability() -> None:
    several = [
        TaskSpecification.from_dict(
            {**with_rules(draw_everything(max_steps=15), observability=shown).to_dict(), "task_id": shown}
        )
        for shown in OBSERVABILITY
    ]
    ours = VectorGridEnv(several, num_envs=6, max_states=0)
    assert expect_the_same_masks(squares(several, 6), ours, steps=120, seed=4, asked=0.1) > 1


@pytest.mark.parametrize("asked", [pytest.param(1, marks=pytest.mark.more), 0.1])
@pytest.mark.parametrize(
    ("reference", "most_learnt"), [("tiers/t4_04_crossed_crates", 1), ("tiers/t5_05_gather_in_fog", 20)]
)
def test_evicted_rows_and_beliefs_are_computed_again(
    reference: str, most_learnt: int, asked: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    forgotten: list[int] = []
    evict_except = SteppingTable.evict_except

    def forget(table: SteppingTable, rows: Any) -> Any:
        forgotten.append(len(table.rows))
        return evict_except(table, rows)

    monkeypatch.setattr(SteppingTable, "evict_except", forget)
    monkeypatch.setattr("gridworld.vector.stepping_table.MOST_LEARNT", most_learnt)
    monkeypatch.setattr("gridworld.vector.belief_states.LEAST_KEPT", 30)
    monkeypatch.setattr("gridworld.vector.belief_states.KEPT_BYTES", 0)
    (task,) = find_tasks(reference)
    ours = VectorMultiGridEnv(task, num_envs=5, max_states=0, actions="native")
    ours.reset()
    ours.action_masks()  # only for whoever has asked before is it kept what rows tell that are forgotten
    assert expect_the_same_masks(on_tiling(task, 5, actions="native"), ours, steps=150, seed=5, asked=asked) > 1
    assert len(forgotten) > 5


def test_of_episodes_that_have_ended_nothing_is_missed(monkeypatch: pytest.MonkeyPatch) -> None:
    """However many there were since masks were asked for, and rows forgotten meanwhile."""
    monkeypatch.setattr("gridworld.vector.stepping_table.MOST_LEARNT", 8)
    task = with_rules(draw_everything(max_steps=8), observability="fog_of_war", view_size=3)
    env = VectorGridEnv(task, 2, max_states=0)
    env.reset()
    env.action_masks()
    assert expect_the_same_masks(squares(task, 2), env, steps=150, seed=0, asked=0.1) > 1


def test_masks_can_first_be_requested_at_the_end_of_an_episode() -> None:
    task = corridor("G.@..", max_steps=6, rules={"observability": "fog_of_war", "view_size": 3})
    env, single = (make(task, actions="native") for make in (VectorMultiGridEnv, MultiGridEnv))
    env.reset(options={"reset_mask": np.array([True])})
    single.reset()
    for _ in range(6):
        env.step([NativeAction.TURN_LEFT])
        over = single.step(NativeAction.TURN_LEFT)[3]
    assert over
    assert env.action_masks()[0].tolist() == single.action_masks().tolist()


def test_resets_of_one_copy_are_no_steps_of_the_others() -> None:
    task = corridor("@..G", max_steps=12, rules={"observability": "fog_of_war", "view_size": 3})
    env = VectorMultiGridEnv(task, 2, actions="native", observation="none", autoreset_mode="Disabled")
    env.reset()
    for _ in range(4):  # the first copy looks around once
        env.step([NativeAction.TURN_LEFT, NativeAction.WAIT])
    for _ in range(20):
        env.reset(options={"reset_mask": np.array([False, True])})
    assert env.action_masks()[:, NativeAction.BACKWARD].tolist() == [False, True]
    env.reset(options={"reset_mask": np.array([True, False])})
    env.reset(options={"reset_mask": np.array([False, True])})
    assert env.action_masks()[:, NativeAction.BACKWARD].tolist() == [True, True]


@pytest.mark.parametrize("forgotten", ["steps", "rows"])
def test_a_request_after_too_long_a_history_is_refused(forgotten: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if forgotten == "steps":
        monkeypatch.setattr("gridworld.vector.belief_states.HISTORY_BYTES", 9 * 2 * 4)
    else:
        monkeypatch.setattr("gridworld.vector.stepping_table.MOST_LEARNT", 5)
    task = with_rules(draw_everything(), observability="fog_of_war", view_size=3)
    env, theirs = VectorGridEnv(task, 2, max_states=0), squares(task, 2)
    env.reset()
    for action in [1, 2, 1, 0, 2, 2, 1, 2]:
        env.step([action, 6])
    for _ in range(2):
        with pytest.raises(NotResetError, match="longer than the action masks keep"):
            env.action_masks()
        env.step([6, 6])
    env.reset(options={"reset_mask": np.array([True, False])})
    with pytest.raises(NotResetError, match="longer than the action masks keep"):
        env.action_masks()
    assert expect_the_same_masks(theirs, env, steps=40, seed=7, asked=1) > 1


def test_what_was_in_the_hand_is_known_behind_the_back() -> None:
    def toggled_after_a_key(world: World, state: State, switch: Entity) -> Any:
        keys = (entity for entity in world.entities if entity.type.name == "keys")
        taken = any(entity.value_name(state) == "collected" for entity in keys)
        return SWITCHES.on_toggle(world, state, switch) if taken and SWITCHES.on_toggle else None

    switches = attrs.evolve(SWITCHES, on_toggle=toggled_after_a_key)
    registry = with_item(get_registry(), "mechanism", switches)
    task = corridor(".@ksG", k=key(), s=switch(), rules={"observability": "view_cone", "view_size": 3})
    world = compile_world(task, square_topology(*task.maze.dimensions), registry)
    play = VectorPlay(TaskSet([world]), SteppingTable([world], max_states=0), 1, NothingObserver(), "Disabled")
    play.reset(None, None)
    for action in (Action.PICKUP, *[Action.TURN_LEFT] * 2, Action.DROP, *[Action.TURN_LEFT] * 2, Action.MOVE_FORWARD):
        play.step([action])
    assert play.action_masks()[0, Action.TOGGLE]


def test_a_first_reset_of_some_begins_in_all() -> None:
    (task,) = find_tasks("tiers/t5_05_gather_in_fog")
    env, other = VectorGridEnv(task, num_envs=2), VectorGridEnv(task, num_envs=2)
    env.reset(options={"reset_mask": np.array([True, False])})
    other.reset()
    for action in (Action.MOVE_FORWARD, *[Action.TURN_LEFT] * 4):
        assert env.action_masks().tolist() == other.action_masks().tolist()
        for each in (env, other):
            each.step([action, Action.DONE])
    assert env.action_masks().tolist() == other.action_masks().tolist()


def test_nothing_can_be_asked_before_the_first_reset() -> None:
    with pytest.raises(NotResetError):
        VectorGridEnv(corridor("@.G")).action_masks()
