"""Hazards: what a file says of them and what they are like."""

import pytest

from gridworld.mechanisms.hazards import HAZARDS, HazardSpec
from gridworld.world.mechanism_type import Trait
from support.worlds import begin, corridor, hazard, key, play

HAZARD_TYPES = ("lava", "pit", "spike")


def test_a_hazard_is_lava_unless_its_file_says_otherwise() -> None:
    assert HazardSpec("h", (2, 1)).hazard_type == "lava"


def test_a_hazard_of_any_other_type_is_refused() -> None:
    with pytest.raises(ValueError, match=r"hazard_type 'water' is unknown"):
        HazardSpec("h", (2, 1), "water")


@pytest.mark.parametrize("hazard_type", HAZARD_TYPES)
def test_a_hazard_is_deadly_and_neither_solid_nor_opaque(hazard_type: str) -> None:
    assert HAZARDS.traits(HazardSpec("h", (2, 1), hazard_type), "") == Trait.DEADLY


def test_the_types_of_hazard_look_different() -> None:
    assert len({HAZARDS.glyph(HazardSpec("h", (2, 1), each), "") for each in HAZARD_TYPES}) == 3


@pytest.mark.parametrize("letters", ["W", "T", "P", "LR", "RFL"])
def test_a_hazard_does_nothing_to_an_agent_beside_it(letters: str) -> None:
    assert not play(begin(corridor("@hG", h=hazard())), letters).terminated


def test_a_hazard_kills_an_agent_that_carries_something() -> None:
    state = play(begin(corridor("@khG", k=key(), h=hazard())), "PFF")
    assert state.terminated
    assert state.agent_carrying == "k"
