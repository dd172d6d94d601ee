"""Snapshots of the multi-tiling backend: the same states, pictures and texts when an episode goes on from one."""

from hypothesis import given
from hypothesis import strategies as st

from gridworld.task_spec import OBSERVABILITY_MODES as MODES
from gridworld.task_spec import TaskSpecification
from gridworld_multigrid import MultiGridBackend
from support.thoroughness import bounded, in_turn
from support.tilings import TILINGS, everything
from support.twins import assert_walks_repeat, with_rules
from support.worlds import tasks


@in_turn("tiling, mode", TILINGS, MODES)
def test_walks_from_restored_snapshots_repeat(tiling: str, mode: str) -> None:
    assert_walks_repeat(MultiGridBackend(tiling=tiling, image_size=128), everything(mode), seed=5)


@bounded(3)
@given(tasks(max_side=6), st.sampled_from(TILINGS), st.sampled_from(MODES), st.integers(0, 10**6))
def test_walks_from_restored_snapshots_repeat_in_random_worlds(
    task: TaskSpecification, tiling: str, mode: str, seed: int
) -> None:
    backend = MultiGridBackend(tiling=tiling, image_size=96)
    assert_walks_repeat(backend, with_rules(task, observability=mode), seed)
