"""``multinet tasks demos --format minari``: optimal runs of a suite as a Minari dataset."""

from pathlib import Path

import minari
import numpy as np
import pytest
from minari.dataset.minari_storage import MinariStorage

from gridworld.solver import solve
from gridworld.suites import load_folder
from support.commands import runner
from support.programs import Finished, assert_refused, output_of
from support.runs import write_corridor
from support.worlds import compiled, door, key

tasks_demos = runner("multinet", "tasks", "demos")


def demos(suite: Path | str, output: Path, *options: str) -> Finished:
    return tasks_demos(suite, "-o", output, "--format", "minari", *options)


@pytest.fixture(scope="module")
def suite(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two tasks, won in 6 and in 2 steps."""
    folder = tmp_path_factory.mktemp("shown") / "small"
    write_corridor(folder, "a_locked", "@kD.G", max_steps=20, k=key(), D=door("red"))
    write_corridor(folder, "b_short", "@.G")
    return folder


def load_dataset(root: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> minari.MinariDataset:
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(root))
    return minari.load_dataset(name)


def test_a_dataset_has_an_episode_for_each_task(suite: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    printed = output_of(demos(suite, tmp_path / "data"))
    assert printed == f"2 episodes in {tmp_path / 'data' / 'gridworld' / 'small-optimal-v0'}\n"
    dataset = load_dataset(tmp_path / "data", "gridworld/small-optimal-v0", monkeypatch)
    episodes = list(dataset.iterate_episodes())
    tasks = load_folder(suite)
    assert [list(episode.actions) for episode in episodes] == [list(solve(compiled(task)).plan or ()) for task in tasks]
    assert [bool(episode.terminations[-1]) for episode in episodes] == [True, True]
    metadata = list(dataset.storage.get_episode_metadata([0, 1]))
    assert [each["task_id"] for each in metadata] == ["a_locked", "b_short"]


def test_a_dataset_is_named_after_an_installed_suite(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert demos("validation_10", tmp_path).returncode == 0
    assert load_dataset(tmp_path, "gridworld/validation_10-optimal-v0", monkeypatch).total_episodes == 10


@pytest.mark.parametrize("tiling", ["hex", "triangle"])
def test_a_dataset_can_be_of_any_tiling_and_with_pictures(
    suite: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, tiling: str
) -> None:
    output_of(demos(suite, tmp_path, "--tiling", tiling, "--pictures", "-B", "image_size=64"))
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


def test_a_dataset_is_replaced_only_when_asked_for(suite: Path, tmp_path: Path) -> None:
    assert demos(suite, tmp_path).returncode == 0
    said = ["a Minari dataset already exists at", "replace it with --overwrite", "another folder with --output"]
    assert_refused(demos(suite, tmp_path), *said, exit_code=1)
    assert demos(suite, tmp_path, "--overwrite").returncode == 0


def test_datasets_of_several_tilings_stand_in_one_folder(suite: Path, tmp_path: Path) -> None:
    for options in ([], ["--tiling", "square"], ["--tiling", "hex"]):
        assert demos(suite, tmp_path, *options).returncode == 0
    names = [path.parent.name for path in sorted(tmp_path.glob("gridworld/*/data"))]
    assert names == ["small-hex-optimal-v0", "small-optimal-v0", "small-square-optimal-v0"]


def test_a_folder_that_cannot_be_written_fails(suite: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("No folder.")
    finished = demos(suite, tmp_path / "file" / "demos")
    assert_refused(finished, "error: cannot write", "Not a directory", exit_code=1)
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_tasks_without_a_plan_are_left_out(tmp_path: Path) -> None:
    write_corridor(tmp_path / "suite", "a_walled", "@.#G")
    write_corridor(tmp_path / "suite", "b_fine", "@.G")
    finished = demos(tmp_path / "suite", tmp_path / "out")
    assert (finished.returncode, "1 episode in" in finished.stdout) == (0, True)
    storage = MinariStorage.read(tmp_path / "out" / "gridworld" / "suite-optimal-v0" / "data")
    metadata = storage.get_episode_metadata(range(storage.total_episodes))
    assert [each["task_id"] for each in metadata] == ["b_fine"]
    (tmp_path / "suite" / "b_fine.json").unlink()
    assert demos(tmp_path / "suite", tmp_path / "none").returncode == 1
    assert not (tmp_path / "none").exists()
