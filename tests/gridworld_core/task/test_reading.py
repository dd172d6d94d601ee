"""Reading and writing of task files, and the problems of one that cannot be read."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gridworld.errors import Problem, TaskFormatError
from gridworld.task_spec import TaskSpecification
from support.task_files import put

Data = dict[str, Any]


def refused(data: Any) -> list[Problem]:
    """The problems for which the contents of a task file are refused."""
    with pytest.raises(TaskFormatError) as caught:
        TaskSpecification.from_dict(data)
    return list(caught.value.problems)


def refused_file(path: Path, content: str | bytes) -> TaskFormatError:
    """The error with which a task file of this content is refused."""
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    with pytest.raises(TaskFormatError) as caught:
        TaskSpecification.from_json(path)
    return caught.value


# --- Reading and writing ---------------------------------------------------------------------------------------


def test_reading_inverts_writing(full: Data, tmp_path: Path) -> None:
    task = TaskSpecification.from_dict(full)
    written = task.to_dict()
    assert written == full | {"maze": full["maze"] | {"floor": None}}
    assert TaskSpecification.from_dict(written) == task
    assert json.loads(json.dumps(written)) == written
    for path in (tmp_path / "task.json", str(tmp_path / "task.json")):
        task.to_json(path)
        assert TaskSpecification.from_json(path) == task


def test_unused_parts_are_not_written(plain: Data) -> None:
    written = TaskSpecification.from_dict(plain).to_dict()
    assert not {"mechanisms", "dependency_chain", "distractors", "metadata"} & set(written)


def test_a_file_with_a_byte_order_mark_is_read(plain: Data, tmp_path: Path) -> None:
    path = tmp_path / "task.json"
    path.write_text(json.dumps(plain), encoding="utf-8-sig")
    assert TaskSpecification.from_json(path) == TaskSpecification.from_dict(plain)


# --- The spellings of older files ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "change",
    [
        lambda full: full | {"maze": full["maze"] | {"floor": None}},
        lambda full: full | {"goal": full["goal"] | {"auxiliary_conditions": []}},
        lambda full: {"TaskSpecification": full},
        lambda full: full | {"maze": {"layout": full["maze"]}},
        lambda full: (
            full | {"maze": {"dimensions": full["maze"]["dimensions"], "layout": {**full["maze"], "dimensions": None}}}
        ),
        lambda full: full | {"goal": {"goal_type": "reach_position", "target": {"x": 7, "y": 3}}},
        lambda full: full | {"maze": full["maze"] | {"start": {"x": 1, "y": 1}, "goal": {"x": 7, "y": 3}}},
        lambda full: {
            "TaskSpecification": full
            | {
                "goal": {"goal_type": "reach_position", "target": {"x": 7, "y": 3}, "auxiliary_conditions": []},
                "maze": {"layout": full["maze"] | {"floor": None}},
            }
        },
    ],
    ids=["floor", "conditions", "wrapper", "layout", "part layout", "goal type", "named coordinates", "all together"],
)
def test_an_older_spelling_is_read_as_the_same_task(full: Data, change: Callable[[Data], Data]) -> None:
    assert TaskSpecification.from_dict(change(full)) == TaskSpecification.from_dict(full)


@pytest.mark.parametrize(
    ("change", "path"),
    [
        (
            lambda plain: plain | {"goal": {"type": "reach_position", "auxiliary_conditions": ["hold the key"]}},
            "goal.auxiliary_conditions",
        ),
        (lambda plain: {"TaskSpecification": plain, "seed": 1}, "TaskSpecification"),
        (lambda plain: plain | {"goal": {"type": "reach_position", "goal_type": "survive_steps"}}, "goal.goal_type"),
    ],
)
def test_an_older_spelling_with_a_contradiction_is_refused(
    plain: Data, change: Callable[[Data], Data], path: str
) -> None:
    assert path in [problem.path for problem in refused(change(plain))]


@pytest.mark.parametrize("part", ["mechanisms", "rules", "dependency_chain", "distractors", "metadata"])
def test_an_optional_part_may_be_null(plain: Data, part: str) -> None:
    expected = TaskSpecification.from_dict({name: value for name, value in plain.items() if name != part})
    assert TaskSpecification.from_dict(plain | {part: None}) == expected


# --- Files that are not JSON -----------------------------------------------------------------------------------


def test_broken_json_is_refused_with_line_and_column(tmp_path: Path) -> None:
    error = refused_file(tmp_path / "task.json", '{\n  "task_id": "a",\n  "seed": 1,,\n}')
    (problem,) = error.problems
    assert problem.path == "line 3, column 13"
    assert problem.message.startswith("broken JSON: ")


@pytest.mark.parametrize("content", ["", "   \n", "task_id: a", "{'task_id': 1}", '{"task_id": "a"} {}'])
def test_what_is_not_json_is_refused_with_line_and_column(tmp_path: Path, content: str) -> None:
    (problem,) = refused_file(tmp_path / "task.json", content).problems
    assert problem.path.startswith("line ")
    assert ", column " in problem.path


def test_text_that_is_not_utf_8_is_refused_with_the_byte(tmp_path: Path) -> None:
    (problem,) = refused_file(tmp_path / "task.json", b'{"task_id": "\xff"}').problems
    assert (problem.path, problem.message) == ("byte 13", "broken JSON: not UTF-8 text")


def test_json_nested_too_deeply_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "task.json"
    path.write_text("[" * 100_000 + "]" * 100_000)
    # In an interpreter of its own: where recursion runs out, tracing for coverage is switched off for good.
    program = f"from gridworld.task_spec import TaskSpecification; TaskSpecification.from_json({str(path)!r})"
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert "gridworld.errors.TaskFormatError" in ended.stderr.splitlines()[-1] + ended.stderr.splitlines()[-2]


def test_nan_and_huge_integers_are_refused(plain: Data, tmp_path: Path) -> None:
    assert refused_file(tmp_path / "task.json", json.dumps(plain | {"metadata": {"score": float("nan")}})).problems
    content = json.dumps(plain).replace('"seed": 1', '"seed": ' + "1" * 5000)
    (problem,) = refused_file(tmp_path / "task.json", content).problems
    assert problem.message.startswith("broken JSON: a number is too large")


def test_duplicate_json_keys_in_a_mechanism_are_refused(plain: Data, tmp_path: Path) -> None:
    plain["mechanisms"]["keys"] = [
        {"id": "k", "position": [2, 1], "color": "red"},
        {"id": "l", "position": [2, 1], "color": "SECOND"},
    ]
    content = json.dumps(plain).replace('"SECOND"', '"red", "color": "blue"')
    (problem,) = refused_file(tmp_path / "task.json", content).problems
    assert problem == Problem("mechanisms.keys[1].color", "appears twice in one object")


# --- Data that is not a task -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("data", "shown"),
    [
        ([], "[] (list)"),
        (None, "null (NoneType)"),
        ("task", '"task" (str)'),
        (3, "3 (int)"),
        (True, "true (bool)"),
    ],
)
def test_what_is_not_an_object_is_refused(data: Any, shown: str) -> None:
    assert refused(data) == [Problem("", f"expected an object, got {shown}")]


@pytest.mark.parametrize(
    "path",
    [
        *("task_id", "seed", "difficulty_tier", "maze", "goal", "max_steps"),
        *("maze.dimensions", "maze.start", "maze.goal", "goal.type"),
        *(f"mechanisms.keys[0].{field}" for field in ("id", "position", "color")),
        *(f"mechanisms.doors[0].{field}" for field in ("id", "position")),
        *(f"mechanisms.{kind}[0].position" for kind in ("switches", "gates", "blocks")),
        *(f"mechanisms.teleporters[0].position_{end}" for end in "ab"),
        *("mechanisms.hazards[0].id", "dependency_chain.sequence[0].unlocks", "distractors[0].element_id"),
    ],
)
def test_a_missing_field_is_reported(full: Data, path: str) -> None:
    put(full, path)
    assert refused(full) == [Problem(path, "this field is required")]


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        ("task_id", 7, "expected a string, got 7 (int)"),
        ("seed", "1", 'expected an integer, got "1" (str)'),
        ("seed", 1.0, "expected an integer, got 1.0 (float)"),
        ("seed", True, "expected an integer, got true (bool)"),
        ("max_steps", None, "expected an integer, got null (NoneType)"),
        ("description", None, "expected a string, got null (NoneType)"),
        ("mechanisms.keys", {}, "expected a list, got {} (dict)"),
        ("mechanisms.keys", "red", 'expected a list, got "red" (str)'),
        ("mechanisms.keys[0]", "red", 'expected an object, got "red" (str)'),
        ("mechanisms.blocks[0].pushable", 1, "expected true or false, got 1 (int)"),
        ("mechanisms.switches[0].controls", "g", 'expected a list, got "g" (str)'),
        ("maze.dimensions", [9], "expected [width, height], two integers, got [9] (list)"),
        ("maze.dimensions", [9, 5.0], "expected [width, height], two integers, got [9, 5.0] (list)"),
        ("maze.start", [1, 2, 3], "expected a position [x, y] of two integers, got [1, 2, 3] (list)"),
        ("maze.start", {"x": 1}, 'expected a position [x, y] of two integers, got {"x": 1} (dict)'),
        ("maze.walls[1]", ["1", 2], 'expected a position [x, y] of two integers, got ["1", 2] (list)'),
        ("goal.target", [True, 1], "expected a position [x, y] of two integers, got [true, 1] (list)"),
        ("rules.view_size", 7.0, "expected an integer, got 7.0 (float)"),
        ("metadata", [], "expected an object, got [] (list)"),
    ],
)
def test_a_wrong_type_is_reported(full: Data, path: str, value: Any, message: str) -> None:
    put(full, path, value)
    assert refused(full) == [Problem(path, message)]


@pytest.mark.parametrize(
    ("path", "nearest"),
    [
        ("max_step", "max_steps"),
        ("maze.dimension", "dimensions"),
        ("goal.targets", "target"),
        ("rules.keyconsumption", "key_consumption"),
        ("mechanisms.keys[0].colour", "color"),
        ("mechanisms.doors[0].require_key", "requires_key"),
        ("mechanisms.switches[0].control", "controls"),
        ("mechanisms.teleporters[0].bi_directional", "bidirectional"),
        ("dependency_chain.sequences", "sequence"),
        ("dependency_chain.sequence[0].unlock", "unlocks"),
        ("distractors[0].element", "element_id"),
    ],
)
def test_an_unknown_field_is_reported_with_the_nearest_one(full: Data, path: str, nearest: str) -> None:
    put(full, path, 1)
    (problem,) = refused(full)
    assert problem.path == path
    assert problem.message.startswith(f"unknown field (did you mean '{nearest}'?); known: ")
    assert nearest in problem.message.split("known: ")[1].split(", ")


def test_a_field_name_must_be_a_string(plain: Data) -> None:
    assert len(refused(plain | {3: "three"})) == 1


def test_an_unknown_mechanism_type_is_reported_with_the_nearest_one(plain: Data) -> None:
    plain["mechanisms"] = {"door": []}
    (problem,) = refused(plain)
    assert problem.path == "mechanisms.door"
    assert problem.message.startswith("unknown mechanism 'door' (did you mean 'doors'?); installed: blocks, doors,")


ANY = ", or another CSS colour"


@pytest.mark.parametrize(
    ("kind", "field", "others"),
    [("keys", "color", ""), ("doors", "requires_key", ""), ("switches", "color", ANY), ("blocks", "color", ANY)],
)
def test_an_unknown_colour_is_reported_with_the_nearest_one(full: Data, kind: str, field: str, others: str) -> None:
    full["mechanisms"][kind][0][field] = "gren"
    assert refused(full) == [
        Problem(
            f"mechanisms.{kind}[0].{field}",
            "unknown colour 'gren' (did you mean 'green'?); "
            f"expected one of red, green, blue, purple, yellow, grey{others}",
        )
    ]


@pytest.mark.parametrize(
    ("path", "value", "nearest", "choices"),
    [
        ("mechanisms.doors[0].initial_state", "lock", "locked", "locked, closed, open"),
        ("mechanisms.switches[0].initial_state", "of", "off", "off, on"),
        ("mechanisms.switches[0].switch_type", "oneshot", "one_shot", "toggle, hold, one_shot"),
        ("mechanisms.gates[0].initial_state", "opened", "open", "closed, open"),
        ("mechanisms.hazards[0].hazard_type", "spikes", "spike", "lava, pit, spike"),
        ("rules.switch_type", "toggles", "toggle", "toggle, hold, one_shot"),
        ("rules.observability", "fog_war", "fog_of_war", "full, view_cone, fog_of_war"),
    ],
)
def test_an_unknown_word_is_reported_with_the_nearest_one(
    full: Data, path: str, value: str, nearest: str, choices: str
) -> None:
    put(full, path, value)
    (problem,) = refused(full)
    assert problem.path == path
    assert f"'{value}' is unknown (did you mean '{nearest}'?); expected one of {choices}" in problem.message


def test_all_problems_are_reported_together(full: Data) -> None:
    broken = {
        "seed": "one",
        "max_step": 3,
        "maze.start": [1],
        "mechanisms.keys[0].color": "pink",
        "mechanisms.doors[0].initial_state": "ajar",
        "mechanisms.ladders": [],
        "rules.view_size": None,
        "goal.aim": 1,
        "dependency_chain.sequence[0].step": "first",
        "distractors[0].element_id": None,
    }
    for path, value in broken.items():
        put(full, path, value)
    del full["task_id"]
    assert {problem.path for problem in refused(full)} == {*broken, "task_id"}


def test_an_error_lists_each_problem_on_its_own_line(plain: Data) -> None:
    del plain["seed"]
    plain["max_steps"] = "ten"
    with pytest.raises(TaskFormatError) as caught:
        TaskSpecification.from_dict(plain)
    assert str(caught.value).splitlines() == [
        "task specification is not a task specification:",
        "  seed: this field is required",
        '  max_steps: expected an integer, got "ten" (str)',
    ]
