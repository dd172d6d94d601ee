"""On squares, both backends tell the same of every bundled task, step by step."""

import random

import attrs
from hypothesis import given
from hypothesis import strategies as st

from gridworld.plugins import get_registry
from gridworld.suites import load_benchmark
from gridworld.task_spec import TaskSpecification
from gridworld_minigrid import MiniGridBackend
from gridworld_multigrid import MultiGridBackend
from support.thoroughness import bounded, in_turn
from support.worlds import roaming_action

TASKS = {
    task.task_id: task
    for name in ("validation_10", "tiers")
    for task in load_benchmark(get_registry().benchmarks.get(name))
}
MODES = ("full", "view_cone", "fog_of_war")
LENGTH = 60
"""The most actions of a sequence."""


def in_mode(task: TaskSpecification, observability: str) -> TaskSpecification:
    return attrs.evolve(task, rules=attrs.evolve(task.rules, observability=observability))


@in_turn("task_id, observability", list(TASKS), MODES)
@bounded(1)
@given(seed=st.integers(0, 2**32 - 1))
def test_states_are_equal_at_every_step(task_id: str, observability: str, seed: int) -> None:
    minigrid, multigrid = MiniGridBackend(render_mode=None), MultiGridBackend(tiling="square", render_mode=None)
    shown = in_mode(TASKS[task_id], observability)
    minigrid.configure(shown)
    multigrid.configure(shown)
    rng = random.Random(f"{task_id}/{observability}/{seed}")
    _, state, _ = minigrid.reset(seed=seed)
    _, other, _ = multigrid.reset(seed=seed)
    assert other.to_dict() == state.to_dict()
    assert multigrid.get_known_state().to_dict() == minigrid.get_known_state().to_dict()
    for _ in range(LENGTH):
        action = roaming_action(minigrid.world, minigrid.episode.state, rng)
        _, *outcome, state, _ = minigrid.step(action)
        _, *other_outcome, other, _ = multigrid.step(action)
        assert other_outcome == outcome
        assert other.to_dict() == state.to_dict()
        assert multigrid.get_known_state().to_dict() == minigrid.get_known_state().to_dict()
        if state.terminated or state.truncated:
            break
