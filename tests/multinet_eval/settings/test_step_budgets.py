"""Budgets that are a multiple of the optimum on the tiling that is played."""

from pathlib import Path
from typing import Any

import attrs
import pytest

from gridworld.errors import ArgumentError
from gridworld.generation.certificate import DEFAULT_BOUNDS, Certificate, prove
from gridworld.plugins.tilings import compile_on
from gridworld.task_spec import TaskSpecification
from multinet_eval.record.results import recorded_results
from multinet_eval.record.run_directory import RunDirectory
from multinet_eval.settings.run_settings import RunSettings, check_factor
from support.runs import go_on, record_run
from support.worlds import draw

CORNER = "#######\n#@....#\n#.###.#\n#....G#\n#######"


def corner(**fields: Any) -> TaskSpecification:
    return attrs.evolve(draw(CORNER, max_steps=77), task_id="corner", **fields)


def allowed(directory: RunDirectory) -> dict[str | None, int]:
    """Tiling to the steps that its episode has, by its header."""
    results = recorded_results(directory)
    return {results.manifest.episode(number).tiling: each.max_steps for number, each in results.results.items()}


def best(directory: RunDirectory) -> dict[str | None, int]:
    results = recorded_results(directory)
    found = {results.manifest.episode(number).tiling: each.optimal_steps for number, each in results.results.items()}
    return {tiling: steps for tiling, steps in found.items() if steps is not None}


TWO: dict[str, Any] = {"tilings": ("square", "hex"), "backend": "multigrid", "backend_arguments": ("render_mode=none",)}


def test_each_tiling_has_its_own(tmp_path: Path) -> None:
    directory = record_run(tmp_path / "run", [corner()], "F" * 300, **TWO, budget_factor="2")
    found = best(directory)
    assert set(found) == {"square", "hex"}
    assert allowed(directory) == {tiling: 2 * steps for tiling, steps in found.items()}
    assert directory.manifest.fingerprint["budget_factor"] == "2"


def test_without_a_factor_max_steps_is_what_the_task_says(tmp_path: Path) -> None:
    directory = record_run(tmp_path / "run", [corner()], "F" * 300, **TWO)
    assert allowed(directory) == {"square": 77, "hex": 77}
    assert directory.manifest.fingerprint["budget_factor"] is None


def test_a_task_may_ask_for_it_and_that_may_be_refused(tmp_path: Path) -> None:
    task = corner(metadata={"budget_factor": 1.5})
    asked = record_run(tmp_path / "asked", [task], "F" * 300, **TWO)
    assert all(steps < 77 for steps in allowed(asked).values())
    refused = record_run(tmp_path / "refused", [task], "F" * 300, **TWO, budget_factor="none")
    assert allowed(refused) == {"square": 77, "hex": 77}


def test_the_optimum_is_that_of_the_certificate_where_there_is_one(tmp_path: Path) -> None:
    square = compile_on("square", corner())
    certificate = Certificate.of({"square": prove(square, DEFAULT_BOUNDS)}, budget={}, bounds=DEFAULT_BOUNDS).to_dict()
    certificate["optimal_length"]["square"] = 10  # which is not so, and shows where it comes from
    directory = record_run(
        tmp_path / "run", [corner(metadata={"certificate": certificate})], "F" * 300, **TWO, budget_factor="3"
    )
    assert allowed(directory)["square"] == 30
    assert allowed(directory)["hex"] != 30


def test_a_budget_that_is_part_of_the_goal_stays(tmp_path: Path) -> None:
    timed = attrs.evolve(draw(CORNER, max_steps=9, goal={"type": "survive_steps"}), task_id="timed")
    directory = record_run(tmp_path / "run", [timed], "F" * 300, budget_factor="2")
    assert allowed(directory) == {None: 9}


def test_a_run_that_was_left_goes_on_with_the_same_budgets(tmp_path: Path) -> None:
    settings = {**TWO, "budget_factor": "1.2"}
    whole = record_run(tmp_path / "whole", [corner()], "L" * 300, **settings)
    left = record_run(tmp_path / "left", [corner()], "L" * 300, requests=3, **settings)
    assert len(recorded_results(left).results) == 0
    assert left.manifest.plan == whole.manifest.plan
    resumed = go_on(tmp_path / "left", epochs=2)
    budgets = {(each.tiling, each.epoch): each.max_steps for each in resumed.manifest.plan}
    assert budgets["square", 0] == budgets["square", 1] != budgets["hex", 1] == budgets["hex", 0]
    assert allowed(resumed) == allowed(whole)


@pytest.mark.parametrize("wrong", ["0.5", "two", "nan", "inf", ""])
def test_other_factors_are_refused(wrong: str) -> None:
    with pytest.raises(ArgumentError, match="at least 1"):
        check_factor(wrong)


def test_settings_go_through_json() -> None:
    settings = RunSettings("random", budget_factor="2.5")
    assert RunSettings.from_dict(settings.to_dict()) == settings
