"""Pieces that mechanisms and goals of others are made of."""

import pytest

from gridworld.hookspecs import NO_CELL, Carried, Moved, Position, Teleported, Turned, cells_entered, place_in_words
from support.worlds import begin, corridor


def test_advanced() -> None:
    episode = begin(corridor("@G"))
    world, state = episode.world, episode.state
    advanced = world.advanced(state)
    assert advanced is not None
    further, events = advanced
    assert world.topology.lattice[further.cell] == (2, 1)
    assert events == (Moved(state.cell, further.cell),)
    assert world.advanced(further) is None


def test_ahead() -> None:
    episode = begin(corridor("@G"))
    world, state = episode.world, episode.state
    assert world.topology.lattice[world.ahead(state)] == (2, 1)
    assert world.ahead(state.facing(1)) in world.walls
    corner = state.at(world.topology.anchor(Position(0, 0)))
    assert world.ahead(corner.facing(3)) == NO_CELL


def test_cells_entered() -> None:
    events = (Moved(1, 2), Turned(2, True), Teleported("t", 2, 7), Carried("b", None, 7, 8), Carried("b", "box", 3, 4))
    assert cells_entered(events) == (2, 7, 8)


@pytest.mark.parametrize(
    ("cell", "words"),
    [
        ((0, 1), "column zero row one"),
        ((10, 19), "column ten row nineteen"),
        ((20, 42), "column twenty row forty two"),
        ((100, 112), "column one hundred row one hundred twelve"),
    ],
)
def test_place_in_words(cell: tuple[int, int], words: str) -> None:
    assert place_in_words(Position(*cell)) == words
