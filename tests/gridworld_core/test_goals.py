"""The four goal types: missions, markers, success, and refused goals."""

from typing import Any

import pytest

from gridworld.task_spec import TaskSpecification
from gridworld.world.goal_type import Marker
from support.worlds import (
    Thing,
    begin,
    block,
    compiled,
    corridor,
    door,
    draw,
    gate,
    hazard,
    key,
    play,
    switch,
    teleporter,
)

REACH_T = {"type": "reach_position", "target": "t"}
SURVIVE = {"type": "survive_steps"}


def collecting(*names: str) -> dict[str, Any]:
    return {"type": "collect_all", "target_ids": list(names)}


def pushing(blocks: list[str], targets: list[Any]) -> dict[str, Any]:
    return {"type": "push_block_to", "target_ids": blocks, "target_positions": targets}


PUSH_TO_T = pushing(["b"], ["t"])
PILE = {"b": block(color="red"), "c": block(), "d": block(color="red")}
KEYS = {"k": key("red"), "l": key("blue"), "s": switch()}


@pytest.mark.parametrize(
    ("task", "mission"),
    [
        (corridor("@.G"), "reach the goal"),
        (corridor("@.G", goal=SURVIVE), "stay alive until the last step"),
        (corridor("@klsG", **KEYS, goal=collecting("k")), "pick up the red key"),
        (corridor("@klsG", **KEYS, goal=collecting("k", "l")), "pick up the red key, the blue key"),
        (corridor("@klsG", **KEYS, goal=collecting("s")), "switch on the yellow switch"),
        (
            corridor("@klsG", **KEYS, goal=collecting("s", "l")),
            "pick up the blue key and switch on the yellow switch",
        ),
        (corridor("@btcudvG", **PILE, goal=pushing(["b"], ["t"])), "push the red block onto the red target"),
        (
            corridor("@btcudvG", **PILE, goal=pushing(["b", "c"], ["t", "u"])),
            "push the red block onto the red target, the grey block onto the grey target",
        ),
        (
            corridor("@btcudvG", **PILE, goal=pushing(["d", "c", "b"], ["t", "u", "v"])),
            "push the red block with one dot onto the red target with one dot, the grey block onto the grey target, "
            "the red block with two dots onto the red target with two dots",
        ),
    ],
)
def test_the_mission_names_the_targets(task: TaskSpecification, mission: str) -> None:
    world = compiled(task)
    assert world.goal_type.mission(world) == mission


@pytest.mark.parametrize(
    ("task", "markers"),
    [
        (corridor("@tG", goal=REACH_T), (Marker((2, 1), "goal"),)),
        (corridor("@.G"), (Marker((3, 1), "goal"),)),
        (corridor("@kG", k=key(), goal=collecting("k")), ()),
        (corridor("@bt.G", b=block(), goal=pushing(["b"], ["t"])), (Marker((3, 1), "target", "b"),)),
        (corridor("@.G", goal=SURVIVE), ()),
    ],
)
def test_targets_are_marked(task: TaskSpecification, markers: tuple[Marker, ...]) -> None:
    assert compiled(task).goal_type.markers(task) == markers


TWO_KEYS = draw("#####\n#@k.#\n#l.G#\n#####", k=key(), l=key("blue"), goal=collecting("k", "l"))
TWO_SWITCHES = draw(
    "#####\n#@h.#\n#..s#\n#G..#\n#####",
    h=switch(switch_type="hold"),
    s=switch(switch_type="one_shot"),
    goal=collecting("h", "s"),
)


@pytest.mark.parametrize(
    ("task", "letters"),
    [
        pytest.param(corridor("@t.G", t=switch(), goal=REACH_T), "F", id="a target on a switch"),
        pytest.param(corridor("@stG", s=switch("t"), t=gate(), goal=REACH_T), "TFF", id="a target in a gate"),
        pytest.param(TWO_KEYS, "RPDLP", id="keys in the other order"),
        pytest.param(TWO_SWITCHES, "FFRTRF", id="a hold switch last"),
        pytest.param(corridor("@bG.", b=block(), goal=pushing(["b"], ["G"])), "F", id="a block onto the maze's goal"),
        pytest.param(
            corridor("@bt.cG", b=block(), c=block(), goal=pushing(["b", "c"], ["t", "c"])),
            "F",
            id="one of two blocks on its target at the start",
        ),
        pytest.param(
            corridor("@.hG", h=hazard(), goal=SURVIVE, max_steps=6), "FTLRPD", id="survived whatever the agent does"
        ),
    ],
)
def test_an_episode_succeeds_with_the_last_action(task: TaskSpecification, letters: str) -> None:
    episode = begin(task)
    if letters[:-1]:
        assert not play(episode, letters[:-1]).terminated
    assert play(episode, letters[-1]).goal_reached


