"""`push_block_to`: blocks to push onto targets."""

from typing import Any

import pytest

from gridworld.goals import PUSH_BLOCK_TO
from gridworld.world.goal_type import Mark, Marker
from support.worlds import begin, block, compiled, corridor, play, switch


def pushing(blocks: list[str], targets: list[Any]) -> dict[str, Any]:
    return {"type": "push_block_to", "target_ids": blocks, "target_positions": targets}


def test_it_uses_the_target_ids_and_positions() -> None:
    assert PUSH_BLOCK_TO.fields == ("target_ids", "target_positions")
    assert not PUSH_BLOCK_TO.timed


@pytest.mark.parametrize(
    ("blocks", "targets", "mission"),
    [
        (["b"], ["t"], "push the red block onto the red target"),
        (["b", "c"], ["t", "u"], "push the red block onto the red target, the grey block onto the grey target"),
        (
            ["d", "c", "b"],
            ["t", "u", "v"],
            "push the red block with one dot onto the red target with one dot, the grey block onto the grey target, "
            "the red block with two dots onto the red target with two dots",
        ),
    ],
)
def test_its_mission_names_the_pairs(blocks: list[str], targets: list[str], mission: str) -> None:
    things = {"b": block(color="red"), "c": block(), "d": block(color="red")}
    task = corridor("@btcudvG", **things, goal=pushing(blocks, targets))
    assert PUSH_BLOCK_TO.mission(compiled(task)) == mission


def test_its_targets_are_marked() -> None:
    world = compiled(corridor("@bt.G", b=block(), goal=pushing(["b"], ["t"])))
    assert PUSH_BLOCK_TO.markers(world.task) == (Marker((3, 1), "target", "b"),)
    assert world.marks == {3 + 7: Mark("target", "grey", 1)}


def test_a_target_may_be_the_goal_of_the_maze() -> None:
    assert play(begin(corridor("@bG.", b=block(), goal=pushing(["b"], ["G"]))), "F").goal_reached


def test_a_target_may_be_a_switch() -> None:
    task = corridor("@bs.G", b=block(), s=switch(switch_type="hold"), goal=pushing(["b"], ["s"]))
    state = play(begin(task), "F")
    assert state.goal_reached
    assert state.active_switches == {"s"}


def test_another_block_on_the_target_does_not_count() -> None:
    task = corridor("@b.t.cG", b=block(), c=block(), goal=pushing(["c"], ["t"]))
    state = play(begin(task), "FF")
    assert state.block_positions["b"] == (4, 1)
    assert not state.terminated


@pytest.mark.parametrize(
    ("goal", "problems"),
    [
        (pushing([], []), ["goal.target_ids: names no block to push"]),
        (pushing(["b"], []), ["goal.target_positions: has 0 entries, but target_ids has 1"]),
        (pushing(["b"], ["t", "G"]), ["goal.target_positions: has 2 entries, but target_ids has 1"]),
        (pushing(["b", "b"], ["t", "G"]), ["goal.target_ids: names the same thing twice"]),
        (pushing(["b", "c"], ["t", "t"]), ["goal.target_positions: names the same thing twice"]),
        (pushing(["f"], ["t"]), ["goal.target_ids[0]: no pushable block has the id 'f'"]),
        (pushing(["b"], ["b"]), ["goal.target_positions: every block stands on its target at the start"]),
    ],
)
def test_a_goal_that_cannot_be_is_refused(goal: dict[str, Any], problems: list[str]) -> None:
    task = corridor("@b.t.c.fG", b=block(), c=block(), f=block(pushable=False), goal=goal)
    assert task.validate() == (False, problems)


def test_one_of_several_blocks_may_start_on_its_target() -> None:
    task = corridor("@bt.cG", b=block(), c=block(), goal=pushing(["b", "c"], ["t", "c"]))
    assert play(begin(task), "F").goal_reached
