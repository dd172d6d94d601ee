"""Tracks runs in MLflow: what they were asked for as parameters, what came of them as metrics."""

import time
from collections.abc import Iterator, Mapping
from typing import Any

from mlflow import MlflowClient
from mlflow.entities import Metric, Run

from gridworld.runner import Step
from multinet_eval import PlannedEpisode, RecordedPose, RunObserver, RunStart, TaskResult

__all__ = ["MLflowObserver"]

TAG = "multinet.run"
"""Marks a run of MLflow with the name of ours, by which it is found again."""


class MLflowObserver(RunObserver):
    """Makes a run in MLflow for each of ours, with the parts of its fingerprint as parameters.

    A run that is resumed goes on with its run in MLflow.

    Args:
        uri: where MLflow keeps its records, such as ``http://127.0.0.1:5000`` or ``sqlite:///mlflow.db``; by default
            what the variable MLFLOW_TRACKING_URI says.
        experiment: the name of the experiment; by default that of the suite.
        every: log after so many steps, and after each episode; 0 for episodes alone.
    """

    def __init__(self, uri: str | None = None, experiment: str | None = None, every: int = 10) -> None:
        self._client = MlflowClient(uri)
        self._experiment = experiment
        self._every = every

    def run_started(self, run: RunStart) -> None:
        """Find the run, or make it."""
        experiment = self._find_experiment(self._experiment or run.suite)
        found = self._client.search_runs([experiment], f"tags.`{TAG}` = '{run.name}'", max_results=1)
        self._run = (found[0] if found else self._make_run(experiment, run)).info.run_id
        self._client.update_run(self._run, status="RUNNING")
        self._steps = sum(result.steps_taken for result in run.finished)
        self._reward = sum(result.total_reward for result in run.finished)
        self._results = list(run.finished)

    def step_taken(self, episode: PlannedEpisode, step: Step, place: RecordedPose) -> None:
        """Log the sum of rewards now and then."""
        self._steps += 1
        self._reward += step.reward
        if self._every and self._steps % self._every == 0:
            self._log(self._steps, total_reward=self._reward)

    def episode_finished(self, episode: PlannedEpisode, result: TaskResult) -> None:
        """Log how it ended, and the rate of success so far."""
        self._results.append(result)
        scored = [each.success for each in self._results if each.scored]
        rate = {"success_rate": sum(scored) / len(scored)} if scored else {}
        metrics = {"episode_steps": result.steps_taken, "episode_reward": result.total_reward, **rate}
        self._log(len(self._results), **metrics)

    def run_finished(self, results: tuple[TaskResult, ...], stopped: str | None) -> None:
        """Say how the run ended; one that was stopped can be gone on with."""
        self._client.set_terminated(self._run, "FINISHED" if stopped is None else "KILLED")

    def _find_experiment(self, name: str) -> str:
        found = self._client.get_experiment_by_name(name)
        return self._client.create_experiment(name) if found is None else found.experiment_id

    def _make_run(self, experiment: str, run: RunStart) -> Run:
        made = self._client.create_run(experiment, run_name=run.name, tags={TAG: run.name, "suite": run.suite})
        for name, value in _flat({"model_name": run.model, **run.fingerprint}):
            self._client.log_param(made.info.run_id, name, value)
        return made

    def _log(self, number: int, **metrics: float) -> None:
        now = int(time.time() * 1000)
        listed = [Metric(name, float(value), now, number) for name, value in metrics.items()]
        self._client.log_batch(self._run, listed)


def _flat(parts: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Path and value of each part of a fingerprint."""
    for name, value in parts.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", value
