"""The bundled suite of generated tasks: a hundred, twenty in each of five tiers, each with a proof."""

from collections import Counter

import pytest

from gridworld.generation.making import Made, jobs_of, make
from gridworld.generation.recipe import Recipe
from gridworld.generation.verifying import verify
from gridworld.suites.generated import generate_suite
from gridworld.suites.named import suite_recipes

RECIPES = suite_recipes("fresh_100")


def name_of(recipe: Recipe) -> str:
    return f"{recipe.family}-{recipe.seed}"


@pytest.mark.parametrize("recipe", RECIPES, ids=name_of)
def test_each_recipe_gives_tasks_of_its_tier(recipe: Recipe) -> None:
    """The seeds of a tier begin with its number."""
    made = make(jobs_of([recipe])[0])
    assert isinstance(made, Made)
    assert {task.difficulty_tier for task in made.tasks} == {recipe.seed // 100}


def test_there_are_twenty_tasks_of_each_tier() -> None:
    counts = Counter[int]()
    for recipe in RECIPES:
        counts[recipe.seed // 100] += recipe.count
    assert counts == dict.fromkeys(range(1, 6), 20)


@pytest.mark.thorough
def test_the_whole_suite_is_found_and_proved() -> None:
    tasks = generate_suite(RECIPES)
    assert len({task.task_id for task in tasks}) == 100
    assert [str(problem) for task in tasks for problem in verify(task).problems] == []
