"""What is learnt where copies go is what the kernel says, with the mechanisms and goals of others too."""

from __future__ import annotations

import random

import numpy as np
import pytest

from gridworld.runner.task_set import TaskSet
from gridworld.solver import NotTabulatedError
from gridworld.support.checks import MOST_BYTES
from gridworld.vector import SteppingTable, TaskBatch
from gridworld.world import Episode
from support.random_tasks import AT_EVEN_STEPS, BUILT_IN, WITH_EXAMPLES, compile_on, random_task
from support.worlds import compiled, corridor, draw_everything

INGREDIENTS = {"built in": BUILT_IN, "examples": WITH_EXAMPLES, "at even steps": AT_EVEN_STEPS}
COPIES = 5


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("name", INGREDIENTS)
def test_learnt_outcomes_equal_the_kernels(name: str, seed: int) -> None:
    ingredients = INGREDIENTS[name]
    world = compile_on("square", random_task(seed, ingredients), ingredients)
    tasks, rng = TaskSet([world]), np.random.default_rng(seed)
    copies = TaskBatch(tasks, SteppingTable(tasks.worlds, max_states=0), COPIES)
    copies.restart(np.ones(COPIES, dtype=bool))
    episodes = [Episode(world) for _ in range(COPIES)]
    for episode in episodes:
        episode.reset()
    for _ in range(150):
        actions = rng.integers(7, size=COPIES)
        stepped = copies.step(actions)
        for copy, (episode, action) in enumerate(zip(episodes, actions.tolist(), strict=True)):
            if episode.terminated or episode.truncated:
                episode.reset()
            else:
                episode.step(action)
            outcome = [episode.reward, episode.terminated, episode.truncated, episode.succeeded]
            assert [each[copy] for each in stepped] == outcome


@pytest.mark.parametrize("name", ["built in", "examples"])
def test_tabulated_transitions_equal_learnt_ones(name: str) -> None:
    ingredients = INGREDIENTS[name]
    for seed in range(4):
        world = compile_on("square", random_task(seed, ingredients), ingredients)
        known = SteppingTable([world], numbered=False)
        learnt = SteppingTable([world], numbered=False, max_states=0)
        assert known.complete
        rows = {int(known.start_rows[0]): int(learnt.start_rows[0])}
        rng = random.Random(seed)
        for _ in range(300):
            row, action = rng.choice(sorted(rows)), rng.randrange(7)
            if known.rows.status[row]:
                continue
            learnt.learn(np.array([rows[row]]), np.array([action]))
            target = int(known.arrays.following[row * 7 + action])
            twin = int(learnt.arrays.following[rows[row] * 7 + action])
            assert known.rows.state(target) == learnt.rows.state(twin)
            assert rows.setdefault(target, twin) == twin


def test_a_table_of_several_tasks_has_the_rows_of_each() -> None:
    worlds = [compiled(corridor("@.G")), compiled(corridor("@...G")), compiled(draw_everything())]
    table = SteppingTable(worlds, max_states=1_000)
    assert [table.rows.state(row) for row in table.start_rows.tolist()] == [world.start for world in worlds]
    assert table.rows.tasks(table.start_rows).tolist() == [0, 1, 2]
    assert not table.complete
    with pytest.raises(NotTabulatedError, match="more than 1000 states"):
        _ = table.count


def test_eviction_keeps_the_given_rows() -> None:
    world = compiled(draw_everything())
    table = SteppingTable([world], max_states=0)
    rng, row = random.Random(1), int(table.start_rows[0])
    visited = [row]
    for _ in range(200):
        action = rng.randrange(7)
        table.learn(np.array([row]), np.array([action]))
        row = int(table.arrays.following[row * 7 + action])
        if table.rows.status[row]:
            break
        visited.append(row)
    states = [table.rows.state(each) for each in visited[-3:]]
    numbers = table.evict_except(np.array(visited[-3:])).tolist()
    assert [table.rows.state(number) for number in numbers] == states
    assert len(table.rows) <= 4
    assert table.rows.state(int(table.start_rows[0])) == world.start


def test_observers_limit_tabulated_and_learnt_states() -> None:
    world = compiled(corridor("@...G"))
    states = len(SteppingTable([world]).rows)
    bytes_of_state = MOST_BYTES // (4 * states)
    assert SteppingTable([world], bytes_of_state=bytes_of_state).complete
    narrow = SteppingTable([world], bytes_of_state=2 * bytes_of_state)
    assert not narrow.complete
    rows = narrow.start_rows
    while not narrow.is_too_large():
        actions = [narrow.arrays.following[row * 7 : row * 7 + 7] for row in range(len(narrow.rows))]
        unknown = [(row, action) for row, each in enumerate(actions) for action in np.flatnonzero(each < 0).tolist()]
        narrow.learn(*np.array(unknown[:1]).T)
    assert states // 2 < len(narrow.rows) < states
    narrow.evict_except(rows)
    assert not narrow.is_too_large()


def test_tasks_share_the_room_that_observers_have() -> None:
    worlds = [compiled(corridor("@...G")), compiled(corridor("G...@"))]
    states = len(SteppingTable(worlds).rows)
    assert SteppingTable(worlds, bytes_of_state=MOST_BYTES // (4 * states)).complete
    assert len(SteppingTable(worlds, bytes_of_state=MOST_BYTES // (4 * (states - 2))).refusals) == 1
