"""What an expansion says that it keeps is what it keeps."""

import gc
import tracemalloc

import pytest

from gridworld.solver.expansion import Expansion
from gridworld.solver.exploration import Limits
from gridworld.solver.spaces import StateSpace
from gridworld.solver.state_graph import reach_all
from gridworld.suites import find_tasks
from worlds import compiled


@pytest.mark.parametrize(
    "reference", ["tiers/t2_05_crossroads", pytest.param("tiers/t3_08_grand_lock", marks=pytest.mark.thorough)]
)
def test_its_memory_is_told(reference: str) -> None:
    (task,) = find_tasks(reference)
    world = compiled(task)
    reach_all(Expansion(StateSpace(world)), world.start, Limits())  # what is kept of the world itself is not counted
    gc.collect()
    tracemalloc.start()
    try:
        expansion = Expansion(StateSpace(world))
        reach_all(expansion, world.start, Limits())
        gc.collect()
        kept, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert kept / 1.3 < expansion.memory < kept * 1.3
