"""Drawings are read as a person would write them, and whatever is wrong is told by line and column."""

from __future__ import annotations

import re
from textwrap import dedent

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gridworld.ascii import DrawingError, draw_task, read_drawing
from gridworld.errors import Problem
from gridworld.plugins import get_registry
from gridworld.plugins.tilings import compile_on
from gridworld.suites import read_suite
from gridworld.task_spec import TaskSpecification
from gridworld.text import text_view
from gridworld.world import Episode
from support.thoroughness import bounded

BUNDLED = [task for suite in ("tiers", "validation_10") for task in read_suite(suite).tasks]
PLACE = re.compile(r"line (\d+), column \d+")


def read(text: str) -> TaskSpecification:
    return read_drawing(dedent(text), get_registry())


def problems(text: str) -> list[str]:
    """What is wrong with a drawing."""
    with pytest.raises(DrawingError) as caught:
        read(text)
    return [str(problem) for problem in caught.value.problems]


def room(row: str, *legend: str) -> str:
    """A drawing of one row between walls, its third line."""
    wall = "#" * len(row)
    return "\n".join(["task: room", wall, row, wall, "", *legend])


# --- What is understood ------------------------------------------------------------------------------------------


def test_a_map_is_enough() -> None:
    task = read("#####\n#>.G#\n#####")
    assert (task.task_id, task.maze.start, task.goal.type) == ("drawing", (1, 1), "reach_position")
    assert task.goal.target == task.maze.goal == (3, 1)


def test_words_that_say_what_is_usual_may_be_left_out() -> None:
    legend = ("A = a red key", "B = red door", "C = yellow switch -> D", "D = gate", "E = lava", "F = fixed grey block")
    task = read(room("#>A.B.C.D.E.F.G#", *legend)).mechanisms
    assert (task.doors[0].initial_state, task.doors[0].requires_key) == ("locked", "red")
    assert (task.switches[0].controls, task.switches[0].switch_type) == ((task.gates[0].id,), None)
    assert (task.hazards[0].hazard_type, task.blocks[0].pushable) == ("lava", False)


def test_a_switch_controls_all_things_of_a_character() -> None:
    task = read(room("#>.A.g.g.G#", "A = purple hold switch -> g", "g = closed gate")).mechanisms
    assert task.switches[0].controls == tuple(gate.id for gate in task.gates)
    assert len(task.gates) == 2


def test_ids_are_quoted_or_numbered() -> None:
    task = read(room("#>.k.k.d.G#", 'k = red key "first" "second"', "d = red door")).mechanisms
    assert [key.id for key in task.keys] == ["first", "second"]
    assert [door.id for door in task.doors] == ["door_1"]


def test_a_number_that_is_taken_is_passed_over() -> None:
    task = read(room("#>.a.b.d.G#", 'a = red key "key_1"', "b = red key", "d = red door")).mechanisms
    assert sorted(key.id for key in task.keys) == ["key_1", "key_2"]


def test_teleporter_ends_share_character_or_id() -> None:
    same = read(room("#>.t#t.G#", "t = teleporter")).mechanisms.teleporters
    named = read(room("#>.a#b.G#", 'a = teleporter exit "t"', 'b = teleporter entrance "t"')).mechanisms.teleporters
    dotted = read(room("#>.a#b.G#", "a = teleporter exit with one dot", "b = teleporter entrance with one dot"))
    assert [(each.position_a, each.position_b, each.bidirectional) for each in same] == [((3, 1), (5, 1), True)]
    assert [(each.position_a, each.position_b, each.bidirectional) for each in named] == [((5, 1), (3, 1), False)]
    assert [each.position_a for each in dotted.mechanisms.teleporters] == [(5, 1)]


def test_targets_name_blocks_by_colour_or_character() -> None:
    colored = read(room("#>.A.B.C.D.#", "A = red block", "B = blue block", "C = blue target", "D = red target"))
    referred = read(room("#>.A.B.C.D.#", "A = red block", "B = red block", "C = target of B", "D = target of A"))
    for task in (colored, referred):
        first, second = task.mechanisms.blocks
        assert dict(zip(task.goal.target_ids, task.goal.target_positions, strict=True)) == {
            first.id: (9, 1),
            second.id: (7, 1),
        }


