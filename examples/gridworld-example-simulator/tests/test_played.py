"""The warehouse is played by all that plays: policies, models and the command line, with only wheels installed."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from gridworld.model_interface import RandomModelInterface
from gridworld.runner import GridRunner
from gridworld.task_spec import TaskSpecification
from gridworld_example_simulator.backend import WarehouseBackend
from multinet_eval import EvaluationHarness

CORRIDOR = {
    "task_id": "corridor",
    "seed": 1,
    "difficulty_tier": 1,
    "maze": {"dimensions": [6, 3], "walls": [], "start": [1, 1], "goal": [4, 1]},
    "goal": {"type": "reach_position"},
    "max_steps": 10,
}
FORWARD = 2


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    tasks = tmp_path / "tasks"
    tasks.mkdir()
    for name in ("a", "b"):
        (tasks / f"{name}.json").write_text(json.dumps({**CORRIDOR, "task_id": name}), encoding="utf-8")
    return tasks


def ahead(picture: Any, state: Any, mission: str) -> int:
    return FORWARD


def test_policies_and_demonstrations() -> None:
    runner, task = GridRunner(WarehouseBackend()), TaskSpecification.from_dict(CORRIDOR)
    assert runner.run_episode(task, ahead).success
    assert [result.success for result in runner.run_batch([task, task], ahead)] == [True, True]
    assert runner.collect_demonstrations(task, [FORWARD] * 3).success


def test_the_harness(folder: Path) -> None:
    metrics = EvaluationHarness(RandomModelInterface(), WarehouseBackend()).evaluate_task_dir(folder)
    assert [result.task_id for result in metrics.task_results] == ["a", "b"]
    assert {result.optimal_steps for result in metrics.task_results} == {None}


def test_the_command_line(folder: Path, tmp_path: Path) -> None:
    program = Path(sys.executable).parent / "multinet-run-eval"
    record, output = tmp_path / "run", tmp_path / "results.json"
    options = ["--model", "random", "--backend", "warehouse", "--task-dir", folder, "-o", output, "--run-dir", record]
    finished = subprocess.run([program, *options], capture_output=True, text=True, check=False)
    assert finished.returncode == 0, finished.stderr
    assert finished.stderr.count("is not built on the kernel") == 1
    results = json.loads(output.read_text(encoding="utf-8"))
    assert (results["backend"], results["tiling"], results["num_tasks"]) == ("WarehouseBackend", None, 2)
    assert json.loads((record / "results.json").read_text(encoding="utf-8")) == results
