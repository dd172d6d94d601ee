"""Sets of tasks on the command line: generated, verified together, and played with budgets by the optimum."""

import json
from pathlib import Path

import pytest

from support.commands import run
from support.programs import Finished


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
    results = json.loads(play(pair, "--tiling", "square", "--json", "--budget-factor", "1.5").stdout)
    assert all(each["max_steps"] == -(-1.5 * each["optimal_steps"] // 1) for each in results["task_results"])
    off = play(pair, "--tiling", "square", "--json", "--budget-factor", "none")
    own = {json.loads(path.read_text())["max_steps"] for path in pair.glob("order*.json")}
    assert {each["max_steps"] for each in json.loads(off.stdout)["task_results"]} == own
    assert "budget:" not in off.stderr


SETS = """\
[[recipes]]
family = "order"
count = 1
size = 7
tilings = ["square", "hex"]

[[recipes]]
family = "sight"
count = 1
seed = 4
size = [7, 8]
base = "perfect_maze:depth=1"
"""


@pytest.mark.more
def test_recipes_may_ask_for_sets_of_several_kinds(tmp_path: Path) -> None:
    suite, made = tmp_path / "sets.toml", tmp_path / "made"
    suite.write_text(SETS)
    finished = run("multinet", "tasks", "generate", suite, "-o", made)
    assert (finished.returncode, finished.stdout.splitlines()[-1]) == (0, f"2 of 2 made, 5 tasks in {made}")
    assert run("multinet", "tasks", "verify", made).stdout.splitlines()[-1] == "5 of 5 tasks verified"
    seals = {run("multinet", "tasks", "seal", place).stdout for place in (suite, made)}
    assert len(seals) == 1
    call = ("--benchmark", suite, "--model", "optimal", "-B", "render_mode=none", "--json")
    results = json.loads(run("multinet-run-eval", *call).stdout)["task_results"]
    assert [each["success"] for each in results] == [True] * 5
    assert all(each["max_steps"] == 3 * each["optimal_steps"] for each in results)
