"""``multinet tasks upgrade`` rewrites older files, says what it changed, and leaves all others alone."""

import json
import stat
from pathlib import Path
from typing import Any

import pytest

from gridworld.task_spec import TaskSpecification
from support.commands import invoke
from support.programs import Finished, assert_refused, run
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


def test_a_folder_is_written_anew_and_the_old_one_left_as_it_is(folder: Path, tmp_path: Path) -> None:
    before = contents(folder)
    finished = run("multinet", "tasks", "upgrade", folder, "-o", tmp_path / "out")
    assert finished.returncode == 1
    assert contents(folder) == before
    after = contents(tmp_path / "out")
    assert set(after) == {"new.json", "sub/old.json"}
    assert after["new.json"] == before["new.json"]
    task = TaskSpecification.from_json(tmp_path / "out" / "sub" / "old.json")
    assert task.max_steps == 100
    assert task.metadata["legacy"] == {"mechanisms.gates[0].color": "black", "validation": [1]}


def test_one_file_is_written_to_a_file_or_a_folder(folder: Path, tmp_path: Path) -> None:
    old = folder / "sub" / "old.json"
    for _ in ("new", "written anew"):
        assert run("multinet", "tasks", "upgrade", old, "-o", tmp_path / "better.json").returncode == 0
    run("multinet", "tasks", "upgrade", old, "-o", tmp_path / "out")
    (tmp_path / "folder.json").mkdir()
    run("multinet", "tasks", "upgrade", old, "-o", tmp_path / "folder.json")
    task = TaskSpecification.from_json(tmp_path / "better.json")
    assert task == TaskSpecification.from_json(tmp_path / "out" / "old.json")
    assert task == TaskSpecification.from_json(tmp_path / "folder.json" / "old.json")


def test_it_says_what_it_did_with_each_file_and_where(folder: Path, tmp_path: Path) -> None:
    finished = run("multinet", "tasks", "upgrade", folder, "-o", tmp_path / "out")
    lines = [line.split() for line in finished.stdout.splitlines()]
    assert ["unchanged", "new.json,", "written", "to", str(tmp_path / "out" / "new.json")] in lines
    assert ["upgraded", "sub/old.json,", "written", "to", str(tmp_path / "out" / "sub" / "old.json")] in lines
    assert ["BAD", "wrong.json"] in lines
    for place in ("mechanisms.doors[0].color", "mechanisms.gates[0].color", "goal", "max_steps", "version", "seed"):
        assert any(line[0] == f"{place}:" for line in lines), place
    assert "notes.json" not in finished.stdout
    assert finished.stdout.splitlines()[-1] == "1 of 3 tasks upgraded, 1 unchanged"


def test_what_it_replaces_is_told(folder: Path, tmp_path: Path) -> None:
    """In place and over another file; --json has it in words of its own."""
    old, other = folder / "sub" / "old.json", tmp_path / "other.json"
    other.write_text("mine")
    over = invoke(["tasks", "upgrade", old, "-o", other]).stdout.splitlines()
    assert over[0] == f"upgraded   {old}, written over {other}"
    assert over[-1] == "1 of 1 task upgraded, 0 unchanged"
    in_place = invoke(["tasks", "upgrade", old]).stdout.splitlines()
    assert in_place[0] == f"upgraded   {old}, in place"
    assert in_place[-1].endswith("; rewritten in place: to keep the older files, use -o")
    assert invoke(["tasks", "upgrade", old]).stdout.splitlines()[0] == f"unchanged  {old}"
    (told,) = json.loads(invoke(["tasks", "upgrade", old, "-o", other, "--json"]).stdout)
    assert (told["target"], told["written"]) == (str(other), "over another")


def test_in_place_a_second_time_changes_nothing(folder: Path) -> None:
    (folder / "wrong.json").unlink()
    first = run("multinet", "tasks", "upgrade", folder)
    after = contents(folder)
    second = run("multinet", "tasks", "upgrade", folder)
    assert (first.returncode, second.returncode) == (0, 0)
    assert contents(folder) == after
    assert second.stdout.splitlines()[-1] == "0 of 2 tasks upgraded, 2 unchanged"


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


def test_json_tells_the_same(folder: Path, tmp_path: Path) -> None:
    finished = run("multinet", "tasks", "upgrade", folder, "-o", tmp_path / "out", "--json")
    told = {each["file"]: (len(each["changes"]), len(each["problems"])) for each in json.loads(finished.stdout)}
    assert told == {"new.json": (0, 0), "sub/old.json": (6, 0), "wrong.json": (0, 1)}


def test_a_file_that_is_named_has_to_be_a_task(folder: Path) -> None:
    finished = run("multinet", "tasks", "upgrade", folder / "notes.json")
    assert finished.returncode == 1
    assert "maze: this field is required" in finished.stdout


def refused(*arguments: str | Path) -> Finished:
    return run("multinet", "tasks", "upgrade", *arguments)


def test_wrong_calls_are_refused_before_anything_is_written(folder: Path, tmp_path: Path) -> None:
    before = contents(tmp_path)
    assert_refused(refused(tmp_path / "nowhere"), "nowhere: no such file or folder")
    assert_refused(refused(folder, "-o", folder / "new.json"), "--output:", "is a file, expected a folder")
    lost = tmp_path / "none" / "new.json"
    assert_refused(refused(folder / "new.json", "-o", lost), "--output:", f"{lost.parent} does not exist")
    twice = (folder / "sub" / "old.json", folder, "-o", folder / "sub")
    (folder / "old.json").write_text("{}")
    assert_refused(refused(*twice), "--output:", "would both be written to")
    (folder / "old.json").unlink()
    assert contents(tmp_path) == before


def test_a_folder_that_cannot_be_written_is_named(folder: Path, tmp_path: Path) -> None:
    blocked = tmp_path / "out"
    blocked.mkdir()
    (blocked / "sub").write_text("a file where a folder should be")
    blocked.chmod(stat.S_IRWXU)
    finished = run("multinet", "tasks", "upgrade", folder, "-o", blocked)
    assert finished.returncode == 1
    assert f"cannot write {blocked / 'sub' / 'old.json'}" in finished.stderr
