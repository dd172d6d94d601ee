"""Pages that commands write by the way, for ``--report`` and ``--html``."""

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import Result

from support.commands import invoke
from support.pages import blocks_of
from support.run_folders import RECORDED
from support.runs import write_corridor
from support.worlds import draw

WITHOUT = {"GRIDWORLD_DISABLE_PLUGINS": "multinet-report"}
PLAYING = ("eval", "-m", "optimal", "-B", "tile_size=8", "-q")


@pytest.fixture(scope="module")
def suite(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of two tasks."""
    folder = tmp_path_factory.mktemp("pages") / "suite"
    write_corridor(folder, "short")
    write_corridor(folder, "long", "@...G", tier=2)
    return folder


@pytest.fixture(scope="module")
def recorded(suite: Path) -> Path:
    """A finished run of them."""
    folder = suite.with_name("recorded")
    assert invoke([*PLAYING, "--task-dir", suite, "--run-dir", folder], **RECORDED).exit_code == 0
    return folder


def index_of(page: Path) -> dict[str, Any]:
    index: dict[str, Any] = blocks_of(page.read_text(encoding="utf-8"))["index"]
    return index


def assert_told_what_to_install(result: Result) -> None:
    assert result.exit_code == 2
    assert "'html' is provided by multinet-report" in result.stderr


def test_a_run_is_played_and_shown_on_a_page(suite: Path, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    result = invoke([*PLAYING, "--task-dir", suite, "--run-dir", tmp_path / "run", "--report", page], **RECORDED)
    assert result.exit_code == 0
    assert f"{page}: 2 episodes, " in result.stderr
    (run,) = index_of(page)["runs"]
    assert (run["status"], run["whole"]["solved"]) == ("finished", 2)


def test_of_a_run_that_was_stopped_the_page_shows_what_there_is(suite: Path, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    stopped = ["--task-dir", suite, "--run-dir", tmp_path / "run", "--max-requests", "5", "--report", page]
    assert invoke([*PLAYING, *stopped], **RECORDED).exit_code == 1
    assert index_of(page)["runs"][0]["finished"] < 2
    resumed = ["runs", "resume", tmp_path / "run", "--max-requests", "none", "-q", "--report", page]
    assert invoke(resumed).exit_code == 0
    assert index_of(page)["runs"][0]["finished"] == 2


def test_without_what_writes_pages_nothing_is_played(suite: Path, tmp_path: Path) -> None:
    options = ["--task-dir", suite, "--run-dir", tmp_path / "run", "--report", tmp_path / "page.html"]
    assert_told_what_to_install(invoke([*PLAYING, *options], **RECORDED, **WITHOUT))
    assert list(tmp_path.iterdir()) == []


def test_a_leaderboard_leads_into_the_episodes_of_its_runs(recorded: Path, tmp_path: Path) -> None:
    result = invoke(["leaderboard", recorded, "-o", tmp_path, "--html"])
    assert result.exit_code == 0
    board = index_of(tmp_path / "index.html")["leaderboard"]
    (entry,) = board["entries"]
    shown = blocks_of((tmp_path / entry["page"]).read_text(encoding="utf-8"))
    for row in board["tasks"]:
        ((run, episode, success),) = row["ends"][0]
        linked = next(each for each in shown["index"]["runs"][run]["episodes"] if each["number"] == episode)
        assert (linked["task_id"], linked["success"]) == (row["task"], success)
        assert linked["block"] in shown


def test_a_page_of_a_suite_has_difficulties_and_optimal_runs(suite: Path, tmp_path: Path) -> None:
    page = tmp_path / "gallery.html"
    result = invoke(["tasks", "gallery", suite, "-o", page, "--tiling", "hex"])
    assert result.exit_code == 0
    assert result.stdout.startswith(f"{page}: 2 tasks on 1 tiling, ")
    index = index_of(page)
    lengths = {row["task_id"]: row["difficulty"]["optimal_length"] for row in index["runs"][0]["episodes"]}
    listed = json.loads(invoke(["tasks", "list", suite, "--tiling", "hex", "--json"]).stdout)
    assert lengths == {row["task_id"]: row["difficulty"]["optimal_length"] for row in listed}
    assert all(row["steps"] == lengths[row["task_id"]] for row in index["runs"][0]["episodes"])


def test_a_task_that_cannot_be_won_is_in_the_gallery_without_a_plan(tmp_path: Path) -> None:
    draw("######\n#@.#G#\n######", max_steps=4).to_json(tmp_path / "shut.json")
    page = tmp_path / "page.html"
    assert invoke(["tasks", "gallery", tmp_path, "-o", page, "--tiling", "square"]).exit_code == 0
    (row,) = index_of(page)["runs"][0]["episodes"]
    assert (row["success"], row["certificate"], row["difficulty"]["optimal_length"]) == (False, None, None)
    assert row["difficulty"]["size"] == 4
