"""Tables of the bundled tasks: every transition is the kernel's, and chance is what playing shows."""

import random
from functools import cache

import attrs
import numpy as np
import pytest
from numpy.typing import NDArray

from gridworld.actions import Action
from gridworld.solver import NotTabulatedError, StateTable, random_play, tabulate
from gridworld.solver.expansion import DEAD, WON
from gridworld.solver.exploration import SearchLimits
from gridworld.suites import read_suite
from gridworld.task_spec import TaskSpecification
from gridworld.world import Status, World, compile_world, square_topology, transition
from gridworld.world.events import kinds_of
from gridworld.world.rules import is_truncated

LIMITS = SearchLimits(states=300_000)
SPREAD = 150
"""The states of each task that are tried by default."""
EPISODES = 100_000

UNCERTAIN = (
    "tiers/t1_01_open_room",
    "tiers/t4_02_scorched_hall",
    "tiers/t4_03_doorway_crate",
    "tiers/t4_05_hold_your_ground",
    "tiers/t5_03_portal_house",
    "tiers/t5_04_guarded_gaps",
    "validation_10/v01_empty_room",
)
"""Tasks in which random actions may succeed, or end an episode early: the others, with few exceptions, take all their
steps and fail."""

TASKS = {f"{suite}/{task.task_id}": task for suite in ("tiers", "validation_10") for task in read_suite(suite).tasks}


def table_of(task: TaskSpecification) -> StateTable | None:
    try:
        return tabulate(compile_world(task, square_topology(*task.maze.dimensions)), LIMITS)
    except NotTabulatedError:
        return None


def assert_transitions(table: StateTable, numbers: list[int]) -> None:
    arena = attrs.evolve(table.world, max_steps=2**62)
    ends = {Status.SUCCEEDED: WON, Status.DIED: DEAD}
    for number in numbers:
        state = table.state(number)
        for action in Action:
            following, events = transition(arena, state, action)
            target = ends[following.status] if following.status else table.number(following)
            assert (table.successor[number, action], table.events[number, action]) == (target, kinds_of(events))


@pytest.mark.parametrize("name", [name for name in TASKS if "/v0" in name or "/t4" in name][::2])
def test_transitions_spread_over_a_table_are_those_of_the_kernel(name: str) -> None:
    """Of every other task; those of all are tried in thorough runs, every one of them."""
    table = table_of(TASKS[name])
    if table is not None:
        assert_transitions(table, np.linspace(0, len(table) - 1, SPREAD).astype(int).tolist())


def assert_all_transitions(task: TaskSpecification) -> None:
    table = table_of(task)
    if table is not None:
        assert_transitions(table, list(range(len(table))))


@pytest.mark.thorough
@pytest.mark.parametrize("name", TASKS)
def test_all_transitions_of_a_table_are_those_of_the_kernel(name: str) -> None:
    assert_all_transitions(TASKS[name])


@cache
def generated() -> tuple[TaskSpecification, ...]:
    return read_suite("fresh_100").tasks


@pytest.mark.thorough
@pytest.mark.parametrize("tier", range(1, 6))
def test_all_transitions_of_tables_of_generated_tasks_are_those_of_the_kernel(tier: int) -> None:
    for task in generated():
        if task.difficulty_tier == tier:
            assert_all_transitions(task)


def played(world: World, episodes: int, seed: int) -> tuple[NDArray[np.bool_], NDArray[np.int64]]:
    """Which episodes of random actions succeed, and their lengths."""
    rng, wins, lengths = random.Random(seed), [], []
    for _ in range(episodes):
        state = world.start
        while not state.status and not is_truncated(world, state):
            state, _ = transition(world, state, int(rng.random() * 7))
        wins.append(state.status == Status.SUCCEEDED)
        lengths.append(state.steps)
    return np.array(wins), np.array(lengths)


@pytest.mark.thorough
@pytest.mark.parametrize("name", UNCERTAIN)
def test_what_comes_of_random_actions_is_what_comes_of_playing_them(name: str) -> None:
    table = table_of(TASKS[name])
    assert table is not None
    expected = random_play(table)
    wins, lengths = played(table.world, EPISODES, seed=11)
    error = (expected.success * (1 - expected.success) / EPISODES) ** 0.5
    assert abs(wins.mean() - expected.success) <= 3 * error
    assert abs(lengths.mean() - expected.length) <= 3 * lengths.std() / EPISODES**0.5
