"""Properties of every world, on random tasks and random actions."""

import copy
import json

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gridworld.solver import solve
from gridworld.task_spec import TaskSpecification
from gridworld.world import Episode, Status, transition
from gridworld.world.mechanism_type import Trait
from gridworld.world.state import GONE, NOTHING
from support.thoroughness import bounded
from support.worlds import GOAL_TYPES, compiled, rollout, steps_of, tasks

MAX_STATES = 4_000
"""Limit of the solver: larger worlds are left out."""


seeds = st.integers(0, 2**32 - 1)
LENGTH = 100
"""The most actions of a random episode."""


@given(tasks(), seeds)
def test_states_are_hashable_and_never_changed(task: TaskSpecification, seed: int) -> None:
    world = compiled(task)
    for before, action, _ in steps_of(world, seed, LENGTH):
        kept, kept_hash = copy.deepcopy(before), hash(before)
        transition(world, before, action)
        assert before == kept
        assert hash(before) == kept_hash


@given(tasks(), seeds)
def test_a_transition_is_deterministic(task: TaskSpecification, seed: int) -> None:
    world, again = compiled(task), compiled(TaskSpecification.from_dict(task.to_dict()))
    for before, action, after in steps_of(world, seed, LENGTH):
        assert transition(world, before, action)[0] == after
        assert transition(again, before, action) == transition(world, before, action)


@given(tasks(), seeds)
def test_nothing_solid_ever_shares_the_cell_of_the_agent(task: TaskSpecification, seed: int) -> None:
    world = compiled(task)
    for _, _, after in steps_of(world, seed, LENGTH):
        here = [entity for entity in world.entities if after.cell in world.cells_of(after, entity)]
        assert not any(world.traits_of(after, entity.index) & Trait.SOLID for entity in here)
        assert after.cell not in world.walls


@given(tasks(), seeds)
def test_values_stay_in_range(task: TaskSpecification, seed: int) -> None:
    world = compiled(task)
    for _, _, after in steps_of(world, seed, LENGTH):
        assert 0 <= after.cell < world.topology.cell_count
        assert 0 <= after.heading < world.headings
        assert after.status in (Status.RUNNING, Status.SUCCEEDED, Status.DIED)
        assert len(after.values) == len(world.entities)
        for entity in world.entities:
            assert 0 <= after.values[entity.index] < len(entity.type.values)


@given(tasks(), seeds)
def test_movable_things_are_each_on_a_cell_of_their_own_or_gone(task: TaskSpecification, seed: int) -> None:
    world = compiled(task)
    for _, _, after in steps_of(world, seed, LENGTH):
        placed = [place for place in after.places if place != GONE]
        assert len(placed) == len(set(placed))
        assert not world.walls.intersection(placed)
        under = [world.fixed_at[place] for place in placed]
        assert all(each == NOTHING or world.traits_of(after, each) & Trait.TAKES_BLOCKS for each in under)


@given(tasks(), seeds)
def test_only_keys_that_are_held_or_used_up_are_gone(task: TaskSpecification, seed: int) -> None:
    world = compiled(task)
    for _, _, after in steps_of(world, seed, LENGTH):
        gone = {index for index, place in enumerate(after.places) if place == GONE}
        used = {index for index in gone if world.entities[index].value_name(after) == "used"}
        held = set() if after.carried == NOTHING else {after.carried}
        assert gone == used | held
        assert not used & held


@given(tasks(), seeds)
def test_what_the_agent_is_shown_changes_nothing_of_what_happens(task: TaskSpecification, seed: int) -> None:
    in_the_open = attrs.evolve(task, rules=attrs.evolve(task.rules, hidden_mechanisms=(), observability="full"))
    shown, hidden = compiled(in_the_open), compiled(task)
    state = shown.start
    for _, action, after in steps_of(hidden, seed, LENGTH):
        state, _ = transition(shown, state, action)
        assert (after.key, after.steps, after.status) == (state.key, state.steps, state.status)


@given(tasks(), seeds)
def test_no_switch_and_no_gate_lags_behind_what_determines_it(task: TaskSpecification, seed: int) -> None:
    world = compiled(task)
    for _, _, after in steps_of(world, seed, LENGTH):
        for entity, hook in (*world.sensing, *world.deriving):
            assert hook(world, after, entity) is None


@given(tasks(), seeds)
def test_an_episode_ends_by_max_steps(task: TaskSpecification, seed: int) -> None:
    episode = rollout(compiled(task), seed, length=task.max_steps + 1)
    assert episode.terminated or episode.truncated
    assert episode.state.steps <= task.max_steps
    assert episode.state.steps == task.max_steps or episode.terminated


@given(tasks(), seeds)
def test_there_is_reward_if_and_only_if_there_is_success(task: TaskSpecification, seed: int) -> None:
    episode = rollout(compiled(task), seed, length=task.max_steps)
    assert (episode.reward > 0) == episode.succeeded
    assert 0 <= episode.reward <= 1
    assert not (episode.succeeded and episode.truncated)


@pytest.mark.parametrize("goal_type", GOAL_TYPES)
def test_plans_of_the_solver_replay_to_success_in_exactly_their_length(goal_type: str) -> None:
    solved = 0

    @bounded(30)
    @given(tasks(max_side=6, goal_types=(goal_type,)))
    def replay(task: TaskSpecification) -> None:
        nonlocal solved
        world = compiled(task)
        plan = solve(world, MAX_STATES).plan
        if plan is None or len(plan) > world.max_steps:
            return
        episode = Episode(world)
        episode.reset()
        for action in plan:
            assert not episode.terminated
            episode.step(action)
        assert episode.succeeded
        assert episode.state.steps == len(plan)
        solved += 1

    replay()
    assert solved >= 5


@given(tasks())
def test_a_dictionary_is_the_inverse_of_reading_it(task: TaskSpecification) -> None:
    plain = task.to_dict()
    assert TaskSpecification.from_dict(plain) == task
    assert TaskSpecification.from_dict(json.loads(json.dumps(plain))).to_dict() == plain
