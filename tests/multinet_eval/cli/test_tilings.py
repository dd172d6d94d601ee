"""``multinet-run-eval --tiling``: a suite on one tiling, or on all of them with one summary."""

import json
from pathlib import Path
from typing import Any

import pytest

from gridworld.solver import solve
from gridworld.suites import find_suite
from gridworld.task_spec import TaskSpecification
from gridworld.world import compile_world
from support.commands import invoke, run
from support.programs import json_of
from support.runs import write_corridor
from support.thoroughness import in_turn
from support.tilings import TILINGS, make_topology
from support.worlds import door, key


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("suite")
    write_corridor(folder, "locked", "@kD.G", max_steps=40, k=key(), D=door("red"))
    write_corridor(folder, "open", "@..G", max_steps=40)
    return folder


def evaluate(folder: Path, *arguments: str) -> dict[str, Any]:
    results: dict[str, Any] = json_of(
        run("multinet-run-eval", "--task-dir", folder, "--model", "optimal", "--json", *arguments)
    )
    return results


def optimum(folder: Path, task_id: str, tiling: str) -> int | None:
    task = TaskSpecification.from_json(folder / f"{task_id}.json")
    return solve(compile_world(task, make_topology(tiling, task.maze.dimensions))).length


@in_turn("name, option", TILINGS, ["--tiling {}", "--backend multigrid -B tiling={}"])
def test_the_optimal_model_wins_in_exactly_the_optimum(folder: Path, name: str, option: str) -> None:
    results = evaluate(folder, *option.format(name).split())
    assert (results["backend"], results["tiling"]) == ("multigrid", name)
    for result in results["task_results"]:
        assert result["success"]
        assert result["steps_taken"] == result["optimal_steps"] == optimum(folder, result["task_id"], name)


def test_all_tilings_are_played_with_one_summary(folder: Path) -> None:
    results = evaluate(folder, "--tiling", "all")
    assert results["complete"]
    assert list(results["tilings"]) == sorted(TILINGS)
    for name, metrics in results["tilings"].items():
        assert (metrics["tiling"], metrics["num_success"], metrics["spl"]) == (name, 2, 1.0)
    assert results["tilings"]["hex"] == evaluate(folder, "--tiling", "hex")


def test_it_says_which_tasks_the_spl_of_each_tiling_is_the_mean_of(tmp_path: Path) -> None:
    """One has a block that cannot be pushed there on all tilings, the other as many steps as it takes on squares."""
    (pushed,) = (task for task in find_suite("tiers") if task.task_id == "t3_02_dead_weight")
    pushed.to_json(tmp_path / "pushed.json")
    write_corridor(tmp_path, "tight", "@....G", max_steps=5)
    finished = invoke(["eval", "--task-dir", tmp_path, "--model", "random", "--tiling", "all"])
    assert finished.exit_code == 0
    _, _, table, notes, *_ = finished.stdout.split("\n\n")
    assert "triangle" in table
    unbroken = " ".join(notes.split())  # wherever lines are broken
    assert unbroken.partition(" success rate ")[0] == (
        "3464, hex: SPL is the mean of 1 of 2 episodes: 1 is unsolvable "
        "3464, triangle: 1 episode is over budget: the shortest plan is longer, so SPL counts 0 for it "
        "these SPLs are means over different tasks and cannot be compared"
    )
    alone = invoke(["eval", "--task-dir", tmp_path, "--model", "random", "--tiling", "3464"]).stdout
    assert "unsolvable" in next(line for line in alone.splitlines() if "t3_02" in line)
    assert "10 (over budget)" in next(line for line in alone.splitlines() if "tight" in line)
    assert "SPL is the mean of 1 of 2 episodes: 1 is unsolvable" in " ".join(alone.split())


def test_tilings_of_third_parties_are_among_all(folder: Path, tmp_path: Path) -> None:
    from support.plugins import write_distribution

    source = """
from gridworld.hookspecs import TilingInfo, hookimpl

@hookimpl
def gridworld_tilings():
    return [TilingInfo("brick", "Hexagons by another name.", "gridworld_polygons.uniform:hexagon_topology")]
"""
    write_distribution(tmp_path, "acme-brick", "1.0", {"brick": "acme_brick"}, {"acme_brick.py": source})
    finished = run(
        "multinet-run-eval", "--task-dir", folder, "--model", "random", "--tiling", "all", "--json", path=[tmp_path]
    )
    assert list(json.loads(finished.stdout)["tilings"]) == sorted([*TILINGS, "brick"])
