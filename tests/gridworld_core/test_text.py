"""The text view: a map with its legend, and a sentence for everything that is shown."""

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gridworld.task.colors import COLOR_NAMES
from gridworld.task_spec import TaskSpecification
from gridworld.text import TextView, text_view
from gridworld.world import Episode
from gridworld.world.square import DIRECTIONS
from support.twins import actions_of, with_rules
from support.worlds import (
    Thing,
    begin,
    block,
    corridor,
    describe,
    door,
    draw,
    gate,
    hazard,
    key,
    look,
    play,
    switch,
    tasks,
    teleporter,
)

WAIT = {"type": "survive_steps"}
FIXED = {"#": "wall", ".": "floor", ",": "floor, seen earlier", "?": "unseen", "G": "goal", "X": "target"}
ARROWS = ">v<^"
seeds = st.integers(0, 2**32 - 1)


def view(task: TaskSpecification, letters: str = "") -> TextView:
    """The text view after some actions."""
    episode = begin(task)
    play(episode, letters)
    return text_view(episode)


def views(task: TaskSpecification, seed: int, length: int = 40) -> Any:
    """(episode, view) after each of some random actions."""
    episode = begin(task)
    for action in actions_of(task, seed, length):
        episode.step(action)
        yield episode, text_view(episode)


def sentences(task: TaskSpecification, letters: str = "") -> tuple[str, ...]:
    """Sentences about everything except the agent."""
    return view(task, letters).sentences[1:]


# --- The whole ---------------------------------------------------------------------------------------------------

ROOM = """
    ######
    #@kDG#
    #....#
    ######
"""


def test_text_is_map_legend_and_sentences() -> None:
    task = draw(ROOM, k=key("red"), D=door("red"), rules={"observability": "fog_of_war", "view_size": 5})
    assert str(view(task)).splitlines() == [
        "?#####",
        "?>ABG#",
        "?....#",
        "?#####",
        "",
        "# = wall",
        ". = floor",
        "? = unseen",
        "G = goal",
        "> = you",
        "A = red key",
        "B = locked red door",
        "",
        "You are at column 1, row 1, facing right, and carry nothing.",
        "A red key: 1 ahead.",
        "A locked red door: 2 ahead.",
        "The goal: 3 ahead.",
    ]


def test_what_is_remembered_is_told_as_last_seen() -> None:
    task = draw(ROOM, k=key("red"), D=door("red"), rules={"observability": "fog_of_war", "view_size": 5})
    shown = view(task, "RR")
    assert shown.rows == ("######", "#<ABG#", "#.,,,#", "######")
    assert shown.sentences[1:] == (
        "A red key: 1 behind (as last seen).",
        "A locked red door: 2 behind (as last seen).",
        "The goal: 3 behind (as last seen).",
    )


# --- The map -----------------------------------------------------------------------------------------------------


@given(tasks(max_side=10), seeds)
def test_maps_show_exactly_the_known_cells_and_one_agent(task: TaskSpecification, seed: int) -> None:
    width, height = task.maze.dimensions
    for episode, shown in views(task, seed):
        state, rows = look(episode), shown.rows
        assert [len(row) for row in rows] == [width] * height
        x, y = state.agent_position
        assert rows[y][x] == ARROWS[state.agent_direction]
        assert sum(row.count(arrow) for row in rows for arrow in ARROWS) == 1
        drawn = state.explored_cells if task.rules.observability == "fog_of_war" else state.visible_cells
        assert {(x, y) for y, row in enumerate(rows) for x, each in enumerate(row) if each != "?"} == drawn


@given(tasks(max_side=10), seeds)
def test_floor_seen_earlier_differs_from_floor_in_view(task: TaskSpecification, seed: int) -> None:
    for episode, shown in views(with_rules(task, observability="fog_of_war"), seed):
        for y, row in enumerate(shown.rows):
            for x, each in enumerate(row):
                assert each not in ".," or (each == ".") == ((x, y) in look(episode).visible_cells)


BLUE = block(color="blue")
PUSH = {"type": "push_block_to", "target_ids": ["b", "c"], "target_positions": ["t", "u"]}
ONE_WAY = teleporter(bidirectional=False)
HOLD = {"switch_type": "hold"}


