"""Older task files are read, with one warning for parts without effect."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gridworld.errors import TaskFileWarning, TaskFormatError
from gridworld.plugins import get_registry
from gridworld.task.reading import ReadTask, is_task, read_task
from gridworld.task_spec import TaskSpecification
from support.worlds import describe, door, gate, key, switch

Data = dict[str, Any]


@pytest.fixture
def older() -> Data:
    """A file of the earlier system's shape, with a colour on everything."""
    data = describe(
        """
        #########
        #@k.D...#
        #.s.#.g.#
        ####### #
        #.....G.#
        #########
        """.replace(" #\n", ".#\n"),
        k=key("red"),
        D=door("red"),
        s=switch("g", color="white"),
        g=gate(),
    )
    data["mechanisms"]["doors"][0]["color"] = "red"
    data["mechanisms"]["gates"][0]["color"] = "black"
    data["goal"]["auxiliary_conditions"] = []
    return data


def read(data: Any) -> ReadTask:
    return read_task(data, get_registry())


def without_colors(data: Data) -> Data:
    """The file in the current format."""
    plain: Data = json.loads(json.dumps(data))
    del plain["mechanisms"]["doors"][0]["color"], plain["goal"]["auxiliary_conditions"]
    return plain


def test_a_file_of_the_earlier_system_is_read(older: Data) -> None:
    task = read(older).task
    assert task == read(without_colors(older)).task
    assert task.mechanisms.gates[0].color == "black"
    assert task.mechanisms.switches[0].color == "white"
    assert task.validate() == (True, [])


def test_what_means_nothing_is_handed_over_by_its_place(older: Data) -> None:
    assert [change.path for change in read(older).warnings] == [
        "mechanisms.doors[0].color",
        "mechanisms.gates[0].color",
    ]


def test_a_file_in_todays_form_is_read_without_any_change() -> None:
    data = describe("#####\n#@.G#\n#####")
    assert read(data).changes == ()
    assert read(data).warning is None


@pytest.mark.parametrize(("color", "requires_key"), [("blue", "red"), ("red", None), (["red"], "red"), ("", "red")])
def test_a_doors_colour_that_differs_is_refused_with_all_else_that_is_wrong(
    older: Data, color: Any, requires_key: Any
) -> None:
    older["mechanisms"]["doors"][0].update(color=color, requires_key=requires_key)
    older["seed"] = "one"
    with pytest.raises(TaskFormatError) as refused:
        read(older)
    assert [problem.path for problem in refused.value.problems] == ["mechanisms.doors[0].color", "seed"]
    assert "differs from requires_key" in refused.value.problems[0].message


NOTES: dict[str, Callable[[Data], None]] = {
    "$schema": lambda data: data.update({"$schema": "task.schema.json"}),
    "_note": lambda data: data.update(_note={"by": "me"}),
    "x-rank": lambda data: data.update({"x-rank": 3}),
    "maze._note": lambda data: data["maze"].update(_note=1),
    "maze.start._note": lambda data: data["maze"].update(start={"x": 1, "y": 1, "_note": 1}),
    "rules.x-why": lambda data: data["rules"].update({"x-why": []}),
    "goal._note": lambda data: data["goal"].update(_note=None),
    "mechanisms._note": lambda data: data["mechanisms"].update(_note="all of them"),
    "mechanisms.keys[0].x-weight": lambda data: data["mechanisms"]["keys"][0].update({"x-weight": 2}),
}


@pytest.mark.parametrize("path", NOTES)
def test_notes_are_passed_over_anywhere(older: Data, path: str) -> None:
    plain = without_colors(older)
    del plain["mechanisms"]["gates"][0]["color"]
    noted = json.loads(json.dumps(plain))
    NOTES[path](noted)
    assert read(noted).task == read(plain).task
    assert [change.path for change in read(noted).warnings] == [path]


def test_there_is_one_warning_a_file(older: Data, tmp_path: Path) -> None:
    older |= {f"_{number}": number for number in range(20)}
    path = tmp_path / "older.json"
    path.write_text(json.dumps(older))
    for make in (lambda: TaskSpecification.from_dict(older), lambda: TaskSpecification.from_json(path)):
        with pytest.warns(TaskFileWarning) as told:
            make()
        (warning,) = told
        assert warning.filename == __file__
        assert "mechanisms.doors[0].color" in str(warning.message)
        assert "and 17 more" in str(warning.message)


def test_a_file_of_version_0_1_names_the_command_that_rewrites_it() -> None:
    data = describe("#####\n#@.G#\n#####") | {"version": "0.1"}
    del data["goal"], data["max_steps"]
    with pytest.raises(TaskFormatError) as caught:
        read(data)
    assert "'multinet tasks upgrade'" in str(caught.value.problems[0])


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        ({"maze": 3}, True),
        ({"TaskSpecification": {"maze": {}}}, True),
        ({"TaskSpecification": {}}, False),
        ({"task_id": "x"}, False),
        ([{"maze": {}}], False),
        (None, False),
    ],
)
def test_a_task_is_an_object_with_a_maze(data: Any, expected: bool) -> None:
    assert is_task(data) is expected
