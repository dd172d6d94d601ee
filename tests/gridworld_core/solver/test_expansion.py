"""Expansions: their memory is told, and one that searches share gives the outcomes of any other."""

import gc
import tracemalloc
from contextlib import suppress

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from gridworld.solver.expansion import CachingExpansion, Expansion
from gridworld.solver.exploration import SearchLimits, TooManyStates
from gridworld.solver.spaces import StateSpace
from gridworld.solver.state_graph import reach_all
from gridworld.suites import find_tasks
from gridworld.world import World
from support.worlds import compiled, door, draw, key


@pytest.mark.parametrize(
    "reference", ["tiers/t2_05_crossroads", pytest.param("tiers/t3_08_grand_lock", marks=pytest.mark.thorough)]
)
def test_memory_is_accurate(reference: str) -> None:
    (task,) = find_tasks(reference)
    world = compiled(task)
    reach_all(
        Expansion(StateSpace(world)), world.start, SearchLimits()
    )  # what is kept of the world itself is not counted
    gc.collect()
    tracemalloc.start()
    try:
        expansion = Expansion(StateSpace(world))
        reach_all(expansion, world.start, SearchLimits())
        gc.collect()
        kept, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert kept / 1.3 < expansion.memory < kept * 1.3


@pytest.fixture
def world() -> World:
    return compiled(draw("#######\n#@k.D.#\n#...#G#\n#######", k=key("red"), D=door("red")))


def test_cached_outcomes_equal_uncached_ones(world: World) -> None:
    plain, caching = Expansion(StateSpace(world)), CachingExpansion(StateSpace(world))
    indices = reach_all(plain, world.start, SearchLimits()).indices
    assert_array_equal(reach_all(caching, world.start, SearchLimits()).indices, indices)
    some, expected = indices[::3], plain.outcomes(indices)
    for asked, rows in ((some, np.arange(0, len(indices), 3)), (indices, np.arange(len(indices)))):
        for _ in range(2):
            for found, right in zip(caching.outcomes(asked), expected, strict=True):
                assert_array_equal(found, right[rows])


def test_cached_outcomes_are_known(world: World) -> None:
    caching = CachingExpansion(StateSpace(world))
    start = np.array([caching.index(world.start, 0)])
    assert not caching.known_outcomes(start)[2].all()
    outcomes = caching.outcomes(start)
    *known_before, known = caching.known_outcomes(start)
    assert known.all()
    for found, right in zip(known_before, outcomes, strict=True):
        assert_array_equal(found, right)


def test_cached_outcomes_count_as_memory(world: World) -> None:
    assert least_memory(CachingExpansion, world) > least_memory(Expansion, world)


def least_memory(kind: type[Expansion], world: World) -> int:
    """Of how many kilobytes all states of a world can be reached."""
    for kilobytes in range(1, 1000):
        with suppress(TooManyStates):
            reach_all(kind(StateSpace(world)), world.start, SearchLimits(memory=1000 * kilobytes))
            return kilobytes
    raise AssertionError("a megabyte does not suffice")
