"""Blocks: what a file says of them, what they are like and where they are."""

import pytest

from gridworld.mechanisms.blocks import BLOCKS, BlockSpec
from gridworld.world.mechanism_type import Trait
from support.worlds import begin, block, corridor, draw, key, play

PLAIN = BlockSpec("b", (2, 1))


def test_a_block_is_grey_and_can_be_pushed_unless_its_file_says_otherwise() -> None:
    assert (PLAIN.color, PLAIN.pushable) == ("grey", True)


@pytest.mark.parametrize(("pushable", "traits"), [(True, Trait.SOLID | Trait.PUSHABLE), (False, Trait.SOLID)])
def test_a_block_is_solid_and_does_not_block_sight(pushable: bool, traits: Trait) -> None:
    assert BLOCKS.traits(BlockSpec("b", (2, 1), pushable), "") == traits


def test_a_block_is_described_by_its_colour() -> None:
    assert BLOCKS.describe(BlockSpec("b", (2, 1), color="purple")) == "purple block"


def test_blocks_look_different_by_colour_and_by_whether_they_can_be_pushed() -> None:
    looks = {
        BLOCKS.glyph(BlockSpec("b", (2, 1), pushable, color), "")
        for pushable in (True, False)
        for color in ("red", "grey")
    }
    assert len(looks) == 4


def test_a_block_cannot_be_picked_up_or_toggled() -> None:
    state = play(begin(corridor("@b.G", b=block())), "PT")
    assert state.agent_carrying is None
    assert state.block_positions == {"b": (2, 1)}


def test_a_block_is_pushed_on_and_on() -> None:
    assert play(begin(corridor("@b...G.", b=block())), "FFF").block_positions == {"b": (5, 1)}


def test_a_block_is_never_pulled() -> None:
    assert play(begin(corridor("@b...G", b=block())), "FLLF").block_positions == {"b": (3, 1)}


def test_a_block_can_be_pushed_from_each_of_its_sides() -> None:
    task = draw("#####\n#@..#\n#.b.#\n#..G#\n#####", b=block())
    assert play(begin(task), "RFLF").block_positions == {"b": (3, 2)}
    assert play(begin(task), "FRF").block_positions == {"b": (2, 3)}
    assert play(begin(task), "FFRFRF").block_positions == {"b": (1, 2)}
    assert play(begin(task), "RFFLFLF").block_positions == {"b": (2, 1)}


def test_two_blocks_in_a_row_do_not_move() -> None:
    state = play(begin(corridor("@bc.G", b=block(), c=block())), "F")
    assert state.block_positions == {"b": (2, 1), "c": (3, 1)}
    assert state.agent_position == (1, 1)


def test_an_agent_that_holds_a_key_can_push() -> None:
    state = play(begin(corridor("@kb.G", k=key(), b=block())), "PFF")
    assert state.block_positions == {"b": (4, 1)}
    assert state.agent_carrying == "k"
