"""What is around the agent, as the example format tells it."""

import pytest

from gridworld.plugins import get_registry
from gridworld.support.import_strings import load_object
from gridworld.task_spec import TaskSpecification
from gridworld.world import Episode
from support.commands import run_eval
from support.tilings import start_on
from support.worlds import begin, door, draw, key, play

ROOM = """
    #####
    #.k.#
    #D@G#
    #...#
    #####
"""


def told(episode: Episode) -> list[str]:
    text: str = load_object(get_registry().observations.get("surroundings").target)(episode)
    return text.splitlines()


def room(**rules: object) -> TaskSpecification:
    return draw(ROOM, k=key("red"), D=door("red"), rules=rules)


def test_it_tells_what_is_beside_the_agent_from_straight_ahead_clockwise() -> None:
    episode = begin(room())
    assert told(episode) == [
        "0 degrees: goal",
        "90 degrees: floor",
        "180 degrees: locked red door",
        "270 degrees: red key",
    ]
    play(episode, "L")
    assert told(episode)[0] == "0 degrees: red key"


def test_what_is_behind_is_unseen_in_a_view_cone() -> None:
    assert told(begin(room(observability="view_cone")))[2] == "180 degrees: unseen"


@pytest.mark.parametrize(("tiling", "edges"), [("hex", 6), ("488", 8)])
def test_there_is_a_line_for_each_heading_that_faces_an_edge(tiling: str, edges: int) -> None:
    assert len(told(start_on(tiling, room()))) == edges


def test_a_model_can_be_given_it_beside_a_map() -> None:
    options = ("--benchmark", "validation_10", "--observation", "map+surroundings", "-q")
    finished = run_eval("--model", "random", *options)
    assert (finished.exit_code, finished.stderr) == (0, "")