@pytest.mark.parametrize(
    ("task", "letters"),
    [
        pytest.param(corridor("@bt.G", b=block(), goal=REACH_T), "F", id="a block on the target"),
        pytest.param(TWO_SWITCHES, "FFRT", id="a hold switch that was left"),
        pytest.param(
            corridor("@b.t.cG", b=block(), c=block(), goal=pushing(["c"], ["t"])),
            "FF",
            id="another block on the target",
        ),
    ],
)
def test_an_episode_goes_on(task: TaskSpecification, letters: str) -> None:
    assert not play(begin(task), letters).terminated


def test_a_key_is_collected_in_the_hand_and_a_switch_under_a_block() -> None:
    state = play(begin(corridor("@k.G", k=key(), goal=collecting("k"))), "P")
    assert (state.goal_reached, state.agent_carrying, state.step_count) == (True, "k", 1)
    task = corridor("@bs.G", b=block(), s=switch(switch_type="hold"), goal=pushing(["b"], ["s"]))
    state = play(begin(task), "F")
    assert (state.goal_reached, state.active_switches) == (True, {"s"})


@pytest.mark.parametrize(
    ("goal", "problem"),
    [
        (collecting(), "target_ids: names nothing to collect"),
        (pushing([], []), "target_ids: names no block to push"),
        (pushing(["b"], []), "target_positions: has 0 entries, but target_ids has 1"),
        (pushing(["b"], ["t", "G"]), "target_positions: has 2 entries, but target_ids has 1"),
        (pushing(["b", "b"], ["t", "G"]), "target_ids: names the same thing twice"),
        (pushing(["b", "c"], ["t", "t"]), "target_positions: names the same thing twice"),
        (pushing(["f"], ["t"]), "target_ids[0]: no pushable block has the id 'f'"),
        (pushing(["b"], ["b"]), "target_positions: every block stands on its target at the start"),
    ],
)
def test_an_impossible_goal_is_refused(goal: dict[str, Any], problem: str) -> None:
    task = corridor("@b.t.c.fG", b=block(), c=block(), f=block(pushable=False), goal=goal)
    assert task.validate() == (False, [f"goal.{problem}"])


FIXED = "nothing can move it out of the way"
DEADLY = "stepping onto it ends the episode without success"
NOT_TAKEN = "no block can be pushed onto it"


@pytest.mark.parametrize(
    ("goal", "thing", "problem"),
    [
        (REACH_T, hazard("pit"), f"target: [5, 1] is where the hazard 't' is; {DEADLY}"),
        (REACH_T, block(pushable=False), f"target: [5, 1] is where the block 't' is; {FIXED}"),
        (PUSH_TO_T, hazard(), f"target_positions[0]: [5, 1] is where the hazard 't' is; {NOT_TAKEN}"),
        (PUSH_TO_T, block(pushable=False), f"target_positions[0]: [5, 1] is where the block 't' is; {NOT_TAKEN}"),
        (PUSH_TO_T, gate("open"), f"target_positions[0]: [5, 1] is where the gate 't' is; {NOT_TAKEN}"),
        (PUSH_TO_T, door(None, "open"), f"target_positions[0]: [5, 1] is where the door 't' is; {NOT_TAKEN}"),
    ],
)
def test_a_target_that_can_never_be_reached_is_refused(goal: dict[str, Any], thing: Thing, problem: str) -> None:
    assert corridor("@b..t.G", b=block(), t=thing, goal=goal).validate() == (False, [f"goal.{problem}"])


@pytest.mark.parametrize("end", ["a", "z"])
def test_the_end_of_a_teleporter_is_no_target_of_a_block(end: str) -> None:
    task = corridor("@b..a.zG", b=block(), az=teleporter(bidirectional=False), goal=pushing(["b"], [end]))
    _, (problem,) = task.validate()
    assert problem.startswith("goal.target_positions[0]: ")
    assert problem.endswith(NOT_TAKEN)


@pytest.mark.parametrize(
    ("goal", "thing"), [(REACH_T, gate()), (REACH_T, block()), (PUSH_TO_T, switch()), (PUSH_TO_T, key())]
)
def test_a_target_that_may_become_free_is_taken(goal: dict[str, Any], thing: Thing) -> None:
    assert corridor("@b..t.G", b=block(), t=thing, goal=goal).validate() == (True, [])
