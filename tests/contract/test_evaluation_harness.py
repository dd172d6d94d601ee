"""`EvaluationHarness`: its calls as the contract shows them, and the history that it gives to a model."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gridworld.model_interface import ModelInput
from gridworld_minigrid import MiniGridBackend
from multinet_eval.evaluation_harness import EvaluationHarness
from support.runs import ScriptedModel, task_ids, write_corridor
from support.worlds import corridor


@pytest.fixture
def harness() -> EvaluationHarness:
    """Of a model that walks three cells forward, which wins tasks up to that length."""
    return EvaluationHarness(ScriptedModel("FFF"), backend=MiniGridBackend(tile_size=8))


@pytest.fixture
def tasks(tmp_path: Path) -> Path:
    """A folder ``tasks`` with a folder for each of four tiers."""
    folder = tmp_path / "tasks"
    write_corridor(folder / "tier1", "maze_simple_001", tier=1)
    write_corridor(folder / "tier1", "maze_simple_002", "@....G", tier=1)
    write_corridor(folder / "tier2", "key_001", "@..G", tier=2)
    write_corridor(folder / "tier3", "switch_001", "@....G", tier=3)
    write_corridor(folder / "tier4", "block_001", tier=4)
    return folder


def test_evaluate_task_tells_how_an_episode_went(harness: EvaluationHarness) -> None:
    won, lost = harness.evaluate_task(corridor("@.G")), harness.evaluate_task(corridor("@....G", max_steps=6))
    assert (won.task_id, won.success, won.steps_taken, won.terminated, won.truncated) == ("drawn", True, 2, True, False)
    assert (lost.success, lost.steps_taken, lost.terminated, lost.truncated) == (False, 6, False, True)


def test_evaluate_tier_plays_the_tasks_of_one_tier(harness: EvaluationHarness, tasks: Path) -> None:
    tier_metrics = harness.evaluate_tier(1, task_dir=str(tasks))
    assert task_ids(tier_metrics.task_results) == ["maze_simple_001", "maze_simple_002"]
    assert (tier_metrics.num_tasks, tier_metrics.num_success, tier_metrics.success_rate) == (2, 1, 0.5)


def test_evaluate_all_gives_the_metrics_of_each_tier_that_is_asked_for(harness: EvaluationHarness, tasks: Path) -> None:
    all_metrics = harness.evaluate_all(task_dir=str(tasks), tiers=[1, 2, 3])
    assert {tier: task_ids(metrics.task_results) for tier, metrics in all_metrics.items()} == {
        1: ["maze_simple_001", "maze_simple_002"],
        2: ["key_001"],
        3: ["switch_001"],
    }
    assert {tier: metrics.success_rate for tier, metrics in all_metrics.items()} == {1: 0.5, 2: 1.0, 3: 0.0}


def test_evaluate_task_dir_plays_all_tasks_of_a_folder(harness: EvaluationHarness, tmp_path: Path) -> None:
    folder = tmp_path / "validation_10"
    for number in range(10):
        write_corridor(folder, f"task_{number:02d}", "@.G" if number % 2 else "@....G")
    benchmark = harness.evaluate_task_dir(str(folder))
    assert task_ids(benchmark.task_results) == [f"task_{number:02d}" for number in range(10)]
    assert (benchmark.benchmark_name, benchmark.model_name) == ("validation_10", "scripted")
    assert (benchmark.num_tasks, benchmark.num_success) == (10, 5)


def test_folders_may_be_given_as_paths_too(harness: EvaluationHarness, tasks: Path) -> None:
    assert harness.evaluate_task_dir(tasks).num_tasks == 5
    assert harness.evaluate_tier(2, task_dir=tasks).num_tasks == 1
    assert list(harness.evaluate_all(task_dir=tasks)) == [1, 2, 3, 4]


def test_close_closes_the_model() -> None:
    model = ScriptedModel("FF")
    harness = EvaluationHarness(model, backend=MiniGridBackend(render_mode=None))
    harness.evaluate_task(corridor("@.G"))
    assert model.closed == 0
    harness.close()
    assert model.closed == 1


def test_close_closes_the_backend() -> None:
    backend = MiniGridBackend(render_mode=None)
    harness = EvaluationHarness(ScriptedModel("FF"), backend=backend)
    harness.evaluate_task(corridor("@.G"))
    harness.close()
    with pytest.raises(RuntimeError, match="configure"):
        backend.render()


# --- history ---------------------------------------------------------------------------------------------------


def inputs(**options: Any) -> list[ModelInput]:
    """Inputs of a model in an episode of two turns and three moves."""
    model = ScriptedModel("LRFFF")
    harness = EvaluationHarness(model, backend=MiniGridBackend(tile_size=8), **options)
    harness.evaluate_task(corridor("@..G"))
    assert len(model.inputs) == 5
    return model.inputs


def test_without_options_a_model_is_given_no_history() -> None:
    assert [(given.prior_images, given.additional_context) for given in inputs()] == [(None, None)] * 5


def test_history_images_puts_prior_images_into_the_input() -> None:
    given = inputs(history_images=2)
    for step, present in enumerate(given):
        assert present.prior_images is not None
        expected = [earlier.image for earlier in given[max(0, step - 2) : step]]
        assert len(present.prior_images) == len(expected) == min(step, 2)
        for prior, image in zip(present.prior_images, expected, strict=True):
            assert isinstance(prior, np.ndarray)
            np.testing.assert_array_equal(prior, image)


def texts(**options: Any) -> list[list[str]]:
    """The lines of text that a model is given in each step."""
    return [(given.additional_context or "").splitlines() for given in inputs(**options)]


def test_history_text_puts_a_summary_of_the_steps_before_into_the_input() -> None:
    given = texts(history_text=True)
    assert [len(lines) for lines in given] == [0, 1, 2, 3, 4]
    assert [word in line for word, line in zip(["left", "right", "forward", "forward"], given[-1], strict=True)] == [
        True
    ] * 4
    assert given[-1][:3] == given[-2]


@pytest.mark.parametrize("window", [1, 2, 3])
def test_history_text_window_is_the_number_of_steps_that_the_text_tells_of(window: int) -> None:
    everything = texts(history_text=True)
    assert texts(history_text=True, history_text_window=window) == [lines[-window:] for lines in everything]


def test_a_window_alone_switches_no_text_on() -> None:
    assert [given.additional_context for given in inputs(history_text=False, history_text_window=3)] == [None] * 5


def test_all_three_options_work_together() -> None:
    last = inputs(history_images=3, history_text=True, history_text_window=2)[-1]
    assert len(last.prior_images or []) == 3
    assert len((last.additional_context or "").splitlines()) == 2
