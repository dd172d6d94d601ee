"""``multinet tasks generate``: generate certified tasks of a family or of recipes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs
import typer

from gridworld.errors import ArgumentError, PluginFault
from gridworld.plugins import get_registry
from gridworld.plugins.arguments import list_arguments
from gridworld.support.wording import counted
from multinet_eval.cli.commands import command
from multinet_eval.cli.echo import echo, echo_json
from multinet_eval.cli.errors import FAILED
from multinet_eval.cli.options import AsJson, Workers
from multinet_eval.cli.progress_bars import with_progress
from multinet_eval.cli.table import Column, print_table
from multinet_eval.support.output import writing_to

if TYPE_CHECKING:
    from gridworld.generation.making import Found, Job
    from gridworld.generation.recipe import Recipe
    from gridworld.hookspecs import GeneratorInfo


def make_tasks(recipes: Sequence[Recipe], output: Path, workers: int | None = None) -> list[Found]:
    """Write the tasks of recipes to a folder; existing tasks are not made again.

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
    made = find_made(output, jobs)
    all_found = []
    for found in find_missing(jobs, made, partial(_find_all, workers=workers)):
        all_found.append(found)
        if isinstance(found, Made):
            with writing_to(output):
                write_made(output, found, made.get(found.job))
    return all_found


def prepare_suite(name: str) -> None:
    """Generate a suite defined by recipes, with several processes and a progress bar.

    Raises:
        SuiteError, UnknownNameError, AmbiguousNameError, PluginFault, ArgumentError: as
            `gridworld.suites.generated.generate_suite` does.
    """
    from gridworld.suites.named import suite_recipes

    recipes = suite_recipes(name)
    if recipes:
        from gridworld.suites.generated import generate_suite

        generate_suite(recipes, _find_all)


def _find_all(jobs: Sequence[Job], workers: int | None = None) -> Iterator[Found]:
    from gridworld.generation.making import make
    from multinet_eval.support.parallel import parallel_map

    with parallel_map(make, jobs, workers) as made:
        yield from with_progress(made, len(jobs), "generating")


def _list_families(as_json: bool) -> None:
    families = [_family(provided.item) for provided in get_registry().generators]
    found = sorted(families, key=lambda each: each["name"])
    if as_json:
        echo_json(found)
    elif found:
        _print(found)
        echo("meaning of a family's parameters: multinet plugins show FAMILY")
    else:
        echo("no generator is installed; families come with gridworld-generators")


def _family(generator: GeneratorInfo) -> dict[str, Any]:
    """Gather facts about a generator; one that cannot be imported does not hide the others."""
    facts = {"name": generator.name, "summary": generator.summary}
    try:
        parameters = [attrs.asdict(argument) for argument in list_arguments(generator.load())]
    except PluginFault as error:
        return facts | {"parameters": [], "problem": str(error)}
    return facts | {"parameters": parameters, "problem": None}


def _print(found: list[dict[str, Any]]) -> None:
    columns = [Column("Family"), Column("Summary", prose=True), Column("Parameters", 1, prose=True)]
    print_table(columns, [[each["name"], each["summary"], each["problem"] or _parameters(each)] for each in found])


def _parameters(family: dict[str, Any]) -> str:
    return ", ".join(f"{each['name']}={each['default']}" for each in family["parameters"])


AIM = "What the tasks are like"
NUMBERS = "N|N-N,..."
"""Numbers, bands such as 20-40, or a list of them, separated by commas."""


