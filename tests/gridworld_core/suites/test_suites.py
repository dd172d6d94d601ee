"""Tasks of suites, and folders that are refused."""

from pathlib import Path
from typing import Any

import pytest

from gridworld.errors import ArgumentError, TaskFileWarning
from gridworld.hookspecs import BenchmarkInfo
from gridworld.suites import SuiteError, find_tasks, load_benchmark, load_folder, of_tiers, read_folder
from support.runs import task_ids, write_corridor, write_task
from support.worlds import describe


def problems_of(folder: Path) -> list[str]:
    """The problems of a refused folder, a line each."""
    with pytest.raises(SuiteError) as caught:
        load_folder(folder)
    headline, *problems = str(caught.value).splitlines()
    assert headline == f"{folder} is not a usable suite of tasks:"
    assert len(problems) == len(caught.value.problems)
    return [problem.strip() for problem in problems]


def test_tasks_are_ordered_by_path(tmp_path: Path) -> None:
    for task_id, file in (("1", "z.json"), ("2", "b/y.json"), ("3", "b/c/x.json"), ("4", "a.json")):
        write_corridor(tmp_path, task_id, file=file)

    assert task_ids(load_folder(tmp_path)) == ["4", "3", "2", "1"]


def test_json_files_without_a_maze_are_ignored(tmp_path: Path) -> None:
    write_corridor(tmp_path, "task")
    for name, content in (("list", "[]"), ("notes", '{"task_id": "x", "seed": 1, "seed": 2}'), ("null", "null")):
        (tmp_path / f"{name}.json").write_text(content)

    assert task_ids(load_folder(tmp_path)) == ["task"]


def test_a_folder_of_invalid_files_is_refused(tmp_path: Path) -> None:
    (tmp_path / "broken.json").write_text("{")
    with pytest.raises(SuiteError, match=r"broken\.json: line 1"):
        read_folder(tmp_path)


def test_each_file_in_an_older_format_gives_one_warning(tmp_path: Path) -> None:
    write_corridor(tmp_path, "new")
    write_task(tmp_path, describe("#####\n#@.G#\n#####") | {"_note": 1, "x-note": 2}, "old.json")

    assert [message.partition(":")[0] for message in read_folder(tmp_path).warnings] == ["old.json"]
    with pytest.warns(TaskFileWarning, match=r"old\.json: .*_note.*x-note") as told:
        load_folder(tmp_path)
    assert len(told) == 1


def test_a_folder_without_tasks_is_refused(tmp_path: Path) -> None:
    assert problems_of(tmp_path / "nowhere") == ["no such folder"]
    for name in ("notes.txt", "notes.json"):
        (tmp_path / name).write_text("{}")
        assert problems_of(tmp_path) == ["no task files (*.json with a maze) in it"]
    assert problems_of(write_corridor(tmp_path, "task")) == ["a file, expected a folder"]


def test_all_problems_are_reported_with_their_files(tmp_path: Path) -> None:
    write_corridor(tmp_path, "fine")
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "broken.json").write_text('{\n  "task_id": }')
    write_task(tmp_path, describe("#####\n#@.G#\n#####") | {"seed": "one", "max_steps": None}, "wrong.json")
    write_task(tmp_path, describe("#####\n#@.G#\n#####") | {"max_steps": 0, "difficulty_tier": 0}, "zero.json")

    assert problems_of(tmp_path) == [
        "sub/broken.json: line 2, column 14: broken JSON: Expecting value",
        'wrong.json: seed: expected an integer, got "one" (str)',
        "wrong.json: max_steps: expected an integer, got null (NoneType)",
        "zero.json: difficulty_tier: must be at least 1, got 0",
        "zero.json: max_steps: must be at least 1, got 0",
    ]


def test_reading_stops_after_too_many_invalid_files(tmp_path: Path) -> None:
    for number in range(30):
        (tmp_path / f"{number:02d}.json").write_text("{")
    assert problems_of(tmp_path)[:2] == [
        "stopped reading after 20 invalid files",
        "00.json: line 1, column 2: broken JSON: Expecting property name enclosed in double quotes",
    ]


def test_duplicate_ids_are_refused_with_both_files(tmp_path: Path) -> None:
    for file in ("first.json", "sub/second.json", "third.json"):
        write_corridor(tmp_path, "same", file=file)

    assert problems_of(tmp_path) == [
        "sub/second.json: task_id: 'same' is already the id of first.json",
        "third.json: task_id: 'same' is already the id of first.json",
    ]


def test_a_folder_may_end_in_json(tmp_path: Path) -> None:
    write_corridor(tmp_path / "folder.json", "inside")
    assert task_ids(load_folder(tmp_path)) == ["inside"]


@pytest.mark.parametrize("source", [None, 3, "", ["tiers/t1_01_open_room", None]])
def test_sources_of_the_wrong_type_are_refused(source: Any) -> None:
    with pytest.raises(ArgumentError, match=r"^task: expected the path of a task file, .*; got (None|3|'')$"):
        find_tasks(source)


@pytest.mark.parametrize(
    "text",
    ["[" * 100_000, '{"seed": ' + "9" * 5000 + "}"],
    ids=["nested too deeply", "a number of too many digits"],
)
def test_json_beyond_the_limits_of_python_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "monster.json").write_text(text)
    (problem,) = problems_of(tmp_path)
    assert problem.startswith("monster.json: ")


def test_a_benchmark_is_a_folder_inside_a_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "package_with_tasks"
    write_corridor(package / "mazes" / "easy", "inside")
    (package / "__init__.py").write_text("")
    monkeypatch.syspath_prepend(tmp_path)

    benchmark = BenchmarkInfo("mazes", "One maze.", package="package_with_tasks", folder="mazes")

    assert task_ids(load_benchmark(benchmark)) == ["inside"]


def test_a_benchmark_without_its_folder_is_refused() -> None:
    with pytest.raises(SuiteError, match="no such folder"):
        load_benchmark(BenchmarkInfo("lost", "Lost.", package="multinet_eval", folder="benchmarks/lost"))


def test_tiers_are_chosen_in_the_order_of_the_tasks(tmp_path: Path) -> None:
    for index, tier in enumerate((3, 1, 2, 3, 1)):
        write_corridor(tmp_path, f"{index}", tier=tier)
    tasks = load_folder(tmp_path)

    assert task_ids(of_tiers(tasks, [3, 1])) == ["0", "1", "3", "4"]
    assert of_tiers(tasks, [7]) == []
