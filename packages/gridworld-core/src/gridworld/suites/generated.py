"""Suites generated on demand and cached on disk."""

from __future__ import annotations

import hashlib
import json
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from gridworld.errors import ArgumentError, Problem, TaskError
from gridworld.generation.making import Found, Job, Made, Missed, find_missing, jobs_of, one_by_one
from gridworld.generation.recipe import Recipe, check_recipes, generator_class
from gridworld.generation.task_folder import find_made, write_made
from gridworld.plugins import get_registry
from gridworld.suites.folders import SuiteError
from gridworld.support.caches import cache_folder, package_digest
from gridworld.task_spec import TaskSpecification

SUITES = "suites"
"""Name of the cache folder for generated suites."""


def suite_cache_folder(recipes: Sequence[Recipe]) -> Path | None:
    """Return the cache folder of a suite, which need not exist; None if caching is disabled.

    Its name depends on the recipes and on the sources of all packages that affect the tasks and their proofs.
    """
    folder = cache_folder(SUITES)
    digests = {name: package_digest(name) for name in sorted(_packages(recipes))}
    if folder is None or None in digests.values():
        return None
    key_parts = [[recipe.digest, recipe.count] for recipe in recipes] + sorted(digests.items())
    return folder / hashlib.blake2b(json.dumps(key_parts).encode(), digest_size=16).hexdigest()


def _packages(recipes: Iterable[Recipe]) -> set[str]:
    """List the packages of the generators and their base classes, of the tilings, and of all installed mechanisms."""
    registry = get_registry()
    modules = {base.__module__ for recipe in recipes for base in generator_class(recipe.family).__mro__}
    modules |= {registry.tilings.get(tiling).target for recipe in recipes for tiling in recipe.tilings}
    modules |= {provided.item.spec.__module__ for provided in registry.mechanisms}
    packages = {re.split(r"[.:]", module)[0] for module in modules}
    return packages - set(sys.stdlib_module_names)


_generated: dict[tuple[Recipe, ...], tuple[TaskSpecification, ...]] = {}


def generate_suite(
    recipes: tuple[Recipe, ...], find_all: Callable[[Sequence[Job]], Iterator[Found]] = one_by_one
) -> tuple[TaskSpecification, ...]:
    """Return the tasks of recipes, in order; cached in memory and on disk.

    Args:
        recipes: the recipes.
        find_all: maps jobs to the results of `gridworld.generation.making.make`, in order.

    Raises:
        SuiteError: fewer tasks were found than requested.
        UnknownNameError, AmbiguousNameError, PluginFault, ArgumentError: as `gridworld.generation.making.make` does.
    """
    if recipes not in _generated:
        _generated[recipes] = _generate(recipes, find_all)
    return _generated[recipes]


def _generate(
    recipes: tuple[Recipe, ...], find_all: Callable[[Sequence[Job]], Iterator[Found]]
) -> tuple[TaskSpecification, ...]:
    check_recipes(recipes)
    folder, jobs = suite_cache_folder(recipes), jobs_of(recipes)
    kept = {} if folder is None else _kept(folder, jobs)
    tasks: list[TaskSpecification] = []
    problems = []
    for found in find_missing(jobs, kept, find_all):
        if not isinstance(found, Made):
            problems.append(_problem(found))
            continue
        tasks += found.tasks
        if folder is not None:
            with suppress(OSError):  # a full or read-only disk costs only time
                folder.mkdir(parents=True, exist_ok=True)
                write_made(folder, found, kept.get(found.job))
    if problems:
        raise SuiteError(problems, "the recipe")
    return tuple(tasks)


def required_tasks(found: Found) -> tuple[TaskSpecification, ...]:
    """Return the tasks found for a job; raises `SuiteError` if none were found."""
    if isinstance(found, Made):
        return found.tasks
    raise SuiteError([_problem(found)], "the recipe")


def _kept(folder: Path, jobs: Sequence[Job]) -> dict[Job, Made]:
    """Return the cached results; empty if the cache is damaged."""
    try:
        return find_made(folder, jobs)
    except (ArgumentError, TaskError, OSError):
        return {}


def _problem(found: Missed) -> Problem:
    """Describe why no task was found."""
    recipe = found.job.recipe
    reasons = ", ".join(f"{count} {reason}" for reason, count in found.refused.items())
    reason = f"nothing found in {recipe.max_attempts} attempts: {reasons}"
    return Problem(f"{recipe.family}, number {found.job.number}", reason)