def test_there_may_be_several_things_on_a_cell() -> None:
    task = read(room("#>.A.B.#", "A = red block and target of B", "B = blue block and target of A"))
    assert sorted(task.goal.target_positions) == [(3, 1), (5, 1)]


def test_a_thing_may_be_wanted_or_hidden() -> None:
    task = read(room("#>.A.B.#", "A = wanted red key", "B = hidden wanted blue key"))
    assert (task.goal.type, task.goal.target_ids) == ("collect_all", ("key_1", "key_2"))
    assert task.rules.hidden_mechanisms == ("key_2",)


def test_fields_without_words_are_set_in_braces() -> None:
    (gate,) = read(room("#>.A.G#", 'A = open gate {"color": "black"}')).mechanisms.gates
    assert (gate.color, gate.initial_state) == ("black", "open")


def test_any_field_of_a_task_file_can_be_set() -> None:
    lines = 'seed: 7\nrules.view_size: 5\nobservability: fog_of_war\ngoal: survive_steps\nmetadata: {"a": [1]}\n'
    task = read(lines + "####\n#>.#\n####")
    assert (task.seed, task.rules.view_size, task.rules.observability) == (7, 5, "fog_of_war")
    assert (task.goal.type, task.metadata) == ("survive_steps", {"a": [1]})


def test_comments_indentation_and_blanks_are_ignored() -> None:
    task = read("; a room\n\n    #####\n    #> G#\n    #####\n\n    ; the end\n")
    assert (task.maze.dimensions, task.maze.walls, task.goal.target) == ((5, 3), (), (3, 1))


@pytest.mark.parametrize(
    "task",
    [
        pytest.param(task, marks=pytest.mark.more if number % 4 else ())
        for number, task in enumerate(BUNDLED)
        if task.rules.observability == "full" and task.goal.type != "collect_all"
    ],
    ids=lambda task: task.task_id,
)
def test_the_text_view_is_read_as_far_as_it_goes(task: TaskSpecification) -> None:
    """It does not say what a switch controls, what is hidden, and what things are called."""
    episode = Episode(compile_on("square", task))
    episode.reset()
    shown = read(f"goal: {task.goal.type}\n{text_view(episode)}")
    assert shown.maze.wall_cells() >= task.maze.wall_cells()
    assert shown.maze.start == task.maze.start
    assert shown.goal.target == (task.goal.target or task.maze.goal if task.goal.type == "reach_position" else None)
    visible = {
        name: [spec for spec in specs if spec.id not in task.rules.hidden_mechanisms]
        for name, specs in task.mechanisms.groups()
    }
    counts = {name: len(specs) for name, specs in visible.items() if specs}
    assert {name: len(specs) for name, specs in shown.mechanisms.groups()} == counts


# --- What is wrong -----------------------------------------------------------------------------------------------

