"""Runs are played, and what was written of them is read with TensorBoard itself."""

from pathlib import Path

import pytest
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

from gridworld.plugins import get_registry
from gridworld.suites import load_benchmark
from gridworld.testing import PluginModuleConformance
from gridworld_example_tensorboard.observer import TensorBoardObserver
from multinet_eval import RunOptions, RunOutcome, RunSettings, Suite, make_model, make_observer, new_run, open_run


class TestPlugin(PluginModuleConformance):
    plugin_module = "gridworld_example_tensorboard"


def play(recorded: Path, folder: Path, **options: object) -> RunOutcome:
    """Play two tasks with the random model, which are won or not."""
    tasks = tuple(load_benchmark(get_registry().benchmarks.get("validation_10")))[:2]
    settings = RunSettings("random", backend_arguments=["render_mode=none"])
    run = new_run(settings, Suite("two", tasks), make_model("random", []), recorded)
    return run.play(RunOptions(), TensorBoardObserver(folder, **options))


def curves(folder: Path) -> dict[str, list[tuple[int, float]]]:
    """Name of each curve to its points."""
    found = EventAccumulator(str(folder)).Reload()
    return {tag: [(event.step, event.value) for event in found.Scalars(tag)] for tag in found.Tags()["scalars"]}


def test_it_is_found_by_its_name(tmp_path: Path) -> None:
    observer = make_observer("tensorboard", [f"folder={tmp_path}", "each_step=no"])
    assert isinstance(observer, TensorBoardObserver)


def test_every_episode_and_step_is_a_point(tmp_path: Path) -> None:
    results = play(tmp_path / "run", tmp_path / "curves").results.in_order
    found = curves(tmp_path / "curves" / "run")
    steps = sum(result.steps_taken for result in results)
    assert found["episode/steps"] == [(1, results[0].steps_taken), (2, results[1].steps_taken)]
    assert found["episode/success"] == [(1, results[0].success), (2, results[1].success)]
    assert [number for number, _ in found["step/reward"]] == list(range(1, steps + 1))
    rewards = sum(value for _, value in found["step/reward"])
    assert rewards == pytest.approx(sum(result.total_reward for result in results))


def test_steps_can_be_left_out(tmp_path: Path) -> None:
    play(tmp_path / "run", tmp_path / "curves", each_step=False)
    assert {tag.split("/")[0] for tag in curves(tmp_path / "curves" / "run")} == {"episode"}


def test_a_run_that_is_extended_goes_on_with_its_curves(tmp_path: Path) -> None:
    play(tmp_path / "run", tmp_path / "curves")
    run, _ = open_run(tmp_path / "run", epochs=2)
    run.play(RunOptions(), TensorBoardObserver(tmp_path / "curves"))
    assert [number for number, _ in curves(tmp_path / "curves" / "run")["episode/success"]] == [1, 2, 3, 4]
