"""`survive_steps`: being alive at the last step."""

import pytest

from gridworld.goals import SURVIVE_STEPS
from support.worlds import begin, compiled, corridor, hazard, play

SURVIVE = {"type": "survive_steps"}


def test_it_uses_no_field_and_depends_on_time() -> None:
    assert SURVIVE_STEPS.fields == ()
    assert SURVIVE_STEPS.timed


def test_it_marks_no_cell() -> None:
    assert SURVIVE_STEPS.markers(corridor("@.G", goal=SURVIVE)) == ()


def test_its_mission_is_to_stay_alive() -> None:
    assert SURVIVE_STEPS.mission(compiled(corridor("@.G", goal=SURVIVE))) == "stay alive until the last step"


@pytest.mark.parametrize("max_steps", [1, 2, 50])
def test_its_reward_is_1_whatever_the_budget(max_steps: int) -> None:
    state = play(begin(corridor("@.G", goal=SURVIVE, max_steps=max_steps)), "W" * max_steps)
    assert (state.goal_reached, state.reward, state.step_count) == (True, 1.0, max_steps)


def test_its_predicate_looks_at_the_steps_alone() -> None:
    world = compiled(corridor("@.G", goal=SURVIVE, max_steps=5))
    reached = SURVIVE_STEPS.reached(world)
    assert [reached(world.start._replace(steps=steps)) for steps in range(6)] == [False] * 5 + [True]


def test_it_does_not_matter_what_the_agent_does() -> None:
    task = corridor("@.hG", h=hazard(), goal=SURVIVE, max_steps=6)
    assert play(begin(task), "FTLRPD").goal_reached


@pytest.mark.parametrize("waiting", [0, 1, 4])
def test_it_is_lost_by_dying_at_any_step_the_last_included(waiting: int) -> None:
    state = play(begin(corridor("@hG", h=hazard(), goal=SURVIVE, max_steps=5)), "W" * waiting + "F")
    assert (state.terminated, state.goal_reached, state.reward) == (True, False, 0)
