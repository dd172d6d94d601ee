"""Generates tasks with several processes and a progress bar."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from multinet_eval.cli.tasks.common import with_progress
from multinet_eval.writing import writing_to

if TYPE_CHECKING:
    from gridworld.generation.making import Found, Job
    from gridworld.generation.recipe import Recipe

__all__ = ["make_tasks", "prepare_suite"]


def make_tasks(recipes: Sequence[Recipe], output: Path, workers: int | None = None) -> list[Found]:
    """Write the tasks of recipes to a folder; what is there is not made again.

    Raises:
        UnknownNameError, AmbiguousNameError, PluginFault, ArgumentError: as `gridworld.generation.making.make` and
            `gridworld.generation.task_folder.find_made` do.
        GridworldError: the folder cannot be written.
    """
    from gridworld.errors import ArgumentError
    from gridworld.generation.making import Made, jobs_of, make, without_duplicates
    from gridworld.generation.recipe import variations
    from gridworld.generation.task_folder import find_made, write_made
    from gridworld.plugins import get_registry
    from multinet_eval.cli.tasks.spreading import spread

    for number, recipe in enumerate(recipes):  # so that a wrong call is told before anything is made
        for tiling in recipe.tilings:
            get_registry().tilings.get(tiling)
        try:
            variations(recipe)
        except ArgumentError as error:
            raise ArgumentError(f"recipes[{number}]: {error}" if len(recipes) > 1 else str(error)) from error
    jobs = jobs_of(recipes)
    with writing_to(output):
        output.mkdir(parents=True, exist_ok=True)
    there = find_made(output, jobs)
    missing = [job for job in jobs if job not in there]
    all_found = []
    with spread(make, missing, workers) as made:
        in_order = (there[job] if job in there else next(made) for job in jobs)
        for found in with_progress(without_duplicates(in_order), len(jobs), "generating"):
            all_found.append(found)
            if isinstance(found, Made):
                with writing_to(output):
                    write_made(output, found, there.get(found.job))
    return all_found


def prepare_suite(name: str) -> None:
    """Generate a suite, if it is to be, with several processes and a bar.

    Raises:
        SuiteError, UnknownNameError, AmbiguousNameError, PluginFault, ArgumentError: as
            `gridworld.suites.generated.generate_suite` does.
    """
    from gridworld.suites.generated import generate_suite, suite_recipes

    recipes = suite_recipes(name)
    if recipes:
        generate_suite(recipes, _find_all)


def _find_all(jobs: Sequence[Job]) -> Iterator[Found]:
    from gridworld.generation.making import make
    from multinet_eval.cli.tasks.spreading import spread

    with spread(make, jobs) as made:
        yield from with_progress(made, len(jobs), "generating")
