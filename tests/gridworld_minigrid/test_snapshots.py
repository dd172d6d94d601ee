"""Snapshots of the MiniGrid backend: the same states, pictures, texts and symbolic views when an episode goes on."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from gridworld.task_spec import OBSERVABILITY_MODES as MODES
from gridworld.task_spec import TaskSpecification
from gridworld_minigrid import MiniGridBackend
from support.thoroughness import bounded, in_turn
from support.tilings import everything
from support.twins import assert_walks_repeat, with_rules
from support.worlds import tasks


@in_turn("mode, highlight", MODES, [False, True])
def test_walks_from_restored_snapshots_repeat(mode: str, highlight: bool) -> None:
    assert_walks_repeat(MiniGridBackend(tile_size=8, highlight=highlight), everything(mode), seed=5)


@bounded(5)
@given(tasks(max_side=6), st.sampled_from(MODES), st.integers(0, 10**6))
def test_walks_from_restored_snapshots_repeat_in_random_worlds(task: TaskSpecification, mode: str, seed: int) -> None:
    assert_walks_repeat(MiniGridBackend(tile_size=8), with_rules(task, observability=mode), seed)


def test_minigrids_own_grid_and_symbolic_view_follow() -> None:
    backend = MiniGridBackend(tile_size=8)
    backend.configure(everything())
    backend.reset()
    start, first = backend.snapshot(), backend.env.gen_obs()["image"]
    for action in (2, 2, 3, 1, 2, 2, 5):
        backend.step(action)
    moved = backend.env.agent_pos
    backend.restore(start)
    np.testing.assert_array_equal(backend.env.gen_obs()["image"], first)
    assert backend.env.agent_pos != moved
    assert (backend.env.step_count, backend.env.carrying) == (0, None)