@pytest.mark.parametrize(
    ("task", "told"),
    [
        (
            corridor("@b.tc.udG", goal=PUSH, b=BLUE, c=BLUE, d=BLUE),
            """A blue block with one dot: 1 ahead.
            The blue target with one dot: 3 ahead.
            A blue block with two dots: 4 ahead.
            The blue target with two dots: 6 ahead.
            A blue block: 7 ahead.""",
        ),
        (
            corridor(
                "@.stuG",
                goal=WAIT,
                rules=HOLD,
                s=switch(switch_type="hold", initial_state="on"),
                t=switch(switch_type="one_shot"),
                u=switch(),
            ),
            """A switched-off yellow hold switch: 2 ahead.
            A switched-off yellow one-shot switch: 3 ahead.
            A switched-off yellow hold switch: 4 ahead.""",
        ),
        (
            corridor("@.adbcG", goal=WAIT, ab=ONE_WAY, cd=ONE_WAY),
            """A teleporter entrance with one dot: 2 ahead.
            A teleporter exit with two dots: 3 ahead.
            A teleporter exit with one dot: 4 ahead.
            A teleporter entrance with two dots: 5 ahead.""",
        ),
        (
            corridor("@.a.bG", ab=teleporter(), goal=WAIT),
            """A teleporter with one dot: 2 ahead.
            A teleporter with one dot: 4 ahead.""",
        ),
    ],
    ids=["blocks and targets", "types of switches", "one-way teleporters", "teleporters"],
)
def test_sentences_tell_kinds_and_dots(task: TaskSpecification, told: str) -> None:
    assert sentences(task) == tuple(map(str.strip, told.splitlines()))


def test_teleporters_are_counted_as_they_come_into_view() -> None:
    """So that a number tells nothing of those that have not been seen."""
    behind = "#########\n#ab@..cd#\n#......G#\n#########"
    task = draw(behind, ab=teleporter(), cd=teleporter(), rules={"observability": "fog_of_war"}, goal=WAIT)
    assert "A teleporter with one dot: 3 ahead." in sentences(task)
    assert "A teleporter with two dots: 2 ahead." in sentences(task, "LL")
    alone = draw(behind.replace("ab", ".."), cd=teleporter(), rules={"observability": "fog_of_war"}, goal=WAIT)
    assert sentences(alone) == sentences(task)


def test_hidden_mechanisms_are_absent_until_discovered() -> None:
    rules = {"hidden_mechanisms": ["k", "s"]}
    task = corridor("@.s.kG", k=key(), s=switch(), goal=WAIT, rules=rules)
    assert view(task).rows[1] == "#>...#.#"
    assert sentences(task) == ()
    found = view(task, "FF")
    assert found.rows[1] == "#..>.#.#"
    assert found.sentences[1:] == ("A switched-off yellow toggle switch: under you.",)


# --- The legend --------------------------------------------------------------------------------------------------


@given(tasks(max_side=10), seeds)
def test_legends_explain_each_character_of_the_map_once(task: TaskSpecification, seed: int) -> None:
    for _, shown in views(task, seed):
        assert set(shown.legend) == set("".join(shown.rows))
        assert len(set(shown.legend.values())) == len(shown.legend)
        fixed = {each: meaning for each, meaning in shown.legend.items() if each in FIXED or each in ARROWS}
        assert all(meaning == FIXED.get(each, "you") for each, meaning in fixed.items())


def sights() -> list[Thing]:
    """Things of 48 descriptions."""
    return [
        *(key(color) for color in COLOR_NAMES),
        *(door(color, state) for color in COLOR_NAMES for state in ("locked", "closed", "open")),
        *(switch(color=color, initial_state=state) for color in COLOR_NAMES for state in ("on", "off")),
        *(block(color=color, pushable=pushable) for color in COLOR_NAMES for pushable in (True, False)),
    ]


def museum(things: list[Thing]) -> TaskSpecification:
    """A task with these things in a row."""
    row = "@" + "." * len(things) + "G"
    edge = "#" * (len(row) + 2)
    data = describe(f"{edge}\n#{row}#\n{edge}")
    for index, thing in enumerate(things):
        entry = {"id": f"thing-{index}", "position": [index + 2, 1], **thing.fields}
        data["mechanisms"].setdefault(thing.kind, []).append(entry)
    return TaskSpecification.from_dict(data)


def test_up_to_34_descriptions_have_a_label_each() -> None:
    shown = view(museum(sights()[:34]))
    labels = shown.rows[1][2:36]
    assert len(set(labels)) == 34
    assert not set(labels) & set(FIXED)
    told = [sentence.split(": ")[0] for sentence in shown.sentences[1:35]]
    assert [f"A {shown.legend[label]}".replace("A o", "An o") for label in labels] == told


def test_legend_is_right_with_more_names_than_labels() -> None:
    shown = view(museum(sights()))
    told = [sentence.split(": ")[0].split(" ", 1)[1] for sentence in shown.sentences[1:49]]
    assert set(shown.rows[1]) <= set(shown.legend)
    assert len(set(told)) == 48
    for label, name in zip(shown.rows[1][2:50], told, strict=True):
        alone = shown.legend[label] in told
        assert not alone or shown.legend[label] == name


