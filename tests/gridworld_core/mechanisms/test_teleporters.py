"""Teleporters: what a file says of them, what they are like and where they lead."""

import pytest

from gridworld.mechanisms.teleporters import TELEPORTERS, TeleporterSpec
from gridworld.world.mechanism_type import Trait
from support.worlds import begin, corridor, draw, initial_state_of, look, play, teleporter

PLAIN = TeleporterSpec("t", (2, 1), (4, 1))


def test_a_teleporter_leads_both_ways_unless_its_file_says_otherwise() -> None:
    assert PLAIN.bidirectional is True


def test_a_teleporter_takes_both_of_its_cells() -> None:
    assert TELEPORTERS.positions(PLAIN) == {"position_a": (2, 1), "position_b": (4, 1)}


def test_a_teleporter_starts_ready() -> None:
    assert initial_state_of(TELEPORTERS, PLAIN) == "ready"


@pytest.mark.parametrize("value", TELEPORTERS.values)
def test_a_teleporter_is_flat_and_takes_no_blocks(value: str) -> None:
    assert TELEPORTERS.traits(PLAIN, value) == Trait.NONE


def test_a_teleporter_is_described_by_its_noun() -> None:
    assert TELEPORTERS.describe(PLAIN) == "teleporter"


def test_a_teleporter_looks_the_same_whether_it_cools_or_not() -> None:
    assert len({TELEPORTERS.glyph(PLAIN, value) for value in TELEPORTERS.values}) == 1


@pytest.mark.parametrize(("turns", "heading"), [("", 0), ("R", 1)])
def test_the_agent_keeps_its_heading(turns: str, heading: int) -> None:
    task = draw("######\n#@a..#\n#c.bd#\n#..G.#\n######", ab=teleporter(), cd=teleporter())
    state = play(begin(task), turns + "F")
    assert state.agent_direction == heading
    assert state.agent_position == ((4, 2) if turns else (3, 2))


def test_the_agent_walks_on_from_the_exit() -> None:
    assert play(begin(corridor("@a.b.G", ab=teleporter())), "FFF").goal_reached


def test_an_agent_can_go_there_and_back() -> None:
    episode = begin(corridor("@a.b.G", ab=teleporter()))
    state = play(episode, "FF LLF")
    assert state.agent_position == (2, 1)
    assert state.teleporter_cooldowns == {"ab": 1}
    assert play(episode, "F").agent_position == (1, 1)


def test_the_exit_of_a_one_way_teleporter_is_plain_floor_to_who_walks_over_it() -> None:
    task = corridor("@b.a.G", ab=teleporter(bidirectional=False))
    state = play(begin(task), "FF")
    assert state.agent_position == (3, 1)
    assert state.teleporter_cooldowns == {}


def test_two_teleporters_do_not_disturb_each_other() -> None:
    task = corridor("@a.bc.dG", ab=teleporter(), cd=teleporter())
    episode = begin(task)
    assert play(episode, "F").agent_position == (4, 1)
    state = play(episode, "F")
    assert state.agent_position == (7, 1)
    assert state.teleporter_cooldowns == {"cd": 1}


def test_no_teleporter_cools_at_the_start() -> None:
    assert look(begin(corridor("@a.bG", ab=teleporter()))).teleporter_cooldowns == {}
