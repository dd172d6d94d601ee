"""Plans to be played: one that wins within the step budget, or the reason why there is none."""

import pickle

import pytest

from gridworld.solver import Solution, Verdict, solve
from gridworld.solver.plans import NoPlanError, winning_plan
from support.worlds import LETTERS, compiled, corridor, door, draw, hazard, key

LOCKED = draw("#######\n#@kD.G#\n#######", k=key("red"), D=door("red"))


def test_a_shortest_plan() -> None:
    assert (
        winning_plan(compiled(LOCKED)) == solve(compiled(LOCKED)).plan == tuple(LETTERS[letter] for letter in "PFTFFF")
    )


def test_a_plan_of_the_whole_budget() -> None:
    assert len(winning_plan(compiled(corridor("@..G", max_steps=3)))) == 3


def test_a_plan_beyond_the_budget() -> None:
    with pytest.raises(NoPlanError, match="task 'drawn': the shortest takes 4 steps, max_steps is 3"):
        winning_plan(compiled(corridor("@...G", max_steps=3)))


def test_an_unwinnable_task() -> None:
    with pytest.raises(NoPlanError, match="task 'drawn': it cannot be won"):
        winning_plan(compiled(corridor("@.H.G", H=hazard())))


def test_the_error_is_picklable() -> None:
    with pytest.raises(NoPlanError) as caught:
        winning_plan(compiled(LOCKED), max_states=2)
    error = pickle.loads(pickle.dumps(caught.value))
    assert (error.task_id, str(error)) == ("drawn", str(caught.value))
    assert error.reason("--max-states") == "the solver gave up after 2 states; raise --max-states"


def test_advice_fits_the_limit() -> None:
    large = Solution(Verdict.GAVE_UP, None, states_seen=900, depth=3)
    assert large.advice(1_000) == ": its tables are too large"
    assert large.advice(900, "--max-states") == "; raise --max-states"
    assert large.advice(900, limit=None) == ""
