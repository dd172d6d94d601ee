"""The kit for task suites passes a sound one, and each of its checks catches a broken one."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gridworld.hookspecs import BenchmarkInfo
from gridworld.testing import BenchmarkConformance
from gridworld.testing.conformance import run_checks
from support.sample_plugins import assert_caught, assert_conforms, assert_has_broken_ones
from support.worlds import describe

Write = Callable[..., BenchmarkInfo]
ROOM = describe("#####\n#@.G#\n#####", max_steps=10)
WALLED_IN = describe("######\n#@.#G#\n######", max_steps=10)


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
    with_a_mark = f"\ufeff{task(task_id='b')}"
    assert_conforms(BenchmarkConformance, benchmark=suite({"tasks/a.json": task(), "tasks/more/b.json": with_a_mark}))


FOLDER = "its_folder_is_inside_its_package_and_has_task_files"
VALID = "each_file_is_a_valid_task"
WON = "each_task_can_be_won_within_its_budget"

BROKEN: list[tuple[str, dict[str, str]]] = [
    (FOLDER, {}),
    (FOLDER, {"tasks/a.txt": ""}),
    (VALID, {"tasks/a.json": "{"}),
    (VALID, {"tasks/a.json": f"[{task()}]"}),
    (VALID, {"tasks/a.json": task(max_step=3)}),
    (VALID, {"tasks/a.json": task(max_steps=0)}),
    ("no_two_tasks_have_one_id", {"tasks/a.json": task(), "tasks/b.json": task()}),
    (WON, {"tasks/a.json": json.dumps(WALLED_IN)}),
    (WON, {"tasks/a.json": task(max_steps=1)}),
]


@pytest.mark.parametrize(("check", "files"), BROKEN)
def test_a_broken_suite_is_caught(suite: Write, check: str, files: dict[str, str]) -> None:
    assert_caught(BenchmarkConformance, check, benchmark=suite(files))


def test_every_check_has_a_broken_suite() -> None:
    assert_has_broken_ones(BenchmarkConformance, [check for check, _ in BROKEN])


def test_a_suite_outside_its_package_or_in_none_is_caught(suite: Write, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    assert_caught(BenchmarkConformance, FOLDER, benchmark=suite({}, folder="../elsewhere"))
    assert_caught(BenchmarkConformance, FOLDER, benchmark=BenchmarkInfo("lost", "Lost.", "no_such_package", "tasks"))


def test_a_search_that_is_too_large_is_no_verdict_on_the_task(suite: Write) -> None:
    kit = {"benchmark": suite({"tasks/a.json": task()}), "max_states": 1}
    (result,) = run_checks(type("Kit", (BenchmarkConformance,), kit), [f"test_{WON}"])
    assert "is unknown after 1 states" in result.wrong
