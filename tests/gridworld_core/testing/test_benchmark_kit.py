"""The kit for task suites passes a sound one, and catches each of many broken ones."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gridworld.hookspecs import BenchmarkInfo
from gridworld.testing import BenchmarkConformance
from support.sample_plugins import assert_caught, assert_conforms
from support.worlds import describe

Write = Callable[..., BenchmarkInfo]
ROOM = describe("#####\n#@.G#\n#####", max_steps=10)


@pytest.fixture
def suite(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Write:
    """Writes an importable package with files in its folder ``tasks``, and describes it as a suite."""
    package = tmp_path.name
    monkeypatch.syspath_prepend(tmp_path)

    def write(files: dict[str, str], folder: str = "tasks") -> BenchmarkInfo:
        for name, text in {"__init__.py": "", **files}.items():
            path = tmp_path / package / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        return BenchmarkInfo("written", "Written by a test.", package, folder)

    return write


def task(**changes: Any) -> str:
    return json.dumps({**ROOM, **changes})


def test_a_sound_suite_conforms(suite: Write) -> None:
    files = {
        "tasks/a.json": task(task_id="a"),
        "tasks/more/b.json": f"\ufeff{task(task_id='b')}",
    }  # with a byte order mark
    assert_conforms(BenchmarkConformance, benchmark=suite(files))


WALLED_IN = describe("######\n#@.#G#\n######", max_steps=10)


@pytest.mark.parametrize(
    ("files", "check", "wrong", "remedy"),
    [
        ({}, "its_folder_is_inside_its_package_and_has_task_files", "has no folder 'tasks'", "in the wheel, too"),
        ({"tasks/a.txt": ""}, "its_folder_is_inside_its_package_and_has_task_files", "no *.json file", "one file for"),
        (
            {"tasks/a.json": "{"},
            "each_file_is_one_json_object",
            "reading a.json raised JSONDecodeError",
            "save it as JSON",
        ),
        (
            {"tasks/a.json": f"[{task()}]"},
            "each_file_is_one_json_object",
            "a.json holds list",
            "one task into each file",
        ),
        (
            {"tasks/a.json": task(max_step=3)},
            "each_file_is_a_valid_task",
            "max_step: unknown field",
            "correct the files",
        ),
        ({"tasks/a.json": task(max_steps=0)}, "each_file_is_a_valid_task", "a.json: max_steps: must", "tasks validate"),
        (
            {"tasks/a.json": task(), "tasks/b.json": task()},
            "no_two_tasks_have_one_id",
            "b.json has the id of a.json: 'drawn'",
            "an id of its own",
        ),
        (
            {"tasks/a.json": json.dumps(WALLED_IN)},
            "each_task_can_be_won_within_its_budget",
            "a.json cannot be won",
            "correct the task",
        ),
        (
            {"tasks/a.json": task(max_steps=1)},
            "each_task_can_be_won_within_its_budget",
            "a.json cannot be won in fewer than 2 steps",
            "raise its max_steps of 1",
        ),
    ],
)
def test_a_broken_suite_is_caught(suite: Write, files: dict[str, str], check: str, wrong: str, remedy: str) -> None:
    assert_caught(BenchmarkConformance, check, wrong, remedy, benchmark=suite(files))


def test_a_suite_outside_its_package_is_caught(suite: Write, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    assert_caught(
        BenchmarkConformance,
        "its_folder_is_inside_its_package_and_has_task_files",
        "is not inside the package",
        "move the folder into the package",
        benchmark=suite({}, folder="../elsewhere"),
    )


def test_a_suite_in_a_package_that_does_not_exist_is_caught() -> None:
    assert_caught(
        BenchmarkConformance,
        "its_folder_is_inside_its_package_and_has_task_files",
        "No module named 'package_that_is_not_there'",
        "install it",
        benchmark=BenchmarkInfo("lost", "Lost.", "package_that_is_not_there", "tasks"),
    )


def test_a_search_that_is_too_large_is_no_verdict_on_the_task(suite: Write) -> None:
    assert_caught(
        BenchmarkConformance,
        "each_task_can_be_won_within_its_budget",
        "is unknown after 2 states",
        "set a larger `max_states`",
        benchmark=suite({"tasks/a.json": json.dumps(describe("######\n#@..G#\n######", max_steps=10))}),
        max_states=2,
    )
