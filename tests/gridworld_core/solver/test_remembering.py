"""An expansion that is shared by searches says what any expansion says, and what it remembers is counted as memory."""

from contextlib import suppress

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from gridworld.solver.expansion import CachingExpansion, Expansion
from gridworld.solver.exploration import Limits, TooManyStates
from gridworld.solver.spaces import StateSpace
from gridworld.solver.state_graph import reach_all
from gridworld.world import World
from worlds import compiled, door, draw, key


@pytest.fixture
def world() -> World:
    return compiled(draw("#######\n#@k.D.#\n#...#G#\n#######", k=key("red"), D=door("red")))


def test_it_says_what_any_expansion_says_however_often_it_is_asked(world: World) -> None:
    plain, remembering = Expansion(StateSpace(world)), CachingExpansion(StateSpace(world))
    indices = reach_all(plain, world.start, Limits()).indices
    assert_array_equal(reach_all(remembering, world.start, Limits()).indices, indices)
    some, expected = indices[::3], plain.outcomes(indices)
    for asked, rows in ((some, np.arange(0, len(indices), 3)), (indices, np.arange(len(indices)))):
        for _ in range(2):
            for found, right in zip(remembering.outcomes(asked), expected, strict=True):
                assert_array_equal(found, right[rows])


def test_what_it_has_said_is_foreseen(world: World) -> None:
    remembering = CachingExpansion(StateSpace(world))
    start = np.array([remembering.index(world.start, 0)])
    assert not remembering.known_outcomes(start)[2].all()
    outcomes = remembering.outcomes(start)
    *foreseen, known = remembering.known_outcomes(start)
    assert known.all()
    for found, right in zip(foreseen, outcomes, strict=True):
        assert_array_equal(found, right)


def test_what_it_remembers_counts_as_memory_of_a_search(world: World) -> None:
    assert least_memory(CachingExpansion, world) > least_memory(Expansion, world)


def least_memory(kind: type[Expansion], world: World) -> int:
    """Of how many kilobytes all states of a world can be reached."""
    for kilobytes in range(1, 1000):
        with suppress(TooManyStates):
            reach_all(kind(StateSpace(world)), world.start, Limits(memory=1000 * kilobytes))
            return kilobytes
    raise AssertionError("a megabyte does not suffice")
