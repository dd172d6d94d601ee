"""Events name the thing that took part in what happened."""

import pytest

from gridworld.world.events import Bumped, Carried, Discovered, Moved, NoEffect, Turned, UnknownEvent, Waited
from support.worlds import (
    LETTERS,
    begin,
    door,
    draw,
    draw_everything,
    gate,
    hazard,
    key,
    switch,
    walk,
)
from support.worlds import compiled as compile_task


@pytest.mark.parametrize("seed", range(5))
def test_involved_entities_exist(seed: int) -> None:
    world = compile_task(draw_everything())
    for _, _, _, events in walk(world, seed, 60):
        for event in events:
            assert event.involves is None or event.involves in world.by_id
            if isinstance(event, Bumped | Discovered | Moved | NoEffect | Turned | Waited):
                assert event.involves is None


CHAINED = """
    #########
    #@kDsg.l#
    #.......#
    #.....G.#
    #########
"""


def test_involved_entities_in_order_of_use() -> None:
    things = {"k": key(), "D": door("red"), "s": switch("g"), "g": gate(), "l": hazard()}
    episode, involved = begin(draw(CHAINED, **things)), []
    for letter in "PFTFT FFFF".replace(" ", ""):
        involved += [event.involves for event in episode.step(LETTERS[letter]) if event.involves]
    assert list(dict.fromkeys(involved)) == ["k", "D", "s", "g", "l"]


def test_the_carrier_is_involved() -> None:
    assert Carried("belt", "block", 1, 2).involves == "belt"
    assert UnknownEvent("theirs:Rang", ()).involves is None
