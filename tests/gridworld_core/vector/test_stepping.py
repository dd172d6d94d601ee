"""`advance` says of many copies what the kernel says of each."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gridworld.task_spec import TaskSpecification
from gridworld.vector import Batch, Start, SteppingTable, advance
from gridworld.world import Episode
from support.thoroughness import bounded
from support.worlds import compiled, corridor, tasks

COPIES = 6


def play(table: SteppingTable, actions: list[list[int]]) -> list[list[tuple[Any, ...]]]:
    """Row, reward, terminated, truncated and succeeded of each copy, after each step."""
    row, left = table.start_rows[0], table.budgets[0]
    copies = Batch(np.full(COPIES, row), np.full(COPIES, left), np.zeros(COPIES, dtype=np.bool_))
    told = []
    for taken in actions:
        copies, stepped = advance(np, table.arrays, copies, np.asarray(taken), Start(row, left))
        told.append(list(zip(*(each.tolist() for each in (copies.row, *stepped)), strict=True)))
    return told


@bounded(12)
@given(task=tasks(max_side=6), draw=st.randoms(use_true_random=False))
def test_steps_equal_the_episodes(task: TaskSpecification, draw: Any) -> None:
    world = compiled(task)
    table = SteppingTable([world], max_states=3_000)
    if not table.complete:
        return
    actions = [[draw.randrange(7) for _ in range(COPIES)] for _ in range(40)]
    told = play(table, actions)
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