WRONG = {
    "nothing": ("", "line 1, column 1: there is no map"),
    "prose": ("#####\n#>.G#\n#####\n\nhello", "line 5, column 1: expected 'name: value'"),
    "a field": ("teir: 3\n#####\n#>.G#\n#####", "line 1, column 1: unknown field 'teir' (did you mean 'tier'?)"),
    "a value": ("tier: many\n#####\n#>.G#\n#####", "line 1, column 7: difficulty_tier: "),
    "JSON": ('metadata: {"a": }\n#####\n#>.G#\n#####', "line 1, column 17: broken JSON"),
    "twice": ("seed: 1\nseed: 2\n#####\n#>.G#\n#####", "line 2, column 1: 'seed' is set in line 1 already"),
    "a short row": ("#####\n#>.#\n#####", "line 2, column 5: a row of 4 cells, expected 5"),
    "a long row": ("#####\n#>..G#\n#####", "line 2, column 6: a row of 6 cells, expected 5"),
    "the border": ("#####\n#>.G.\n#####", "line 2, column 5: expected a wall '#'"),
    "two maps": ("#####\n#>.G#\n#####\n\n#####", "line 5, column 1: there is a map in line 1 already"),
    "no agent": ("#####\n#..G#\n#####", "line 1, column 1: the map does not show where the agent starts"),
    "two agents": ("#####\n#>>G#\n#####", "line 2, column 3: a second 'you'"),
    "an agent that faces elsewhere": ("#####\n#v.G#\n#####", "line 2, column 2: 'v' is not explained; agents start"),
    "no goal": ("#####\n#>..#\n#####", "line 1, column 1: there is no goal"),
    "two goals": ("#####\n#>GG#\n#####", "line 2, column 4: a second 'goal'"),
    "a character": (room("#>AG#"), "line 3, column 3: 'A' is not explained in the legend, as by 'A = red key'"),
    "an unseen cell": (room("#>?G#"), "line 3, column 3: '?' is an unseen cell"),
    "a word": (room("#>AG#", "A = red kee"), "line 6, column 5: unknown name 'red kee' (did you mean"),
    "no words": (room("#>AG#", "A = "), "line 6, column 1: expected"),
    "an explanation": (room("#>AG#", "A = lava", "A = pit"), "line 7, column 1: 'A' is explained in line 6"),
    "a reference": (room("#>AG#", "A = red switch -> x"), "line 6, column 19: nothing on the map is 'x'"),
    "a colour": (room("#>AG#", "A = orange key"), "line 6, column 5: mechanisms.keys[0].color"),
    "a key": (room("#>AG#", "A = red door"), "line 6, column 5: mechanisms.doors[0].requires_key: no key is red"),
    "ids": (room("#>AAG#", 'A = lava "x" "y" "z"'), "line 6, column 5: 3 ids for 2 things"),
    "an id": (room("#>AG#", 'A = lava "x'), "line 6, column 10: expected an id in quotation marks"),
    "braces": (room("#>AG#", "A = lava {x}"), "line 6, column 10: expected fields as JSON"),
    "a field of a thing": (room("#>AG#", 'A = lava {"x": 1}'), "line 6, column 5: mechanisms.hazards[0].x"),
    "half a teleporter": (room("#>AG#", "A = teleporter"), "line 3, column 3: on 1 cells, expected 2"),
    "a target": (room("#>A.#", "A = red target"), "line 6, column 5: expected one block like the target, but none is"),
    "a budget": ("budget: 0\n#####\n#>.G#\n#####", "line 1, column 9: max_steps: must be at least 1, got 0"),
    "two names": (room("#>ABG#", 'A = lava "x"', 'B = pit "x"'), "line 7, column 5: mechanisms.hazards[1].id"),
}


@pytest.mark.parametrize("what", WRONG)
def test_problems_have_line_column_and_expectation(what: str) -> None:
    text, message = WRONG[what]
    found = problems(text)
    assert any(problem.startswith(message) for problem in found), found


def test_all_problems_of_a_drawing_are_told_at_once() -> None:
    assert len(problems("teir: 1\nsed: 2\n#####\n#>.G#\n####")) == 3


def test_one_explanation_that_is_missing_is_told_once() -> None:
    assert len(problems(room("#>AAAAAG#"))) == 1


# --- Anything at all ---------------------------------------------------------------------------------------------

CHARACTERS = '#.,>GX?*AB vx\n\n\n=:;"{}->, and\t\u2028\ud800\x00é|5'
DRAWINGS = [draw_task(task, get_registry()) for task in BUNDLED]


def assert_read_or_refused(text: str) -> None:
    problems: tuple[Problem, ...] = ()
    try:
        read_drawing(text, get_registry())
    except DrawingError as error:
        problems = error.problems
    places = [PLACE.fullmatch(problem.path) for problem in problems]
    assert all(place is not None and int(place[1]) <= max(len(text.splitlines()), 1) for place in places)


@bounded(100)
@given(text=st.text(alphabet=st.sampled_from(CHARACTERS), max_size=200))
def test_any_text_is_read_or_refused_with_a_place(text: str) -> None:
    assert_read_or_refused(text)


@bounded(100)
@given(data=st.data())
def test_any_spoiled_drawing_is_read_or_refused_with_a_place(data: st.DataObject) -> None:
    text = data.draw(st.sampled_from(DRAWINGS))
    for _ in range(data.draw(st.integers(1, 4))):
        start = data.draw(st.integers(0, len(text)))
        end = data.draw(st.integers(start, min(len(text), start + data.draw(st.sampled_from((0, 1, 5, 200))))))
        text = text[:start] + data.draw(st.text(alphabet=st.sampled_from(CHARACTERS), max_size=4)) + text[end:]
    assert_read_or_refused(text)