# --- The sentences -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("letters", "sentence"),
    [
        ("", "You are at column 1, row 1, facing right, and carry nothing."),
        ("R", "You are at column 1, row 1, facing down, and carry nothing."),
        ("RR", "You are at column 1, row 1, facing left, and carry nothing."),
        ("L", "You are at column 1, row 1, facing up, and carry nothing."),
        ("RF", "You are at column 1, row 2, facing down, and carry nothing."),
        ("P", "You are at column 1, row 1, facing right, and carry a red key."),
    ],
)
def test_first_sentence_is_about_the_agent(letters: str, sentence: str) -> None:
    assert view(draw(ROOM, k=key("red"), D=door("red")), letters).sentences[0] == sentence


@pytest.mark.parametrize(
    ("thing", "name"),
    [
        (key("blue"), "A blue key"),
        (door("green", "closed"), "A closed green door"),
        (door(None, "open"), "An open grey door"),
        (switch(color="purple"), "A switched-off purple toggle switch"),
        (switch(initial_state="on"), "A switched-on yellow toggle switch"),
        (gate(), "A closed gate"),
        (gate("open"), "An open gate"),
        (block(color="red"), "A red block"),
        (block(pushable=False), "A fixed grey block"),
        (hazard("lava"), "A lava hazard"),
        (hazard("pit"), "A pit hazard"),
        (hazard("spike"), "A spike hazard"),
    ],
    ids=lambda each: each if isinstance(each, str) else each.kind,
)
def test_every_thing_is_told_with_its_colour_and_state(thing: Thing, name: str) -> None:
    assert f"{name}: 2 ahead." in sentences(corridor("@.x.G", x=thing))


SENTENCE = re.compile(r"(?:An?|The) (?P<name>.+): (?P<place>.+?)(?P<earlier> \(as last seen\))?\.")
STEP = re.compile(r"(\d+) (ahead|behind|to the right|to the left)")


def place_told(episode: Episode, place: str) -> tuple[int, int]:
    """The lattice cell that a relative place speaks of."""
    state = look(episode)
    x, y = state.agent_position
    if place == "under you":
        return x, y
    headings = {"ahead": 0, "to the right": 1, "behind": 2, "to the left": 3}
    steps = STEP.findall(place)
    assert ", ".join(f"{count} {way}" for count, way in steps) == place
    for count, way in steps:
        dx, dy = DIRECTIONS[(state.agent_direction + headings[way]) % 4]
        x, y = x + int(count) * dx, y + int(count) * dy
    return x, y


@given(tasks(max_side=10), seeds)
def test_sentences_agree_with_the_map(task: TaskSpecification, seed: int) -> None:
    for episode, shown in views(task, seed):
        topmost: dict[tuple[int, int], str] = {}
        for sentence in shown.sentences[1:]:
            told = SENTENCE.fullmatch(sentence)
            assert told
            x, y = place_told(episode, told["place"])
            topmost[x, y] = told["name"]
            assert bool(told["earlier"]) == ((x, y) not in look(episode).visible_cells)
        topmost.pop(look(episode).agent_position, None)
        things = {
            (x, y): shown.legend[each]
            for y, row in enumerate(shown.rows)
            for x, each in enumerate(row)
            if each not in "#.,?" + ARROWS
        }
        assert topmost == things


@given(tasks(max_side=10), seeds)
def test_sentences_stand_in_reading_order(task: TaskSpecification, seed: int) -> None:
    for episode, shown in views(task, seed):
        places = [
            place_told(episode, found["place"]) for found in map(SENTENCE.fullmatch, shown.sentences[1:]) if found
        ]
        assert places == sorted(places, key=lambda place: (place[1], place[0]))


@given(tasks(max_side=10), seeds)
def test_text_has_every_discovered_entity_in_full_view(task: TaskSpecification, seed: int) -> None:
    task = with_rules(task, observability="full", hidden_mechanisms=())
    for episode, shown in views(task, seed):
        world, state = episode.world, episode.state
        cells = [(each, cell) for each in world.entities for cell in world.cells_of(state, each)]
        told = [found for found in map(SENTENCE.fullmatch, shown.sentences[1:]) if found]
        names = [found["name"] for found in told if found["name"] != "goal" and " target" not in found["name"]]
        assert len(names) == len(cells)
        assert all(any(each.type.describe(each.spec) in name for name in names) for each, _ in cells)
