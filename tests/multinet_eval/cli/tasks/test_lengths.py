"""``multinet tasks lengths``: shortest plans, tiling by tiling."""

import json
from pathlib import Path
from typing import Any

import pytest

from gridworld.solver import solve
from gridworld.task_spec import TaskSpecification
from gridworld.world import compile_world
from support.programs import assert_refused, output_of, run
from support.runs import write_corridor
from support.tilings import TILINGS, make_topology
from support.worlds import door, key


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("suite")
    write_corridor(folder, "a_locked", "@kD.G", max_steps=30, k=key(), D=door("red"))
    write_corridor(folder, "b_walled", "@.#G", max_steps=30)
    write_corridor(folder, "c_hasty", "@......G", max_steps=3)
    return folder


def lengths(*arguments: str | Path) -> str:
    return output_of(run("multinet", "tasks", "lengths", "--workers", "1", *arguments))


def rows_of(*arguments: str | Path) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = json.loads(lengths(*arguments, "--json"))
    return rows


def test_lengths_are_those_of_the_solver(folder: Path) -> None:
    rows = rows_of(folder)
    assert [row["task_id"] for row in rows] == ["a_locked", "b_walled", "c_hasty"]
    for row in rows:
        task = TaskSpecification.from_json(folder / f"{row['task_id']}.json")
        assert set(row["tilings"]) == set(TILINGS)
        for name, found in row["tilings"].items():
            solution = solve(compile_world(task, make_topology(name, task.maze.dimensions)))
            assert found == {
                "verdict": solution.verdict.value,
                "length": solution.length,
                "states_seen": solution.states_seen,
            }


def test_a_single_tiling_can_be_asked_for(folder: Path) -> None:
    assert [list(row["tilings"]) for row in rows_of(folder, "--tiling", "hex")] == [["hex"]] * 3


def test_markdown_is_a_table_that_says_why_there_is_no_length(folder: Path) -> None:
    assert lengths(folder, "--tiling", "square", "--markdown").splitlines() == [
        "| Task | Budget | square |",
        "| --- | ---: | ---: |",
        f"| {folder}/a_locked | 30 | 6 |",
        f"| {folder}/b_walled | 30 | unsolvable |",
        f"| {folder}/c_hasty | 3 | 7 (over budget) |",
    ]


def test_a_search_that_is_too_large_is_given_up(folder: Path) -> None:
    told = lengths(folder, "--max-states", "2", "--tiling", "square").splitlines()
    assert sum(line.endswith("gave up") for line in told) == 3
    assert told[-1] == "3 searches gave up, after 2 states; raise --max-states"
    assert "raise" not in lengths(folder, "--tiling", "square")


def test_the_table_for_people_names_every_tiling(folder: Path) -> None:
    heading = next(line for line in lengths(folder).splitlines() if "Budget" in line)
    assert heading.split()[2:] == sorted(TILINGS)


def test_an_unknown_tiling_is_refused_with_the_nearest_name(folder: Path) -> None:
    assert_refused(run("multinet", "tasks", "lengths", folder, "--tiling", "hexx"), "did you mean 'hex'?")
