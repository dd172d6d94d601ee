"""Sets of tasks on the command line: generated, verified together, and played with budgets by the optimum."""

import json
from pathlib import Path

import pytest

from command_line import Finished, assert_refused, run


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with both tasks of a set, and the report."""
    folder = tmp_path_factory.mktemp("made") / "pair"
    call = ("generate", "order", "--count", "1", "--size", "7", "--tilings", "square,hex", "--budget-factor", "2")
    finished = run("multinet", "tasks", *call, "-o", folder)
    assert finished.returncode == 0, finished.stderr
    return folder


def play(pair: Path, *arguments: str) -> Finished:
    return run("multinet-run-eval", "--task-dir", pair, "--model", "optimal", "-B", "render_mode=none", *arguments)


def test_a_set_verifies_as_a_whole(pair: Path) -> None:
    finished = run("multinet", "tasks", "verify", pair)
    assert (finished.returncode, finished.stdout.splitlines()[-1]) == (0, "2 of 2 tasks verified")


def test_a_missing_member_is_told(pair: Path, tmp_path: Path) -> None:
    kept = next(path for path in sorted(pair.iterdir()) if "key_first" in path.name)
    (tmp_path / kept.name).write_bytes(kept.read_bytes())
    finished = run("multinet", "tasks", "verify", tmp_path)
    assert finished.returncode == 1
    assert "2 tasks belong together, of which 1 are here: key_first" in finished.stdout


def test_episodes_have_as_many_steps_as_the_set_says(pair: Path) -> None:
    finished = play(pair, "--tiling", "square", "--json")
    results = json.loads(finished.stdout)["task_results"]
    assert [each["max_steps"] for each in results] == [2 * each["optimal_steps"] for each in results]
    assert "budget: as many times the optimum as the task says on each tiling" in finished.stderr


def test_a_factor_goes_before_that_and_none_switches_it_off(pair: Path) -> None:
    for factor, times in (("1", 1), ("1.5", 1.5)):
        results = json.loads(play(pair, "--tiling", "square", "--json", "--budget-factor", factor).stdout)
        assert all(each["max_steps"] == -(-times * each["optimal_steps"] // 1) for each in results["task_results"])
    off = play(pair, "--tiling", "square", "--json", "--budget-factor", "none")
    own = {json.loads(path.read_text())["max_steps"] for path in pair.glob("order*.json")}
    assert {each["max_steps"] for each in json.loads(off.stdout)["task_results"]} == own
    assert "budget:" not in off.stderr


def test_a_factor_below_one_is_refused(pair: Path) -> None:
    assert_refused(play(pair, "--budget-factor", "0.9"), "budget factor: expected a number of at least 1")
