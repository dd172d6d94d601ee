"""Suites that are generated when they are asked for, and kept on disk, so that each is generated once."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from contextlib import suppress
from functools import lru_cache
from pathlib import Path

import attrs

from gridworld.errors import ArgumentError, Problem, TaskError
from gridworld.generation.making import Found, Job, Made, jobs_of, make, without_duplicates
from gridworld.generation.recipe import Recipe, generator_class
from gridworld.generation.recipe_texts import SCHEME, recipe_from_name, recipes_from_file
from gridworld.generation.task_folder import find_made, write_made
from gridworld.hookspecs import BenchmarkInfo
from gridworld.plugins import get_registry
from gridworld.suites.folders import SuiteError, benchmark_place
from gridworld.support.cache import cache_folder, package_digest
from gridworld.support.files import json_files
from gridworld.task_spec import TaskSpecification

__all__ = [
    "RECIPES",
    "SUITES",
    "KeptSuite",
    "benchmark_recipes",
    "generate_suite",
    "kept_suite",
    "kept_suites",
    "suite_recipes",
]

SUITES = "suites"
"""The kind of things in the cache that generated suites are."""
RECIPES = ".toml"
"""How the names of files of recipes end."""


def suite_recipes(name: str) -> tuple[Recipe, ...]:
    """The recipes that a suite's name stands for; none for a suite of files, or a name that is none.

    It is ``generated:FAMILY?...``, the path of a TOML file, or an installed suite that is made of one.

    Raises:
        ArgumentError: the recipes cannot be read, or cannot be right.
        PluginFault: the package of an installed suite cannot be imported.
    """
    benchmarks = get_registry().benchmarks
    if name in benchmarks:
        return benchmark_recipes(benchmarks.get(name))
    if name.startswith(SCHEME):
        return (recipe_from_name(name),)
    return recipes_from_file(Path(name)) if name.endswith(RECIPES) else ()


def benchmark_recipes(benchmark: BenchmarkInfo, salt: str = "") -> tuple[Recipe, ...]:
    """The recipes of an installed suite, none if it is one of files; raises as `suite_recipes` does."""
    return recipes_from_file(benchmark_place(benchmark), salt) if benchmark.folder.endswith(RECIPES) else ()


def kept_suite(recipes: Sequence[Recipe]) -> Path | None:
    """The folder on disk that a suite is kept in, whether or not it is there; None where nothing is to be kept.

    It is found by the recipes and the sources of the core and of the generators' packages.
    """
    folder = cache_folder(SUITES)
    packages = sorted({"gridworld", *(generator_class(each.family).__module__.partition(".")[0] for each in recipes)})
    said = [[recipe.digest, recipe.count] for recipe in recipes] + [[name, package_digest(name)] for name in packages]
    key = hashlib.blake2b(json.dumps(said).encode(), digest_size=16).hexdigest()
    return None if folder is None else folder / key


@attrs.frozen
class KeptSuite:
    """A generated suite on disk, whole or not."""

    path: Path
    tasks: int
    size: int
    """In bytes."""


def kept_suites(folder: Path) -> list[KeptSuite]:
    """The suites in a folder, in the order of their paths."""
    sizes = {path: [file.stat().st_size for file in json_files(path)] for path in sorted(folder.glob("*"))}
    return [KeptSuite(path, len(each), sum(each)) for path, each in sizes.items() if each]


@lru_cache(maxsize=4)
def generate_suite(recipes: tuple[Recipe, ...]) -> tuple[TaskSpecification, ...]:
    """The tasks of some recipes, in order.

    Raises:
        SuiteError: fewer were found than are asked for.
        UnknownNameError, AmbiguousNameError, PluginFault, ArgumentError: as `gridworld.generation.making.make` does.
    """
    folder, jobs = kept_suite(recipes), jobs_of(recipes)
    kept = {} if folder is None else _kept(folder, jobs)
    tasks: list[TaskSpecification] = []
    problems = []
    for found in without_duplicates(kept.get(job) or make(job) for job in jobs):
        if not isinstance(found, Made):
            problems.append(Problem(f"{found.job.recipe.family}, number {found.job.number}", _why(found)))
            continue
        tasks += found.tasks
        if folder is not None and found.job not in kept:
            _keep(found, folder)
    if problems:
        raise SuiteError(problems, "the recipe")
    return tuple(tasks)


def _kept(folder: Path, jobs: Sequence[Job]) -> dict[Job, Made]:
    """What was made before; nothing if that is damaged."""
    try:
        return find_made(folder, jobs)
    except (ArgumentError, TaskError, OSError):
        return {}


def _keep(made: Made, folder: Path) -> None:
    with suppress(OSError):  # a full or read-only disk costs time, and nothing else
        folder.mkdir(parents=True, exist_ok=True)
        write_made(folder, made)


def _why(found: Found) -> str:
    reasons = ", ".join(f"{count} {reason}" for reason, count in found.refused.items())
    return f"nothing found in {found.job.recipe.max_attempts} attempts: {reasons}"
