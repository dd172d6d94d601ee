"""`reach_position`: standing on the target cell."""

import pytest

from gridworld.goals import REACH_POSITION
from gridworld.world.goal_type import Marker
from support.worlds import begin, block, compiled, corridor, gate, play, switch

AT_T = {"type": "reach_position", "target": "t"}


def test_it_uses_the_target_alone() -> None:
    assert REACH_POSITION.fields == ("target",)
    assert not REACH_POSITION.timed


def test_its_mission_is_to_reach_the_goal() -> None:
    assert REACH_POSITION.mission(compiled(corridor("@.G"))) == "reach the goal"


def test_its_target_is_marked() -> None:
    assert REACH_POSITION.markers(corridor("@tG", goal=AT_T)) == (Marker((2, 1), "goal"),)
    assert REACH_POSITION.markers(corridor("@.G")) == (Marker((3, 1), "goal"),)


def test_its_predicate_looks_at_the_agent_alone() -> None:
    world = compiled(corridor("@tG", goal=AT_T))
    reached = REACH_POSITION.reached(world)
    assert [reached(world.start.at(cell)) for cell in (6, 7, 8)] == [False, True, False]


def test_it_is_reached_with_any_heading() -> None:
    state = play(begin(corridor("@t.G", goal=AT_T)), "F")
    assert state.goal_reached
    assert play(begin(corridor("@.tG", goal=AT_T)), "FRLF").goal_reached


def test_it_is_not_reached_by_facing_the_target() -> None:
    assert not play(begin(corridor("@G")), "PTDW").terminated


def test_it_is_not_reached_by_a_block_on_the_target() -> None:
    state = play(begin(corridor("@bt.G", b=block(), goal=AT_T)), "F")
    assert state.block_positions == {"b": (3, 1)}
    assert not state.terminated


@pytest.mark.parametrize("letters", ["F", "TF"])
def test_its_target_may_be_a_mechanism_that_can_be_stood_on(letters: str) -> None:
    on_switch = corridor("@t.G", t=switch(), goal=AT_T)
    assert play(begin(on_switch), letters).goal_reached


def test_its_target_may_be_a_gate() -> None:
    task = corridor("@stG", s=switch("t"), t=gate(), goal=AT_T)
    assert play(begin(task), "TFF").goal_reached
