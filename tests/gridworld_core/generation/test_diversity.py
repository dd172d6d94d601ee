"""How different tasks are, in numbers."""

import pytest

from gridworld.errors import GridworldError
from gridworld.generation.making import Made, make_all
from gridworld.generation.recipe import Recipe
from gridworld.generation.task_folder import Spread, measure_diversity
from support.random_tasks import random_task

pytestmark = pytest.mark.usefixtures("generators")


def test_the_numbers_of_a_few_corridors() -> None:
    recipes = [Recipe(family="corridors", count=2, parameters={"size": size, "depth": "1"}) for size in ("12", "14")]
    tasks = [task for found in make_all(recipes) if isinstance(found, Made) for task in found.tasks]
    measured = measure_diversity(tasks)
    lengths = sorted(len(task.metadata["certificate"]["plan"]["square"]) for task in tasks)
    assert (measured.tasks, measured.forms, measured.layouts, measured.nearest_layout) == (4, 4, 2, 0.0)
    assert measured.lengths == {"square": Spread(lengths[0], sum(lengths[1:3]) / 2, lengths[-1])}
    assert measured.chains == {"key-door": 4}


def test_of_nothing_there_is_nothing_to_tell() -> None:
    measured = measure_diversity([])
    assert (measured.tasks, measured.nearest_layout, measured.lengths, measured.chains) == (0, None, {}, {})


def test_tasks_without_a_certificate_are_refused() -> None:
    with pytest.raises(GridworldError, match=r"metadata\.certificate is missing"):
        measure_diversity([random_task(1)])
