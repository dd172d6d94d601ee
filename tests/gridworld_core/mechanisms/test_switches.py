"""Switches: what a file says of them, what they are like and what they control."""

import pytest

from gridworld.mechanisms.switches import SWITCHES, SwitchSpec
from gridworld.world.mechanism_type import Trait
from support.worlds import begin, block, corridor, draw, gate, initial_state_of, play, switch

PLAIN = SwitchSpec("s", (2, 1))


def test_a_switch_is_off_yellow_and_of_no_type_unless_its_file_says_otherwise() -> None:
    assert (PLAIN.initial_state, PLAIN.color, PLAIN.switch_type, PLAIN.controls) == ("off", "yellow", None, ())


@pytest.mark.parametrize("initial_state", ["on", "off"])
def test_a_switch_starts_as_its_file_says(initial_state: str) -> None:
    assert initial_state_of(SWITCHES, SwitchSpec("s", (2, 1), initial_state=initial_state)) == initial_state


def test_a_switch_of_any_other_type_is_refused() -> None:
    with pytest.raises(ValueError, match=r"switch_type 'held' is unknown \(did you mean 'hold'\?\)"):
        SwitchSpec("s", (2, 1), switch_type="held")


@pytest.mark.parametrize("value", SWITCHES.values)
def test_a_switch_can_be_stood_on_takes_blocks_and_answers_underfoot(value: str) -> None:
    traits = SWITCHES.traits(PLAIN, value)
    assert traits & ~Trait.ACTIVE == Trait.TAKES_BLOCKS | Trait.TOGGLED_UNDERFOOT


def test_a_switch_is_active_while_it_is_on() -> None:
    assert SWITCHES.traits(PLAIN, "on") & Trait.ACTIVE
    assert not SWITCHES.traits(PLAIN, "off") & Trait.ACTIVE


def test_a_switch_controls_the_gates_that_its_file_names() -> None:
    task = corridor("@sghG", s=switch("g", "h"), g=gate(), h=gate())
    assert SWITCHES.controls(task.mechanisms.switches[0]) == ("g", "h")


def test_a_switch_is_described_by_its_colour() -> None:
    assert SWITCHES.describe(SwitchSpec("s", (2, 1), color="blue")) == "blue switch"


def test_a_switch_looks_different_when_it_is_on() -> None:
    assert SWITCHES.glyph(PLAIN, "on") != SWITCHES.glyph(PLAIN, "off")


def test_a_toggle_switch_under_a_block_cannot_be_toggled_from_in_front() -> None:
    task = corridor("@bs.G", b=block(), s=switch(switch_type="toggle"))
    assert play(begin(task), "FT").active_switches == set()


def test_a_block_on_a_hold_switch_keeps_its_gate_open_for_the_agent_to_pass() -> None:
    task = draw("######\n#@bs.#\n##g.##\n##G..#\n######", b=block(), s=switch("g", switch_type="hold"), g=gate())
    episode = begin(task)
    assert play(episode, "F").open_gates == {"g"}
    assert play(episode, "RF").agent_position == (2, 2)
    assert play(episode, "F").goal_reached


def test_a_hold_switch_closes_its_gate_again_when_the_agent_steps_off() -> None:
    episode = begin(corridor("@s.gG", s=switch("g", switch_type="hold"), g=gate()))
    assert play(episode, "F").open_gates == {"g"}
    assert play(episode, "F").open_gates == set()
    assert play(episode, "F").agent_position == (3, 1)
