"""Unreadable parts of a run are left out of its page, and named on the page and by the command."""

import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from support.commands import Finished, multinet
from support.pages import page_data
from support.plugins import install_examples, prepend
from support.run_folders import SCENE_DAMAGE, record_two_rooms
from support.thoroughness import first_by_default


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An undamaged run."""
    return record_two_rooms(tmp_path_factory.mktemp("recorded"))


@pytest.fixture
def run(recorded: Path, tmp_path: Path) -> Path:
    """A copy of the run, to be damaged."""
    return Path(shutil.copytree(recorded, tmp_path / "run"))


def _reported(run: Path) -> tuple[Finished, dict[str, Any]]:
    page = run.with_suffix(".html")
    return multinet("report", run, "-o", page), page_data(page)


def _problems(data: dict[str, Any]) -> dict[str, list[int]]:
    (run,) = data["index"]["runs"]
    return dict(run["problems"])


def _assert_told(finished: Finished, data: dict[str, Any], named: str, episode: int = 0) -> None:
    """Check that exactly one part of an episode is reported as missing."""
    assert finished.exit_code == 1, finished.stderr
    ((problem, numbers),) = _problems(data).items()
    assert named in problem
    assert numbers == [episode]
    assert problem in finished.stderr


def _header(run: Path, episode: int) -> dict[str, Any]:
    with (run / "episodes" / f"{episode}.jsonl").open(encoding="utf-8") as file:
        return dict(json.loads(file.readline())["header"])


def _scene(run: Path, episode: int = 0) -> Path:
    return run / "scenes" / f"{_header(run, episode)['scene']}.json"


def _change_line(run: Path, kind: str, change: Callable[[dict[str, Any]], object]) -> None:
    """Change the first line of a kind of episode 0."""
    file = run / "episodes" / "0.jsonl"
    lines = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    change(next(line[kind] for line in lines if kind in line))
    file.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")


def test_of_a_run_that_can_be_read_nothing_is_missing(run: Path) -> None:
    finished, data = _reported(run)
    assert (finished.exit_code, _problems(data)) == (0, {})


@first_by_default("damage", [*SCENE_DAMAGE, "another scene", "missing", "a folder"])
def test_a_damaged_scene_is_left_out_and_named(run: Path, damage: str) -> None:
    scene, other = _scene(run), _scene(run, 1)
    content = scene.read_bytes()
    scene.unlink()
    if damage in SCENE_DAMAGE:
        scene.write_bytes(SCENE_DAMAGE[damage](content))
    elif damage == "another scene":
        shutil.copy(other, scene)
    elif damage == "a folder":
        scene.mkdir()
    finished, data = _reported(run)
    _assert_told(finished, data, scene.stem)
    first, second = data["index"]["runs"][0]["episodes"]
    assert (first["scene"], data[first["block"]]["scene"]) == (None, None)
    assert scene.stem in data[first["block"]]["no_board"]
    assert f"scene-{scene.stem}" not in data
    assert data[second["scene"]]["cells"]


@first_by_default("name", ["0" * 16, "../run", "", 7, {"of": "nothing"}])
def test_the_name_of_a_scene_that_is_not_there_is_told(run: Path, name: object) -> None:
    _change_line(run, "header", lambda header: header.__setitem__("scene", name))
    finished, data = _reported(run)
    assert finished.exit_code == 1
    assert list(_problems(data).values()) == [[0]]
    assert data["index"]["runs"][0]["episodes"][0].get("scene") is None


@first_by_default(
    ("change", "named"),
    [
        ({"agent": [999, 0, None]}, "agent"),
        ({"agent": "here"}, "agent"),
        ({"looks": {"999": None}}, "looks"),
        ({"looks": {"0": [False, None, [99]]}}, "looks"),
        ({"shown": [1, 2]}, "shown"),
        ({"shown": {"0": 3}}, "looks"),
    ],
    ids=str,
)
def test_a_step_that_does_not_fit_the_scene_leaves_the_episode_without_a_board(
    run: Path, change: dict[str, Any], named: str
) -> None:
    _change_line(run, "step", lambda step: step.update(change))
    finished, data = _reported(run)
    _assert_told(finished, data, "step 1: ")
    assert named in next(iter(_problems(data)))
    assert data["index"]["runs"][0]["episodes"][0]["scene"] is None


@first_by_default("reward", [float("nan"), float("inf"), 10**400, "much", {}])
def test_an_episode_with_a_reward_that_cannot_be_is_unreadable(run: Path, reward: object) -> None:
    _change_line(run, "step", lambda step: step.update(reward=reward))
    finished, data = _reported(run)
    _assert_told(finished, data, "0.jsonl, line ")
    assert [row["state"] for row in data["index"]["runs"][0]["episodes"]] == ["unreadable", "finished"]


def test_an_episode_that_is_no_json_is_unreadable(run: Path) -> None:
    with (run / "episodes" / "1.jsonl").open("a", encoding="utf-8") as file:
        file.write("{\n")
    finished, data = _reported(run)
    _assert_told(finished, data, "1.jsonl, line ", episode=1)


@first_by_default("way", ["changed", "missing"])
def test_an_episode_counts_without_its_texts_which_are_named(run: Path, way: str) -> None:
    texts = list((run / "texts").iterdir())
    for text in texts:
        if way == "changed":
            text.write_bytes(text.read_bytes() + b"?")
        else:
            text.unlink()
    finished, data = _reported(run)
    assert finished.exit_code == 1
    told = _problems(data)
    assert {number for numbers in told.values() for number in numbers} == {0, 1}
    assert any(text.stem in problem for text in texts for problem in told)
    assert [row["state"] for row in data["index"]["runs"][0]["episodes"]] == ["finished", "finished"]


@pytest.fixture(scope="module")
def pictured(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A run on a simulator, whose pictures are kept."""
    with pytest.MonkeyPatch.context() as patch:
        prepend(install_examples(tmp_path_factory.mktemp("examples")), patch)
        yield record_two_rooms(tmp_path_factory.mktemp("pictured"), "--backend", "warehouse", rules={})


