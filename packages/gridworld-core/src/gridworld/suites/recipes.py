"""Which suites are generated, and by what recipes."""

from __future__ import annotations

from pathlib import Path

from gridworld.generation.recipe import Recipe
from gridworld.generation.recipe_texts import SCHEME, recipe_from_name, recipes_from_file
from gridworld.hookspecs import BenchmarkInfo
from gridworld.plugins import get_registry
from gridworld.suites.folders import benchmark_place

__all__ = ["RECIPES", "benchmark_recipes", "suite_recipes"]

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
