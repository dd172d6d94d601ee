"""`advance` says of many copies what the kernel says of each, with any arrays of the array API standard."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import array_api_strict
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gridworld.task_spec import TaskSpecification
from gridworld.vector import Batch, Start, SteppingTable, StepTable, advance
from gridworld.world import Episode
from support.thoroughness import bounded
from support.worlds import compiled, corridor, tasks

COPIES = 6


def as_arrays(xp: ModuleType, table: StepTable) -> StepTable:
    """The table with arrays of another namespace."""
    return StepTable(*(xp.asarray(each.copy()) if isinstance(each, np.ndarray) else each for each in table))


def play(xp: ModuleType, table: SteppingTable, actions: list[list[int]]) -> list[list[tuple[Any, ...]]]:
    """Row, reward, terminated, truncated and succeeded of each copy, after each step."""
    arrays = as_arrays(xp, table.arrays)
    row, left = int(table.start_rows[0]), int(table.budgets[0])
    copies = Batch(xp.full(COPIES, row), xp.full(COPIES, left), xp.zeros(COPIES, dtype=xp.bool))
    start = Start(xp.asarray(row), xp.asarray(left))
    told = []
    for taken in actions:
        copies, stepped = advance(xp, arrays, copies, xp.asarray(taken), start)
        columns = [np.asarray(each).tolist() for each in (copies.row, *stepped)]
        told.append(list(zip(*columns, strict=True)))
    return told


@bounded(20)
@given(task=tasks(max_side=6), draw=st.randoms(use_true_random=False))
def test_steps_equal_the_episodes_with_arrays_of_any_kind(task: TaskSpecification, draw: Any) -> None:
    world = compiled(task)
    table = SteppingTable([world], max_states=3_000)
    if not table.complete:
        return
    actions = [[draw.randrange(7) for _ in range(COPIES)] for _ in range(40)]
    told = play(np, table, actions)
    assert play(array_api_strict, table, actions) == told
    episodes = [Episode(world) for _ in range(COPIES)]
    for episode in episodes:
        episode.reset()
    for taken, step in zip(actions, told, strict=True):
        for episode, action, (row, *outcome) in zip(episodes, taken, step, strict=True):
            if episode.terminated or episode.truncated:
                episode.reset()
            else:
                episode.step(action)
            assert outcome == [episode.reward, episode.terminated, episode.truncated, episode.succeeded]
            assert table.rows.state(row)[:6] == episode.state[:6]


def test_given_arrays_stay_unchanged() -> None:
    table = SteppingTable([compiled(corridor("@.G"))])
    start = Start(table.start_rows[0], table.budgets[0])
    copies = Batch(np.zeros(2, dtype=np.intp), np.array([5, 6]), np.array([True, False]))
    before = [each.copy() for each in copies]
    advance(np, table.arrays, copies, np.array([2, 2]), start)
    for now, then in zip(copies, before, strict=True):
        np.testing.assert_array_equal(now, then)


@pytest.mark.parametrize("max_states", [0, 100])
def test_rows_are_the_kernels_states(max_states: int) -> None:
    world = compiled(corridor("@.G", max_steps=9))
    table = SteppingTable([world], max_states=max_states)
    rows, actions = np.array([table.start_rows[0]] * 7), np.arange(7)
    table.learn(rows, actions)
    for action in range(7):
        row = int(table.arrays.following[table.start_rows[0] * 7 + action])
        episode = Episode(world)
        episode.reset()
        episode.step(action)
        assert table.rows.state(row) == episode.state.after(0)
