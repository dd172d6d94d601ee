"""``multinet tasks demos``: optimal runs of a suite as pictures with records, and as a Minari dataset."""

import json
from pathlib import Path
from typing import Any

import minari
import numpy as np
import pytest
from minari.dataset.minari_storage import MinariStorage
from PIL import Image

from gridworld.solver import solve
from gridworld.suites import load_folder
from support.programs import assert_refused, output_of, runner
from support.runs import write_corridor
from support.worlds import compiled, door, key

FORMATS = ["jsonl", "minari"]


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
    output = tmp_path / "new" / "demos"
    assert output_of(demos(suite, "-o", output)) == f"10 records of 2 episodes in {output}\n"
    assert [record["task_id"] for record in records(output)] == ["a_locked"] * 7 + ["b_short"] * 3
    assert all((output / record["image"]).is_file() for record in records(output))
    plans = [[*(solve(compiled(task)).plan or ()), None] for task in load_folder(suite)]
    assert [record["action"] for record in records(output)] == [action for plan in plans for action in plan]


def load_dataset(root: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> minari.MinariDataset:
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(root))
    return minari.load_dataset(name)


def test_a_minari_dataset_has_an_episode_for_each_task(
    suite: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    printed = output_of(demos(suite, "-o", tmp_path / "data", "--format", "minari"))
    assert printed == f"2 episodes in {tmp_path / 'data' / 'gridworld' / 'small-optimal-v0'}\n"
    dataset = load_dataset(tmp_path / "data", "gridworld/small-optimal-v0", monkeypatch)
    episodes = list(dataset.iterate_episodes())
    tasks = load_folder(suite)
    assert [list(episode.actions) for episode in episodes] == [list(solve(compiled(task)).plan or ()) for task in tasks]
    assert [bool(episode.terminations[-1]) for episode in episodes] == [True, True]
    metadata = list(dataset.storage.get_episode_metadata([0, 1]))
    assert [each["task_id"] for each in metadata] == ["a_locked", "b_short"]


def test_a_minari_dataset_is_named_after_an_installed_suite(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert demos("validation_10", "-o", tmp_path, "--format", "minari").returncode == 0
    dataset = load_dataset(tmp_path, "gridworld/validation_10-optimal-v0", monkeypatch)
    assert dataset.total_episodes == 10


@pytest.mark.parametrize("tiling", ["hex", "triangle"])
def test_a_minari_dataset_can_be_of_any_tiling_and_with_pictures(
    suite: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, tiling: str
) -> None:
    options = ("--format", "minari", "--tiling", tiling, "--pictures", "-B", "image_size=64")
    output_of(demos(suite, "-o", tmp_path, *options))
    dataset = load_dataset(tmp_path, f"gridworld/small-{tiling}-optimal-v0", monkeypatch)
    height, width, channels = dataset.observation_space["pixels"].shape
    assert max(height, width) <= 64 < 2 * max(height, width)
    assert channels == 3
    env = dataset.recover_environment()
    for episode, metadata in zip(dataset, dataset.storage.get_episode_metadata([0, 1]), strict=True):
        env.reset(options={"task_id": metadata["task_id"]})
        outcomes = [env.step(action) for action in episode.actions]
        assert outcomes[-1][4]["success"]
        assert np.array_equal(outcomes[-1][0]["pixels"], episode.observations["pixels"][-1])


def test_pictures_with_records_can_be_of_any_tiling(suite: Path, tmp_path: Path) -> None:
    finished = demos(suite, "-o", tmp_path / "hex", "--tiling", "hex", "-B", "image_size=64")
    assert finished.returncode == 0
    with Image.open(tmp_path / "hex" / records(tmp_path / "hex")[0]["image"]) as picture:
        assert max(picture.size) <= 64 < 2 * max(picture.size)


@pytest.mark.parametrize("option", ["--pictures", "--overwrite"])
def test_what_belongs_to_minari_is_refused_elsewhere(suite: Path, tmp_path: Path, option: str) -> None:
    assert_refused(demos(suite, "-o", tmp_path / "out", option), f"{option} needs --format minari")


@pytest.mark.parametrize("form", FORMATS)
def test_the_folder_may_be_given_relative_to_where_one_is(suite: Path, tmp_path: Path, form: str) -> None:
    output_of(demos(suite, "-o", "data", "--format", form, cwd=tmp_path))
    assert any(path.is_file() for path in (tmp_path / "data").rglob("*"))


def test_a_minari_dataset_is_replaced_only_when_asked_for(suite: Path, tmp_path: Path) -> None:
    arguments = (suite, "-o", tmp_path, "--format", "minari")
    assert demos(*arguments).returncode == 0
    said = ["a Minari dataset already exists at", "replace it with --overwrite", "another folder with --output"]
    assert_refused(demos(*arguments), *said, exit_code=1)
    assert demos(*arguments, "--overwrite").returncode == 0


def test_minari_datasets_of_several_tilings_stand_in_one_folder(suite: Path, tmp_path: Path) -> None:
    for options in ([], ["--tiling", "square"], ["--tiling", "hex"]):
        assert demos(suite, "-o", tmp_path, "--format", "minari", *options).returncode == 0
    names = [path.parent.name for path in sorted(tmp_path.glob("gridworld/*/data"))]
    assert names == ["small-hex-optimal-v0", "small-optimal-v0", "small-square-optimal-v0"]


def test_pictures_are_not_mixed_with_other_files(suite: Path, tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("Mine.")
    assert_refused(demos(suite, "-o", tmp_path), f"the folder {tmp_path} is not empty", exit_code=1)
    assert [path.name for path in tmp_path.iterdir()] == ["notes.txt"]


@pytest.mark.parametrize("form", FORMATS)
def test_a_folder_that_cannot_be_written_fails(suite: Path, tmp_path: Path, form: str) -> None:
    (tmp_path / "file").write_text("No folder.")
    finished = demos(suite, "-o", tmp_path / "file" / "demos", "--format", form)
    assert_refused(finished, "error: cannot write", "Not a directory", exit_code=1)
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


@pytest.mark.parametrize("form", FORMATS)
def test_tasks_without_a_plan_are_left_out_and_named(tmp_path: Path, form: str) -> None:
    write_corridor(tmp_path / "suite", "a_walled", "@.#G")
    write_corridor(tmp_path / "suite", "b_fine", "@.G")
    write_corridor(tmp_path / "suite", "c_tight", "@...G", max_steps=3)
    write_corridor(tmp_path / "suite", "d_undecided", "@kD......G", k=key(), D=door("red"))
    finished = demos(tmp_path / "suite", "-o", tmp_path / "out", "--format", form, "--max-states", "24")
    assert finished.returncode == 0
    assert "1 episode in" in finished.stdout
    assert finished.stderr.splitlines() == [
        "left out a_walled: it cannot be won",
        "left out c_tight: the shortest takes 4 steps, max_steps is 3",
        "left out d_undecided: the solver gave up after 24 states; raise --max-states",
        "left out 3 of 4 tasks",
    ]
    assert _shown(tmp_path / "out", form) == ["b_fine"]


def _shown(folder: Path, form: str) -> list[str]:
    """The tasks of a dataset, in order, each once."""
    if form == "jsonl":
        return list(dict.fromkeys(record["task_id"] for record in records(folder)))
    storage = MinariStorage.read(folder / "gridworld" / "suite-optimal-v0" / "data")
    return [metadata["task_id"] for metadata in storage.get_episode_metadata(range(storage.total_episodes))]


@pytest.mark.parametrize("form", FORMATS)
def test_without_any_plan_nothing_is_written(tmp_path: Path, form: str) -> None:
    write_corridor(tmp_path / "suite", "a_walled", "@.#G")
    write_corridor(tmp_path / "suite", "b_tight", "@...G", max_steps=3)
    finished = demos(tmp_path / "suite", "-o", tmp_path / "out", "--format", form)
    reasons = ["a_walled: it cannot be won", "b_tight: the shortest takes 4 steps, max_steps is 3"]
    assert_refused(finished, "error: no task has a plan to show:", *reasons, exit_code=1)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("form", FORMATS)
def test_a_search_cut_short_is_not_said_to_be_hopeless(suite: Path, tmp_path: Path, form: str) -> None:
    finished = demos(suite, "-o", tmp_path / "out", "--format", form, "--max-states", "2")
    assert_refused(finished, "a_locked: the solver gave up after 2 states; raise --max-states", exit_code=1)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["validation_10"], "--output"),
        (["validation_10", "-o", "out", "--format", "hdf5"], "--format"),
        (["-o", "out"], "SUITE"),
    ],
    ids=["no folder", "no format", "no suite"],
)
def test_a_call_that_cannot_be_is_refused(tmp_path: Path, arguments: list[str], message: str) -> None:
    assert_refused(demos(*arguments, cwd=tmp_path), message)
    assert list(tmp_path.iterdir()) == []