@command()
def generate(
    family: str | None = typer.Argument(
        None, metavar="FAMILY", help="Family, TOML file of recipes, or suite made of recipes."
    ),
    output: Path | None = typer.Option(
        None, "--output", "-o", metavar="DIR", help="Folder for the tasks; created if missing."
    ),
    list_families: bool = typer.Option(
        False, "--list", help="List the installed families and their parameters instead."
    ),
    count: int | None = typer.Option(None, min=1, help="Number of tasks; 20 by default."),
    seed: int | None = typer.Option(None, min=0, help="Seed of the tasks; 0 by default."),
    tilings: str | None = typer.Option(None, metavar="NAME,...", help="Tilings to certify on, such as square,hex."),
    length: str | None = typer.Option(
        None,
        metavar=NUMBERS,
        help="Length of a shortest plan on every tiling, such as 12 or 20-40.",
        rich_help_panel=AIM,
    ),
    depth: str | None = typer.Option(
        None, metavar=NUMBERS, help="Length of the dependency chain.", rich_help_panel=AIM
    ),
    decoys: str | None = typer.Option(None, metavar=NUMBERS, help="Number of distractors.", rich_help_panel=AIM),
    size: str | None = typer.Option(
        None, metavar=NUMBERS, help="Number of columns and of rows, border included.", rich_help_panel=AIM
    ),
    tier: str | None = typer.Option(None, metavar=NUMBERS, help="Difficulty tier, 1 to 5.", rich_help_panel=AIM),
    observability: str | None = typer.Option(
        None, metavar="NAME,...", help="Observability: full, view_cone or fog_of_war.", rich_help_panel=AIM
    ),
    parameter: list[str] | None = typer.Option(
        None,
        "--param",
        "-P",
        metavar="KEY=VALUE",
        help="Any other parameter of the family. Repeatable.",
        rich_help_panel=AIM,
    ),
    budget_factor: str | None = typer.Option(
        None, metavar="FACTOR", help="Step budget as a multiple of the shortest plan; 3 by default."
    ),
    salt_file: Path | None = typer.Option(
        None, metavar="FILE", help="File with a secret salt of at least 128 bits, for unpublished tasks."
    ),
    workers: Workers = None,
    as_json: AsJson = False,
) -> None:
    """Generate tasks with certificates of their shortest plans.

    The solver annotates them. The same call gives the same files for any number of workers; existing tasks are not
    made again. Exit code 1 if fewer tasks than asked for were found.
    """
    if list_families:
        _list_families(as_json)
        return
    if family is None or output is None:
        raise ArgumentError("expected FAMILY and --output DIR, or --list")
    texts = {
        "count": count,
        "seed": seed,
        "tilings": tilings,
        "length": length,
        "depth": depth,
        "decoys": decoys,
        "size": size,
        "tier": tier,
        "observability": observability,
        "budget_factor": budget_factor,
    }
    given = {name: str(value) for name, value in texts.items() if value is not None}
    found = make_tasks(_recipes(family, given, parameter or [], salt_file), output, workers)
    from gridworld.generation.task_folder import report, write_report

    contents = report(found)
    with writing_to(output):
        write_report(output, contents)
    if as_json:
        echo_json(contents)
    else:
        _print_report(contents, found, output)
    if contents["made"] < contents["asked"]:
        raise typer.Exit(FAILED)


def _recipes(
    family: str, given: dict[str, str], parameters: Sequence[str], salt_file: Path | None
) -> tuple[Recipe, ...]:
    """Return the recipes that the call describes; raises ArgumentError for impossible ones."""
    from gridworld.generation.recipe import read_salt, recipe_from_texts

    salt = "" if salt_file is None else read_salt(salt_file)
    written = _written_recipes(family, salt)
    if written:
        if given or parameters:
            raise ArgumentError(f"{family}: recipes set number and properties of tasks; leave out the options for them")
        return written
    texts = {"family": family, "salt": salt, **given}
    for text in parameters:
        name, equals, value = text.partition("=")
        if not equals:
            raise ArgumentError(f"--param: expected key=value, got '{text}'")
        if name in texts:
            raise ArgumentError(f"--param: {name} is given twice, or is not a parameter of the family")
        texts[name] = value
    return (recipe_from_texts(texts, "tasks generate"),)


def _written_recipes(name: str, salt: str) -> tuple[Recipe, ...]:
    """Read the recipes of a TOML file or an installed suite; none for the name of a family."""
    from gridworld.generation.recipe import SCHEME, recipes_from_file
    from gridworld.suites.named import RECIPES, benchmark_recipes, suite_recipes

    if name.endswith(RECIPES):
        return recipes_from_file(Path(name), salt)
    benchmarks = get_registry().benchmarks
    if name in benchmarks:
        recipes = benchmark_recipes(benchmarks.get(name), salt)
        if not recipes:
            raise ArgumentError(f"'{name}' is a suite of files; nothing to generate")
        return recipes
    if name.startswith(SCHEME):
        return tuple(attrs.evolve(recipe, salt=salt or recipe.salt) for recipe in suite_recipes(name))
    return ()


def _print_report(contents: dict[str, Any], found: Sequence[Found], output: Path) -> None:
    from gridworld.generation.making import Missed

    for reason, number in sorted(contents["refused"].items(), key=lambda item: (-item[1], item[0])):
        echo(f"rejected: {number:5d}  {reason}")
    for each in found:
        if isinstance(each, Missed):
            nearest = "" if each.nearest is None else f"; the nearest length was {each.nearest}"
            attempts = f"nothing found in {each.job.recipe.max_attempts} attempts"
            echo(f"{each.job.recipe.family}, number {each.job.number}: {attempts}{nearest}")
    diversity = contents["diversity"]
    for tiling, spread in diversity["lengths"].items():
        echo(f"lengths on {tiling}: {spread['least']} to {spread['most']}, median {spread['median']:g}")
    echo(f"{diversity['layouts']} different layouts, {sum(1 for kind in diversity['chains'] if kind)} kinds of chains")
    echo(f"{contents['made']} of {contents['asked']} made, {counted(diversity['tasks'], 'task')} in {output}")
