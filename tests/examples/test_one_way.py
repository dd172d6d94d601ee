"""One-way floors: entered from one lattice cell only, on every tiling."""

import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gridworld.errors import TaskFormatError
from gridworld.hookspecs import DIRECTION_WORDS, STEPS
from gridworld.solver import Verdict, solve
from gridworld.task_spec import Position, TaskSpecification
from gridworld.world.events import Bumped
from support.plugins import TILINGS, on_every_tiling, win
from support.tilings import compiled_on
from support.worlds import Thing, begin, block, corridor, describe, draw, play, steps_of

CROSS = """
    #######
    ###.###
    ###.###
    #..x.@#
    ###.###
    ###G###
    #######
"""


def one_way(direction: Any) -> Thing:
    return Thing("one_way", {"direction": direction})


def test_it_lets_the_agent_in_in_its_direction_and_stops_it_in_any_other() -> None:
    assert play(begin(corridor("@x.G", x=one_way("right"))), "F").agent_position == (2, 1)
    for direction in ("down", "left", "up"):
        episode = begin(corridor("@x.G", x=one_way(direction)))
        assert episode.step(2) == (Bumped("x"),)


def test_it_can_be_left_in_every_direction() -> None:
    task = draw(CROSS, x=one_way("left"))
    for turns, place in (("", (2, 3)), ("R", (3, 2)), ("L", (3, 4)), ("LL", (4, 3))):
        assert play(begin(task), f"LL FF {turns} F").agent_position == place


def test_an_unknown_direction_is_refused() -> None:
    with pytest.raises(TaskFormatError, match=r"got 'rigth' \(did you mean 'right'\?\)"):
        corridor("@x.G", x=one_way("rigth"))


def test_no_block_is_pushed_onto_it() -> None:
    assert play(begin(corridor("@bx.G", b=block(), x=one_way("right"))), "F").agent_position == (1, 1)


def test_nobody_follows_a_block_onto_it_from_the_side() -> None:
    """A belt has carried the block onto it; pushed off from below, it would pull the agent after it."""
    task = draw(
        "########\n#......#\n#@bcx..#\n#.....G#\n########",
        b=block(),
        c=Thing("belts", {"direction": 0}),
        x=one_way("right"),
    )
    episode = begin(task)
    assert play(episode, "F").block_positions == {"b": (4, 2)}
    assert play(episode, "R F L FF L").agent_position == (4, 3)
    assert episode.step(2) == (Bumped("x"),)


@on_every_tiling
def test_once_through_there_is_no_way_back(tiling: str) -> None:
    """The key upstairs can be fetched before one goes down, but not afterwards."""
    upstairs = "########\n#..k.@.#\n##x#####\n#.....G#\n########"
    downstairs = upstairs.replace("@", ".").replace("..G", "@.G")
    fetch = {"type": "collect_all", "target_ids": ["k"]}
    parts = {"k": Thing("keys", {"color": "red"}), "x": one_way("down")}
    win(compiled_on(tiling, draw(upstairs, goal=fetch, **parts)))
    win(compiled_on(tiling, draw(upstairs, **parts)))
    assert solve(compiled_on(tiling, draw(downstairs, goal=fetch, **parts))).verdict == Verdict.UNSOLVABLE


@given(seed=st.integers(0, 2**32 - 1), tiling=st.sampled_from(TILINGS))
def test_nobody_gets_in_but_from_the_cell_behind(seed: int, tiling: str) -> None:
    world = compiled_on(tiling, random_room(random.Random(seed)))
    lattice = world.topology.lattice
    behind = {}
    for entity in world.entities:
        (x, y), (dx, dy) = entity.spec.position, STEPS[entity.spec.direction]
        behind[Position(x, y)] = Position(x - dx, y - dy)
    for before, _, after in steps_of(world, seed, 80):
        came_from, came_to = lattice[before.cell], lattice[after.cell]
        if came_to != came_from and came_to in behind:
            assert came_from == behind[came_to]


def random_room(rng: random.Random) -> TaskSpecification:
    """A room with ten one-way floors about."""
    cells = [[x, y] for y in range(1, 6) for x in range(1, 7) if [x, y] not in ([1, 1], [6, 5])]
    rng.shuffle(cells)
    data = describe("########\n#@.....#\n#......#\n#......#\n#......#\n#.....G#\n########")
    data["mechanisms"]["one_way"] = [
        {"id": f"o{number}", "position": cells.pop(), "direction": rng.choice(DIRECTION_WORDS)} for number in range(10)
    ]
    return TaskSpecification.from_dict(data)
