"""Runs are played, and MLflow is asked what it knows of them."""

from pathlib import Path

import pytest
from mlflow import MlflowClient
from mlflow.entities import Run

from gridworld.plugins import get_registry
from gridworld.suites import load_benchmark
from gridworld.testing import PluginModuleConformance
from gridworld_example_mlflow.observer import MLflowObserver
from multinet_eval import (
    BudgetLimits,
    RunOptions,
    RunOutcome,
    RunSettings,
    Suite,
    make_model,
    make_observer,
    new_run,
    open_run,
)


class TestPlugin(PluginModuleConformance):
    plugin_module = "gridworld_example_mlflow"


@pytest.fixture(scope="module")
def uri(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A database, made once: that takes seconds."""
    return f"sqlite:///{tmp_path_factory.mktemp('mlflow') / 'mlflow.db'}"


def play(recorded: Path, observer: MLflowObserver, requests: int | None = None) -> RunOutcome:
    """Play two tasks with the random model, or as much of them as the requests allow."""
    tasks = tuple(load_benchmark(get_registry().benchmarks.get("validation_10")))[:2]
    settings = RunSettings("random", backend_arguments=["render_mode=none"])
    run = new_run(settings, Suite("two", tasks), make_model("random", []), recorded)
    return run.play(RunOptions(limits=BudgetLimits(requests=requests)), observer)


def tracked(uri: str, experiment: str) -> list[Run]:
    """The runs that MLflow has of an experiment."""
    client = MlflowClient(uri)
    found = client.get_experiment_by_name(experiment)
    assert found is not None
    return list(client.search_runs([found.experiment_id]))


def test_it_is_found_by_its_name(uri: str) -> None:
    assert isinstance(make_observer("mlflow", [f"uri={uri}", "every=3"]), MLflowObserver)


def test_a_run_is_tracked_with_its_fingerprint_and_its_results(uri: str, tmp_path: Path) -> None:
    results = play(tmp_path / "one", MLflowObserver(uri, "whole")).results.in_order
    (run,) = tracked(uri, "whole")
    assert (run.info.run_name, run.info.status) == ("one", "FINISHED")
    assert run.data.params["model_name"] == "random"
    assert run.data.params["backend.name"] == "minigrid"
    assert run.data.metrics["success_rate"] == sum(result.success for result in results) / 2
    history = MlflowClient(uri).get_metric_history(run.info.run_id, "episode_steps")
    assert [(each.step, each.value) for each in history] == [(n, r.steps_taken) for n, r in enumerate(results, 1)]


def test_a_run_that_was_stopped_is_gone_on_with(uri: str, tmp_path: Path) -> None:
    play(tmp_path / "two", MLflowObserver(uri, "stopped"), requests=35)
    (run,) = tracked(uri, "stopped")
    assert run.info.status == "KILLED"
    resumed, _ = open_run(tmp_path / "two")
    resumed.play(RunOptions(), MLflowObserver(uri, "stopped"))
    (run,) = tracked(uri, "stopped")
    assert run.info.status == "FINISHED"
    assert len(MlflowClient(uri).get_metric_history(run.info.run_id, "episode_steps")) == 2


def test_the_experiment_is_called_like_the_suite(uri: str, tmp_path: Path) -> None:
    play(tmp_path / "three", MLflowObserver(uri))
    assert [run.data.tags["suite"] for run in tracked(uri, "two")] == ["two"]
