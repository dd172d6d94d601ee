"""``multinet tasks demos``: optimal runs of a suite as pictures with records.

As a Minari dataset: ``tests/libraries/test_minari_demos.py``.
"""

import json
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from gridworld.solver import solve
from gridworld.suites import load_folder
from support.commands import runner
from support.programs import assert_refused, output_of
from support.runs import write_corridor
from support.worlds import compiled, door, key

demos = runner("multinet", "tasks", "demos")


@pytest.fixture(scope="module")
def suite(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two tasks, won in 6 and in 2 steps."""
    folder = tmp_path_factory.mktemp("shown") / "small"
    write_corridor(folder, "a_locked", "@kD.G", max_steps=20, k=key(), D=door("red"))
    write_corridor(folder, "b_short", "@.G")
    return folder


def records(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "records.jsonl").read_text(encoding="utf-8").splitlines()]


def test_shortest_plans_are_written_as_pictures_with_records(suite: Path, tmp_path: Path) -> None:
    assert output_of(demos(suite, "-o", "new/demos", cwd=tmp_path)) == "10 records of 2 episodes in new/demos\n"
    output = tmp_path / "new" / "demos"
    assert [record["task_id"] for record in records(output)] == ["a_locked"] * 7 + ["b_short"] * 3
    assert all((output / record["image"]).is_file() for record in records(output))
    plans = [[*(solve(compiled(task)).plan or ()), None] for task in load_folder(suite)]
    assert [record["action"] for record in records(output)] == [action for plan in plans for action in plan]


def test_pictures_with_records_can_be_of_any_tiling(suite: Path, tmp_path: Path) -> None:
    finished = demos(suite, "-o", tmp_path / "hex", "--tiling", "hex", "-B", "image_size=64")
    assert finished.returncode == 0
    with Image.open(tmp_path / "hex" / records(tmp_path / "hex")[0]["image"]) as picture:
        assert max(picture.size) <= 64 < 2 * max(picture.size)


def test_tasks_without_a_plan_are_left_out_and_named(tmp_path: Path) -> None:
    write_corridor(tmp_path / "suite", "a_walled", "@.#G")
    write_corridor(tmp_path / "suite", "b_fine", "@.G")
    write_corridor(tmp_path / "suite", "c_tight", "@...G", max_steps=3)
    write_corridor(tmp_path / "suite", "d_undecided", "@kD......G", k=key(), D=door("red"))
    finished = demos(tmp_path / "suite", "-o", tmp_path / "out", "--max-states", "24")
    assert finished.returncode == 0
    assert "1 episode in" in finished.stdout
    assert finished.stderr.splitlines() == [
        "left out a_walled: it cannot be won",
        "left out c_tight: the shortest takes 4 steps, max_steps is 3",
        "left out d_undecided: the solver gave up after 24 states; raise --max-states",
        "left out 3 of 4 tasks",
    ]
    assert {record["task_id"] for record in records(tmp_path / "out")} == {"b_fine"}


def test_without_any_plan_nothing_is_written(tmp_path: Path) -> None:
    write_corridor(tmp_path / "suite", "a_walled", "@.#G")
    write_corridor(tmp_path / "suite", "b_tight", "@...G", max_steps=3)
    finished = demos(tmp_path / "suite", "-o", tmp_path / "out")
    reasons = ["a_walled: it cannot be won", "b_tight: the shortest takes 4 steps, max_steps is 3"]
    assert_refused(finished, "error: no task has a plan to show:", *reasons, exit_code=1)
    assert not (tmp_path / "out").exists()
