"""The formats of observations: what each tells, and that together they are the text view."""

import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gridworld.observations.character_map import map_text
from gridworld.observations.coordinates import coordinates_text, list_coordinates
from gridworld.observations.sentences import sentences_text
from gridworld.observations.shown_cells import shown_cells
from gridworld.task_spec import TaskSpecification
from gridworld.text import text_view
from gridworld.world import Episode
from support.twins import actions_of, with_rules
from support.worlds import begin, block, door, draw, key, play, switch, tasks, teleporter

MODES = ("full", "view_cone", "fog_of_war")
ROOM = """
    ######
    #@kDG#
    #....#
    ######
"""


def room(mode: str) -> TaskSpecification:
    return draw(ROOM, k=key("red"), D=door("red"), rules={"observability": mode, "view_size": 5})


def listed(task: TaskSpecification, letters: str = "") -> dict[str, Any]:
    """The coordinates after some actions."""
    episode = begin(task)
    play(episode, letters)
    return list_coordinates(episode)


# --- Map and sentences -------------------------------------------------------------------------------------------


@given(tasks(), st.integers(0, 2**32 - 1), st.sampled_from(MODES))
def test_text_view_is_map_and_sentences(task: TaskSpecification, seed: int, mode: str) -> None:
    task = with_rules(task, observability=mode)
    episode = begin(task)
    for action in actions_of(task, seed, 20):
        episode.step(action)
        assert f"{map_text(episode)}\n\n{sentences_text(episode)}" == str(text_view(episode))


def test_the_map_is_rows_and_a_legend() -> None:
    assert map_text(begin(room("full"))).split("\n\n") == [
        "######\n#>ABG#\n#....#\n######",
        "# = wall\n. = floor\nG = goal\n> = you\nA = red key\nB = locked red door",
    ]


def test_there_is_a_sentence_a_line() -> None:
    assert sentences_text(begin(room("full"))).splitlines() == [
        "You are at column 1, row 1, facing right, and carry nothing.",
        "A red key: 1 ahead.",
        "A locked red door: 2 ahead.",
        "The goal: 3 ahead.",
    ]


# --- Coordinates -------------------------------------------------------------------------------------------------


def test_coordinates_are_one_line_of_json_without_spaces() -> None:
    assert coordinates_text(begin(room("full"))) == (
        '{"columns":6,"rows":4,"agent":{"at":[1,1],"facing":"right","carries":null},'
        '"things":[{"kind":"key","color":"red","at":[2,1]},'
        '{"kind":"door","color":"red","state":"locked","at":[3,1]},{"kind":"goal","at":[4,1]}],'
        '"walls":{"0":"0-5","1":"0,5","2":"0,5","3":"0-5"}}'
    )


@pytest.mark.parametrize("turns", range(4))
def test_agents_have_direction_words_and_carried_things(turns: int) -> None:
    agent = listed(room("full"), "P" + "R" * turns)["agent"]
    assert agent["facing"] == ("right", "down", "left", "up")[turns]
    assert agent["carries"] == {"kind": "key", "color": "red"}


def test_cells_out_of_view_are_seen_earlier_or_unseen() -> None:
    remembered = listed(room("fog_of_war"), "RR")
    assert {each["kind"]: each.get("seen") for each in remembered["things"]} == dict.fromkeys(
        ("key", "door", "goal"), "earlier"
    )
    forgotten = listed(room("view_cone"), "RR")
    assert forgotten["things"] == []
    assert forgotten["unseen"] == {"0": "2-5", "1": "2-5", "2": "2-5", "3": "2-5"}


def test_what_can_be_told_of_a_thing_is() -> None:
    goal = {"type": "push_block_to", "target_ids": ["b"], "target_positions": ["m"]}
    things = {"s": switch(color="green"), "xy": teleporter(bidirectional=False), "b": block(color="blue")}
    assert listed(draw("##########\n#@sxyb.mG#\n##########", goal=goal, **things))["things"] == [
        {"kind": "switch", "type": "toggle", "color": "green", "state": "switched-off", "at": [2, 1]},
        {"kind": "teleporter", "part": "entrance", "dots": 1, "at": [3, 1]},
        {"kind": "teleporter", "part": "exit", "dots": 1, "at": [4, 1]},
        {"kind": "block", "color": "blue", "dots": 1, "at": [5, 1]},
        {"kind": "target", "color": "blue", "dots": 1, "at": [7, 1]},
    ]


@given(tasks(), st.integers(0, 2**32 - 1), st.sampled_from(MODES))
def test_coordinates_tell_what_the_map_shows(task: TaskSpecification, seed: int, mode: str) -> None:
    task = with_rules(task, observability=mode)
    episode = begin(task)
    for action in actions_of(task, seed, 10):
        episode.step(action)
    told, rows = json.loads(coordinates_text(episode)), text_view(episode).rows
    assert cells_in(told["walls"]) == cells_of("#", rows)
    assert cells_in(told.get("unseen", {})) == cells_of("?", rows)
    x, y = told["agent"]["at"]
    assert rows[y][x] in "<>^v"
    assert (told["columns"], told["rows"]) == (len(rows[0]), len(rows))
    assert {tuple(each["at"]) for each in told["things"]} == things_of(episode)


def cells_in(ranges: dict[str, str]) -> set[tuple[int, int]]:
    """The cells that ranges of columns in rows mean."""
    found = set()
    for row, runs in ranges.items():
        for run in runs.split(","):
            match = re.fullmatch(r"(\d+)(?:-(\d+))?", run)
            assert match is not None
            first, last = match.groups()
            found |= {(x, int(row)) for x in range(int(first), int(last or first) + 1)}
    return found


def cells_of(character: str, rows: tuple[str, ...]) -> set[tuple[int, int]]:
    return {(x, y) for y, row in enumerate(rows) for x, each in enumerate(row) if each == character}


def things_of(episode: Episode) -> set[tuple[int, int]]:
    shown = (each for each in shown_cells(episode) if each.look is not None)
    return {tuple(each.position) for each in shown if each.look and (each.look.things or each.look.mark)}
