"""Generates tasks with several processes and a progress bar."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from multinet_eval.cli.row_bars import with_progress
from multinet_eval.support.output import writing_to

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
    from gridworld.generation.making import Made, find_missing, jobs_of
    from gridworld.generation.recipe import check_recipes
    from gridworld.generation.task_folder import find_made, write_made

    check_recipes(recipes)
    with writing_to(output):
        output.mkdir(parents=True, exist_ok=True)
    jobs = jobs_of(recipes)
    there = find_made(output, jobs)
    all_found = []
    for found in find_missing(jobs, there, partial(_find_all, workers=workers)):
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
    from gridworld.suites.recipes import suite_recipes

    recipes = suite_recipes(name)
    if recipes:
        from gridworld.suites.generated import generate_suite

        generate_suite(recipes, _find_all)


def _find_all(jobs: Sequence[Job], workers: int | None = None) -> Iterator[Found]:
    from gridworld.generation.making import make
    from multinet_eval.cli.tasks.spreading import spread

    with spread(make, jobs, workers) as made:
        yield from with_progress(made, len(jobs), "generating")
