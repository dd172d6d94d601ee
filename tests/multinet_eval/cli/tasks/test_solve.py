"""``multinet tasks solve``: a shortest plan, step by step."""

import json
from pathlib import Path

import pytest

from gridworld.actions import Action
from gridworld.solver import solve as search
from gridworld.task_spec import TaskSpecification
from support.commands import runner
from support.programs import json_of, output_of
from support.runs import write_corridor
from support.worlds import begin, compiled, door, key

solve = runner("multinet", "tasks", "solve")


@pytest.fixture(scope="module")
def locked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A task that is won by PICKUP FORWARD TOGGLE FORWARD FORWARD FORWARD."""
    return write_corridor(tmp_path_factory.mktemp("solve"), "locked", "@kD.G", max_steps=20, k=key(), D=door("red"))


def test_a_plan_is_told_step_by_step(locked: Path) -> None:
    printed = output_of(solve(locked))
    headline, *steps = printed.splitlines()
    states = search(compiled(TaskSpecification.from_json(locked))).states_seen
    assert headline == f"locked: solved, {states} states seen, 6 actions (budget 20)"
    assert [step.split()[:2] for step in steps] == [
        ["1", "pickup"],
        ["2", "move_forward"],
        ["3", "toggle"],
        ["4", "move_forward"],
        ["5", "move_forward"],
        ["6", "move_forward"],
    ]
    assert "picked up" in steps[0]
    assert "goal" in steps[-1]


def test_the_plan_as_json_wins_with_its_last_action(locked: Path) -> None:
    result = json_of(solve(locked, "--json"))
    assert (result["task_id"], result["verdict"], result["length"], result["max_steps"]) == ("locked", "solved", 6, 20)
    assert len(result["plan"]) == 6
    episode = begin(TaskSpecification.from_json(locked))
    for name in result["plan"]:
        assert not episode.terminated
        episode.step(Action[name.upper()])
    assert episode.succeeded


def test_a_task_of_an_installed_suite_is_named_by_suite_and_id(tmp_path: Path) -> None:
    result = json.loads(solve("validation_10/v01_empty_room", "--json", cwd=tmp_path).stdout)
    assert (result["task_id"], result["length"]) == ("v01_empty_room", 10)


def test_a_task_that_cannot_be_won_fails(tmp_path: Path) -> None:
    task = write_corridor(tmp_path, "walled", "@.#G")
    finished = solve(task)
    assert (finished.returncode, finished.stdout) == (1, "walled: unsolvable, 8 states seen\n")
    as_json = solve(task, "--json")
    assert as_json.returncode == 1
    assert json.loads(as_json.stdout) == {
        "task_id": "walled",
        "tiling": "square",
        "verdict": "unsolvable",
        "length": None,
        "max_steps": 6,
        "states_seen": 8,
        "plan": None,
    }


def test_a_search_cut_short_gave_up(tmp_path: Path) -> None:
    task = write_corridor(tmp_path, "large", "@......#G")
    finished = solve(task, "--max-states", "5")
    assert (finished.returncode, finished.stdout) == (1, "large: gave up after 5 states; raise --max-states\n")
    assert json.loads(solve(task, "--max-states", "5", "--json").stdout)["verdict"] == "gave up"


def test_a_plan_longer_than_the_budget_is_told_to_be(tmp_path: Path) -> None:
    finished = solve(write_corridor(tmp_path, "far", "@....G", max_steps=2))
    assert finished.returncode == 1
    assert finished.stdout.splitlines()[1:] == ["the plan is longer than the budget"]
    assert "5 actions (budget 2)" in finished.stdout


def test_long_runs_of_equal_steps_are_told_in_one_line(tmp_path: Path) -> None:
    waiting = write_corridor(tmp_path, "survive", "@.G", goal={"type": "survive_steps"}, max_steps=1_000)
    assert solve(waiting).stdout.splitlines()[1:] == [
        "1-999  done          waited",
        " 1000  done          waited; reached the goal of the mission",
    ]
    assert len(json.loads(solve(waiting, "--json").stdout)["plan"]) == 1_000


def test_numbers_of_steps_continue_after_a_long_run(tmp_path: Path) -> None:
    walking = solve(write_corridor(tmp_path, "walk", "@" + "." * 10 + "kD.G", k=key(), D=door("red"), max_steps=40))
    spans = [line.split()[0] for line in walking.stdout.splitlines()[1:]]
    assert spans == ["1-10", "11", "12", "13", "14", "15", "16"]
