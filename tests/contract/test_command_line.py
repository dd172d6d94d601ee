"""The command lines that the contract shows, run as they stand there; only ``--json`` is added, to read the results."""

import json
from pathlib import Path
from typing import Any

import pytest

from support.commands import run
from support.runs import write_corridor


def results_of(program: str, line: str, cwd: Path) -> Any:
    finished = run(program, *line.split(), "--json", cwd=cwd)
    assert (finished.returncode, finished.stderr) == (0, "")
    return json.loads(finished.stdout)


def ids(results: Any) -> list[str]:
    return [result["task_id"] for result in results["task_results"]]


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Working folder of the programs, with tasks in ``path/to/json_dir``."""
    folder = tmp_path_factory.mktemp("here")
    for name in ("first", "second"):
        write_corridor(folder / "path" / "to" / "json_dir", name)
    return folder


DIRECTORY = "--benchmark directory --task-dir path/to/json_dir --model random"


@pytest.fixture(scope="module")
def of_directory(here: Path) -> Any:
    return results_of("multinet-run-eval", DIRECTORY, here)


def test_the_benchmark_validation_10(here: Path) -> None:
    results = results_of("multinet-run-eval", "--benchmark validation_10 --model random", here)
    assert (results["benchmark_name"], results["model_name"]) == ("validation_10", "random")
    assert results["num_tasks"] == len(set(ids(results))) == 10


def test_the_tiers_1_to_3_of_the_benchmark_tiers(here: Path) -> None:
    results = results_of("multinet-run-eval", "--benchmark tiers --tier 1-3 --model random", here)
    assert (results["benchmark_name"], results["model_name"]) == ("tiers", "random")
    assert {result["difficulty_tier"] for result in results["task_results"]} == {1, 2, 3}


def test_the_tasks_of_a_directory(of_directory: Any) -> None:
    assert (of_directory["benchmark_name"], of_directory["model_name"]) == ("json_dir", "random")
    assert ids(of_directory) == ["first", "second"]


def test_run_eval_py_is_the_same(of_directory: Any, here: Path) -> None:
    assert results_of("run_eval.py", DIRECTORY, here) == of_directory


def test_without_json_the_results_are_a_table(here: Path) -> None:
    finished = run("multinet-run-eval", *DIRECTORY.split(), cwd=here)
    assert finished.returncode == 0
    assert {"first", "second"} <= {line.split()[0] for line in finished.stdout.splitlines() if line.split()}
