"""Conveyor belts: three in a row carry one cell a step, whatever the order of the file and the tiling."""

from typing import Any

import pytest

from gridworld.errors import TaskFormatError
from gridworld.solver import Verdict, solve
from gridworld.task_spec import Position, TaskSpecification
from gridworld.text import text_view
from gridworld.world import transition
from gridworld.world.events import Carried
from support.plugins import on_every_tiling, win
from support.tilings import compiled_on
from support.worlds import Thing, begin, block, corridor, describe, draw, gate, play, switch, teleporter

WAIT = 6


def belt(direction: Any) -> Thing:
    return Thing("belts", {"direction": direction})


def three_in_a_row(order: tuple[int, ...]) -> TaskSpecification:
    data = describe("########\n#@...G.#\n########")
    belts = [{"id": f"b{x}", "position": [x, 1], "direction": 0} for x in (2, 3, 4)]
    data["mechanisms"]["belts"] = [belts[number] for number in order]
    data["goal"] = {"type": "reach_position", "target": [6, 1]}
    return TaskSpecification.from_dict(data)


@on_every_tiling
@pytest.mark.parametrize("order", [(0, 1, 2), (2, 0, 1)])
def test_three_belts_carry_one_cell_a_step_whatever_the_order_of_the_file(tiling: str, order: tuple[int, ...]) -> None:
    world = compiled_on(tiling, three_in_a_row(order))
    lattice, state = world.topology.lattice, world.start.at(world.topology.anchor(Position(2, 1)))
    for place in ((3, 1), (4, 1), (5, 1), (5, 1)):
        state, _ = transition(world, state, WAIT)
        assert lattice[state.cell] == place


@on_every_tiling
def test_the_solver_lets_itself_be_carried_and_walks_up_no_belt(tiling: str) -> None:
    """Each step forward is undone by the belt, in patches of several cells too."""
    episode = win(compiled_on(tiling, three_in_a_row((2, 0, 1))))
    assert episode.world.topology.lattice[episode.state.cell] == (6, 1)
    task = draw("#######\n#@ab.G#\n#######", a=belt(2), b=belt(2))
    assert solve(compiled_on(tiling, task)).verdict == Verdict.UNSOLVABLE


def test_a_belt_carries_a_block_onto_a_switch_and_the_agent_into_a_teleporter() -> None:
    things = {"c": block(), "x": belt(0), "s": switch("g", switch_type="hold"), "g": gate()}
    assert play(begin(corridor("@cxs.gG", **things)), "F").open_gates == {"g"}
    assert play(begin(corridor("@xa.bG", x=belt(0), ab=teleporter())), "F").agent_position == (5, 1)


def test_it_is_told_in_a_sentence_of_its_own_and_seen_with_its_direction() -> None:
    episode = begin(corridor("@x.G", x=belt(0)))
    assert "rightward conveyor belt" in str(text_view(episode))
    carried = [event for event in episode.step(2) if isinstance(event, Carried)]
    assert [event.sentence(lambda name: "conveyor belt") for event in carried] == [
        "was carried on by the conveyor belt"
    ]


@pytest.mark.parametrize("direction", [4, "rightward", True])
def test_a_direction_that_is_none_is_refused(direction: Any) -> None:
    with pytest.raises(TaskFormatError, match=r"mechanisms\.belts\[0\]\.direction"):
        corridor("@x.G", x=belt(direction))
