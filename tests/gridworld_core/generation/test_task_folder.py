"""Folders of generated tasks, their reports, and the diversity of tasks."""

import json
from pathlib import Path
from typing import Any

import attrs
import pytest

from gridworld.errors import ArgumentError, GridworldError
from gridworld.generation.making import Found, Made, jobs_of, make, make_all, without_duplicates
from gridworld.generation.recipe import Band, Recipe
from gridworld.generation.task_folder import Spread, find_made, measure_diversity, report, write_made, write_report
from gridworld.suites import load_folder
from support.random_tasks import random_task

pytestmark = pytest.mark.usefixtures("generators")


def made(recipe: Recipe) -> list[Found]:
    return list(make_all([recipe]))


def write(folder: Path, found: list[Found]) -> None:
    for each in found:
        assert isinstance(each, Made)
        write_made(folder, each)


RECIPE = Recipe(family="corridors", count=3, parameters={"size": "9-20", "flaw": "unsolvable"})


def test_written_tasks_are_found_unchanged(tmp_path: Path) -> None:
    found = made(RECIPE)
    write(tmp_path, found)
    assert list(find_made(tmp_path, jobs_of([RECIPE])).values()) == found


def test_tasks_are_reused_for_a_larger_count(tmp_path: Path) -> None:
    write(tmp_path, made(RECIPE))
    larger = jobs_of([Recipe(family="corridors", count=5, parameters=RECIPE.parameters)])
    assert sorted(job.number for job in find_made(tmp_path, larger)) == [0, 1, 2]


def test_incomplete_sets_are_not_found(tmp_path: Path) -> None:
    twins = Recipe(family="twins", count=2)
    write(tmp_path, made(twins))
    next(tmp_path.glob("*-fog.json")).unlink()
    assert len(find_made(tmp_path, jobs_of([twins]))) == 1


@pytest.mark.parametrize("other", [{"seed": 1}, {"count": 2}, {"length": Band(3, 4)}])
def test_a_folder_with_tasks_of_another_recipe_is_refused(tmp_path: Path, other: dict[str, Any]) -> None:
    write(tmp_path, made(RECIPE))
    recipe = attrs.evolve(RECIPE, **other)
    with pytest.raises(ArgumentError, match="this task does not belong to the recipe; choose another folder"):
        find_made(tmp_path, jobs_of([recipe]))


def test_tasks_of_another_version_are_refused(tmp_path: Path) -> None:
    write(tmp_path, made(RECIPE))
    file = next(tmp_path.iterdir())
    file.write_text(file.read_text().replace('"solver": "gridworld-core', '"solver": "gridworld-core 0.0.1 or'))
    with pytest.raises(ArgumentError, match="made by other versions of the toolkit"):
        find_made(tmp_path, jobs_of([RECIPE]))


def test_filling_a_folder_in_two_steps_gives_the_same_tasks(tmp_path: Path) -> None:
    """With more tasks of the first recipe, some of the second are duplicates, and have to be others."""
    few, more = ([attrs.evolve(RECIPE, count=count), attrs.evolve(RECIPE, seed=1)] for count in (1, 6))
    write(tmp_path, list(make_all(few)))
    before = find_made(tmp_path, jobs_of(more))
    at_once = list(make_all(more))
    for each in without_duplicates(before.get(found.job) or make(found.job) for found in at_once):
        assert isinstance(each, Made)
        write_made(tmp_path, each, before.get(each.job))
    assert list(find_made(tmp_path, jobs_of(more)).values()) != list(before.values())
    assert sorted(find_made(tmp_path, jobs_of(more)).values(), key=number) == sorted(at_once, key=number)


def number(found: Found) -> tuple[int, int]:
    return found.job.recipe.seed, found.job.number


def test_a_folder_with_a_foreign_task_is_refused(tmp_path: Path) -> None:
    random_task(3).to_json(tmp_path / "mine.json")
    with pytest.raises(ArgumentError, match=r"mine\.json: this task does not belong to the recipe"):
        find_made(tmp_path, jobs_of([RECIPE]))


def test_the_report_counts_results_and_is_not_a_task(tmp_path: Path) -> None:
    found = made(RECIPE)
    write(tmp_path, found)
    write_report(tmp_path, report(found))
    told = json.loads((tmp_path / "report.json").read_text())
    refused = sum(told["refused"].values())
    assert set(told["refused"]) <= {"unsolvable", "like an earlier task"}
    assert (told["asked"], told["made"], told["acceptance"]) == (3, 3, 3 / (3 + refused))
    assert told["diversity"]["forms"] == told["diversity"]["tasks"] == len(load_folder(tmp_path)) == 3


def test_an_empty_report_has_no_measures() -> None:
    missed = made(Recipe(family="corridors", count=1, parameters={"size": "8"}, max_attempts=1, seed=3))
    contents = report([each for each in missed if not isinstance(each, Made)])
    assert (contents["asked"], contents["acceptance"], contents["diversity"]["tasks"]) == (0, None, 0)


def test_the_diversity_of_a_few_corridors() -> None:
    recipes = [Recipe(family="corridors", count=2, parameters={"size": size, "depth": "1"}) for size in ("12", "14")]
    tasks = [task for found in make_all(recipes) if isinstance(found, Made) for task in found.tasks]
    measured = measure_diversity(tasks)
    lengths = sorted(len(task.metadata["certificate"]["plan"]["square"]) for task in tasks)
    assert (measured.tasks, measured.forms, measured.layouts, measured.nearest_layout) == (4, 4, 2, 0.0)
    assert measured.lengths == {"square": Spread(lengths[0], sum(lengths[1:3]) / 2, lengths[-1])}
    assert measured.chains == {"key-door": 4}


def test_tasks_without_a_certificate_are_refused() -> None:
    with pytest.raises(GridworldError, match=r"metadata\.certificate is missing"):
        measure_diversity([random_task(1)])