@first_by_default("way", ["changed", "missing"])
def test_a_picture_that_cannot_be_read_is_left_out_and_named(pictured: Path, tmp_path: Path, way: str) -> None:
    run = Path(shutil.copytree(pictured, tmp_path / "run"))
    frame = next((run / "frames").iterdir())
    if way == "changed":
        frame.write_bytes(frame.read_bytes() + b"?")
    else:
        frame.unlink()
    finished, data = _reported(run)
    assert finished.exit_code == 1
    assert [problem for problem in _problems(data) if frame.stem in problem] == list(_problems(data))
    assert f'data-block="frame-{frame.stem}"' not in run.with_suffix(".html").read_text(encoding="utf-8")
    steps = [step for row in data["index"]["runs"][0]["episodes"] for step in data[row["block"]]["steps"]]
    frames = [request["frame"] for step in steps for request in step["requests"]]
    assert None in frames
    assert frame.stem not in frames


def test_a_run_that_says_of_itself_what_no_page_can_show_is_refused(run: Path) -> None:
    manifest = json.loads((run / "run.json").read_text(encoding="utf-8"))
    manifest["circumstances"]["load"] = float("nan")
    (run / "run.json").write_text(json.dumps(manifest), encoding="utf-8")
    finished = multinet("report", run, "-o", run.with_suffix(".html"))
    assert finished.exit_code == 1
    assert "run.json" in finished.stderr
    assert "Traceback" not in finished.stderr
    assert not run.with_suffix(".html").exists()


def test_of_a_run_in_progress_nothing_is_missing(run: Path) -> None:
    file = run / "episodes" / "1.jsonl"
    file.write_bytes(b"".join(file.read_bytes().splitlines(keepends=True)[:3]) + b'{"step":{"num')
    finished, data = _reported(run)
    assert (finished.exit_code, _problems(data)) == (0, {})
    assert [row["state"] for row in data["index"]["runs"][0]["episodes"]] == ["finished", "unfinished"]


def test_a_task_that_cannot_be_won_is_not_missing(tmp_path: Path) -> None:
    walled = {
        "task_id": "walled",
        "seed": 1,
        "difficulty_tier": 1,
        "maze": {"dimensions": [6, 3], "walls": [[3, 1]], "start": [1, 1], "goal": [4, 1]},
        "goal": {"type": "reach_position"},
        "max_steps": 2,
    }
    (tmp_path / "walled.json").write_text(json.dumps(walled), encoding="utf-8")
    page = tmp_path / "page.html"
    run = tmp_path / "run"
    played = multinet("eval", "--benchmark", "directory", "--task-dir", tmp_path, "--model", "random", "--run-dir", run)
    assert played.exit_code == 0, played.stderr
    finished = multinet("report", run, "-o", page)
    assert finished.exit_code == 0, finished.stderr
    assert "it cannot be won" in finished.stderr
