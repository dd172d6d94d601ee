"""``multinet tasks list``: the tasks of suites, with their difficulty in numbers."""

import json
from pathlib import Path
from typing import Any

import attrs
import pytest

from gridworld.plugins import DISABLE_VARIABLE, load_registry
from gridworld.solver import measure_difficulty
from gridworld.suites import load_benchmark
from gridworld.task_spec import TaskSpecification
from support.commands import runner
from support.programs import json_of, output_of
from support.runs import write_corridor
from support.worlds import compiled, door, hazard, key

GENERATORS = "gridworld-generators"
"""The distribution whose suite takes long, as it is generated."""


list_tasks = runner("multinet", "tasks", "list", "--workers", "1")


@pytest.fixture(scope="module")
def suite(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three tasks: one to be measured, one with a long way behind it, and one that cannot be won."""
    folder = tmp_path_factory.mktemp("listed") / "small"
    write_corridor(folder, "a_locked", "@kD.G", tier=2, max_steps=20, k=key(), D=door("red"))
    write_corridor(folder, "b_long", "h........@G", tier=3, h=hazard())
    write_corridor(folder, "c_walled", "@.#G")
    return folder


@pytest.mark.parametrize("disabled", [pytest.param([], marks=pytest.mark.thorough), [GENERATORS]], ids=str)
def test_every_task_of_every_installed_suite_is_listed(disabled: list[str]) -> None:
    """With hardly any search, as it is not the numbers that are looked at."""
    told = json_of(list_tasks("--max-states", "1", "--json", variables={DISABLE_VARIABLE: ",".join(disabled)}))
    benchmarks = load_registry(disabled).benchmarks
    listed = [(row["suite"], row["task_id"], row["tier"], row["max_steps"]) for row in told]
    assert listed == [
        (name, task.task_id, task.difficulty_tier, task.max_steps)
        for name in benchmarks.names()
        for task in load_benchmark(benchmarks.get(name))
    ]
    assert {"tiers", "validation_10"} <= {suite for suite, *_ in listed}


def test_the_numbers_are_those_of_the_solver(suite: Path) -> None:
    rows = json_of(list_tasks(suite, "--json"))
    assert [(row["task_id"], row["tier"], row["max_steps"]) for row in rows] == [
        ("a_locked", 2, 20),
        ("b_long", 3, 6),
        ("c_walled", 1, 6),
    ]
    for row in rows[:2]:
        world = compiled(TaskSpecification.from_json(suite / f"{row['task_id']}.json"))
        assert row["difficulty"] == attrs.asdict(measure_difficulty(world))


LAYOUT = {"size", "wall_density", "hidden_share"}
"""The numbers that take no plan."""


def test_a_task_without_a_plan_has_the_numbers_that_take_none(suite: Path) -> None:
    (row,) = (row for row in json.loads(list_tasks(suite, "--json").stdout) if row["task_id"] == "c_walled")
    assert {name for name, number in row["difficulty"].items() if number is not None} == LAYOUT
    assert len(row["difficulty"]) == 12
    assert [row["difficulty"][name] for name in sorted(LAYOUT)] == [0.0, 4, 0.25]


def test_unsolvable_and_given_up_rows_differ(suite: Path) -> None:
    rows = json.loads(list_tasks(suite, "--json", "--max-states", "12").stdout)
    assert [row["verdict"] for row in rows] == ["gave up", "solved", "unsolvable"]
    assert rows[0]["states_seen"] == 12
    told = list_tasks(suite, "--max-states", "12").stdout.splitlines()
    assert told[-1] == "1 search gave up, after 12 states; raise --max-states"


def difficulties(suite: Path, *options: str) -> dict[str, dict[str, Any]]:
    return {row["task_id"]: row["difficulty"] for row in json_of(list_tasks(suite, "--json", *options))}


def test_measures_beyond_the_table_limit_are_left_out(suite: Path) -> None:
    numbers = difficulties(suite, "--max-table-states", "12")["b_long"]
    assert (numbers["optimal_length"], numbers["irreversibility"], numbers["fragility"]) == (1, None, None)
    numbers = difficulties(suite)["b_long"]
    assert (numbers["optimal_length"], numbers["irreversibility"], numbers["fragility"]) == (1, 0.0, 11)


def test_the_table_has_dashes_for_missing_measures(suite: Path) -> None:
    printed = output_of(list_tasks(suite.name, cwd=suite.parent))
    rows = {line.split()[0]: line.split()[1:] for line in printed.splitlines() if line.strip()}
    counts = ("Best", "States", "Back", "Depth", "Kinds", "Decoys", "Alike", "Size")
    assert rows["Task"] == ["Tier", "Budget", *counts, "Walls", "Hidden", "Irrev.", "Fragile"]
    locked = rows["small/a_locked"]
    assert (locked[:3], locked[4:]) == (
        ["2", "20", "6"],
        ["0", "2", "2", "0", "0.00", "5", "0.00", "0.00", "0.00", "-"],
    )
    assert rows["small/c_walled"] == ["1", "6", "unsolvable", *"------", "4", "0.25", "0.00", "-", "-"]
