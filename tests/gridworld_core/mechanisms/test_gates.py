"""Gates: what a file says of them, what they are like and what opens them."""

import pytest

from gridworld.mechanisms.gates import GATES, GateSpec
from gridworld.world.mechanism_type import Trait
from support.worlds import begin, corridor, draw, gate, initial_state_of, look, play, switch

PLAIN = GateSpec("g", (2, 1))


def test_a_gate_is_closed_unless_its_file_says_otherwise() -> None:
    assert PLAIN.initial_state == "closed"


@pytest.mark.parametrize("initial_state", ["closed", "open"])
def test_a_gate_starts_as_its_file_says(initial_state: str) -> None:
    assert initial_state_of(GATES, GateSpec("g", (2, 1), initial_state)) == initial_state


def test_a_gate_in_any_other_state_is_refused() -> None:
    with pytest.raises(ValueError, match=r"initial_state 'locked' is unknown"):
        GateSpec("g", (2, 1), "locked")


def test_only_an_open_gate_lets_through_and_shows_what_is_behind() -> None:
    assert GATES.traits(PLAIN, "closed") == Trait.SOLID | Trait.OPAQUE
    assert GATES.traits(PLAIN, "open") == Trait.NONE


def test_a_gate_has_no_colour() -> None:
    assert GATES.describe(PLAIN) == "gate"


def test_a_gate_looks_different_when_it_is_open() -> None:
    assert GATES.glyph(PLAIN, "open") != GATES.glyph(PLAIN, "closed")


def test_a_gate_that_no_switch_controls_stays_as_it_is() -> None:
    episode = begin(corridor("@sghG", s=switch(), g=gate(), h=gate("open")))
    assert play(episode, "TWT").open_gates == {"h"}


def test_a_gate_stays_open_for_an_agent_in_it_when_its_switch_is_toggled_off_from_inside() -> None:
    task = draw("#####\n#@.G#\n#sg.#\n#####", s=switch("g", initial_state="on"), g=gate())
    episode = begin(task)
    state = play(episode, "FRF RT")
    assert state.agent_position == (2, 2)
    assert state.active_switches == set()
    assert state.open_gates == {"g"}
    assert play(episode, "RRF").open_gates == set()


def test_a_gate_with_an_agent_in_it_stays_open_when_its_switch_comes_on_again() -> None:
    task = draw("#####\n#@.G#\n#sg.#\n#####", s=switch("g", initial_state="on"), g=gate())
    episode = begin(task)
    assert play(episode, "FRF RTT").open_gates == {"g"}
    assert play(episode, "RRF").open_gates == {"g"}


def test_a_gate_may_be_controlled_by_switches_of_different_types() -> None:
    task = draw(
        "######\n#@h..#\n#t.gG#\n######",
        h=switch("g", switch_type="hold"),
        t=switch("g", switch_type="one_shot"),
        g=gate(),
    )
    episode = begin(task)
    assert look(episode).open_gates == set()
    assert play(episode, "F").open_gates == {"g"}
    assert play(episode, "F").open_gates == set()
    assert play(episode, "LLFFLT").open_gates == {"g"}
    assert play(episode, "LF").open_gates == {"g"}
