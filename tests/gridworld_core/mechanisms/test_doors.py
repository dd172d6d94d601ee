"""Doors: what a file says of them, what they are like and how they are recorded."""

from typing import Any

import pytest

from gridworld.mechanisms.doors import DOORS, DoorSpec
from gridworld.world.mechanism_type import Trait
from support.worlds import begin, corridor, door, draw, initial_state_of, key, play

RED = DoorSpec("d", (2, 1), "red")


def test_a_door_is_locked_unless_its_file_says_otherwise() -> None:
    assert RED.initial_state == "locked"
    assert initial_state_of(DOORS, RED) == "locked"


@pytest.mark.parametrize("initial_state", ["locked", "closed", "open"])
def test_a_door_starts_as_its_file_says(initial_state: str) -> None:
    assert initial_state_of(DOORS, DoorSpec("d", (2, 1), "red", initial_state)) == initial_state


def test_a_door_in_any_other_state_is_refused() -> None:
    with pytest.raises(ValueError, match=r"initial_state 'shut' is unknown"):
        DoorSpec("d", (2, 1), "red", "shut")


@pytest.mark.parametrize(
    ("value", "traits"),
    [("locked", Trait.SOLID | Trait.OPAQUE), ("closed", Trait.SOLID | Trait.OPAQUE), ("open", Trait.NONE)],
)
def test_only_an_open_door_lets_through_and_shows_what_is_behind(value: str, traits: Trait) -> None:
    assert DOORS.traits(RED, value) == traits


@pytest.mark.parametrize(("spec", "text"), [(RED, "red door"), (DoorSpec("d", (2, 1)), "grey door")])
def test_a_door_has_the_colour_of_its_key_or_is_grey(spec: DoorSpec, text: str) -> None:
    assert DOORS.describe(spec) == text


def test_a_door_looks_different_in_each_of_its_states() -> None:
    assert len({DOORS.glyph(RED, value) for value in DOORS.values}) == 3


def test_a_grey_key_opens_a_locked_grey_door() -> None:
    state = play(begin(draw("####\n#@d#\n#kG#\n####", d=door("gray"), k=key("grey"))), "RPLT")
    assert state.open_doors == {"d"}


def test_a_door_can_be_shut_behind_the_agent() -> None:
    episode = begin(corridor("@d..G", d=door(initial_state="open")))
    assert play(episode, "FFLLT").open_doors == set()
    assert play(episode, "F").agent_position == (3, 1)


def test_a_door_cannot_be_shut_by_the_agent_that_stands_in_it() -> None:
    assert play(begin(corridor("@d.G", d=door(initial_state="open"))), "FT").open_doors == {"d"}


@pytest.mark.parametrize("rules", [{"key_consumption": True}, {"key_consumption": False}])
def test_one_key_opens_one_door_or_two_by_the_rules(rules: dict[str, Any]) -> None:
    task = draw(
        "#######\n#@d.eG#\n#k....#\n#######",
        d=door("red"),
        e=door("red"),
        k=key("red"),
        rules=rules,
    )
    opened = {"d"} if rules["key_consumption"] else {"d", "e"}
    assert play(begin(task), "RPLTFFT").open_doors == opened
