"""``multinet tasks upgrade`` rewrites older files, says what it changed, and leaves all others alone."""

import json
from pathlib import Path
from typing import Any

import pytest

from gridworld.task_spec import TaskSpecification
from support.commands import run
from support.worlds import describe, door, gate, key, switch

Data = dict[str, Any]


def older() -> Data:
    data = describe("########\n#@ksDgG#\n########", k=key(), s=switch("g"), D=door("red"), g=gate())
    data["mechanisms"]["doors"][0]["color"] = "red"
    data["mechanisms"]["gates"][0]["color"] = "black"
    return data


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """An older task, one in today's form, one that cannot be upgraded, and a file that is no task."""
    place = tmp_path / "in"
    (place / "sub").mkdir(parents=True)
    generated = {name: value for name, value in older().items() if name not in ("goal", "max_steps", "rules")}
    (place / "sub" / "old.json").write_text(json.dumps(generated | {"version": "0.1", "validation": [1]}))
    (place / "new.json").write_text(json.dumps(describe("#####\n#@.G#\n#####")))
    (place / "wrong.json").write_text(json.dumps(older() | {"seed": "one"}))
    (place / "notes.json").write_text("{}")
    return place


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def test_older_files_are_rewritten_in_place_and_others_left_alone(folder: Path) -> None:
    before = contents(folder)
    finished = run("multinet", "tasks", "upgrade", folder)
    assert finished.returncode == 1
    after = contents(folder)
    assert {name for name, content in after.items() if content != before[name]} == {"sub/old.json"}
    task = TaskSpecification.from_json(folder / "sub" / "old.json")
    assert task.max_steps == 100
    assert task.metadata["legacy"] == {"mechanisms.gates[0].color": "black", "validation": [1]}


def test_it_says_what_it_did_with_each_file(folder: Path) -> None:
    finished = run("multinet", "tasks", "upgrade", folder)
    lines = [line.split() for line in finished.stdout.splitlines()]
    assert ["unchanged", "new.json"] in lines
    assert ["upgraded", "sub/old.json"] in lines
    assert ["BAD", "wrong.json"] in lines
    for place in ("mechanisms.doors[0].color", "mechanisms.gates[0].color", "goal", "max_steps", "version", "seed"):
        assert any(line[0] == f"{place}:" for line in lines), place
    assert "notes.json" not in finished.stdout
    assert finished.stdout.splitlines()[-1] == "1 of 3 tasks upgraded, 1 unchanged"


def test_what_is_upgraded_is_good_even_strictly(folder: Path) -> None:
    strict = ("tasks", "validate", "--strict", folder / "sub")
    (folder / "sub" / "old.json").write_text(json.dumps(older()))
    before = run("multinet", *strict)
    run("multinet", "tasks", "upgrade", folder / "sub")
    after = run("multinet", *strict)
    assert (before.returncode, after.returncode) == (1, 0)
    assert "error: mechanisms.doors[0].color" in before.stdout


def test_validate_lists_warnings(folder: Path) -> None:
    (folder / "sub" / "old.json").write_text(json.dumps(older()))
    finished = run("multinet", "tasks", "validate", folder / "sub", "--json")
    (result,) = json.loads(finished.stdout)
    assert (finished.returncode, result["ok"]) == (0, True)
    assert [(each["severity"], each["path"]) for each in result["findings"]] == [
        ("warning", "mechanisms.doors[0].color"),
        ("warning", "mechanisms.gates[0].color"),
    ]


def test_json_tells_the_same(folder: Path) -> None:
    finished = run("multinet", "tasks", "upgrade", folder, "--json")
    told = {each["file"]: (len(each["changes"]), len(each["problems"])) for each in json.loads(finished.stdout)}
    assert told == {"new.json": (0, 0), "sub/old.json": (6, 0), "wrong.json": (0, 1)}


def test_a_file_that_is_named_has_to_be_a_task(folder: Path) -> None:
    finished = run("multinet", "tasks", "upgrade", folder / "notes.json")
    assert finished.returncode == 1
    assert "maze: this field is required" in finished.stdout
