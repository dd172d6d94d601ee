"""Keys: what a file says of them, what they are like and how they are recorded."""

import pytest

from gridworld.mechanisms.keys import KEYS, KeySpec
from gridworld.world.mechanism_type import Trait
from support.worlds import begin, corridor, initial_state_of, key, play

RED = KeySpec("k", (2, 1), "red")


def test_a_key_has_an_id_a_position_and_a_colour() -> None:
    assert (RED.id, RED.position, RED.color) == ("k", (2, 1), "red")


def test_a_key_has_to_have_a_colour() -> None:
    with pytest.raises(TypeError, match="color"):
        KeySpec("k", (2, 1))  # type: ignore[call-arg]


@pytest.mark.parametrize("value", KEYS.values)
def test_a_key_is_solid_and_portable_and_does_not_block_sight(value: str) -> None:
    assert KEYS.traits(RED, value) == Trait.SOLID | Trait.PORTABLE


def test_a_key_starts_untouched() -> None:
    assert initial_state_of(KEYS, RED) == "untouched"


def test_a_key_is_described_by_its_colour() -> None:
    assert KEYS.describe(RED) == "red key"


def test_keys_of_different_colours_look_different() -> None:
    assert KEYS.glyph(RED, "untouched") != KEYS.glyph(KeySpec("k", (2, 1), "blue"), "untouched")


def test_a_key_looks_the_same_whatever_became_of_it() -> None:
    assert len({KEYS.glyph(RED, value) for value in KEYS.values}) == 1


def test_a_second_key_can_be_carried_once_the_first_is_dropped() -> None:
    state = play(begin(corridor("@k.lG", k=key(), l=key("blue"))), "PFF LLDRRP")
    assert state.agent_carrying == "l"
    assert state.collected_keys == {"k", "l"}
