"""``multinet eval`` and ``multinet-run-eval``: evaluate a model on a suite."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import attrs
import typer

from gridworld.errors import ArgumentError
from gridworld.plugins import get_registry, normal_name
from gridworld.support.files import exists, is_folder
from gridworld.support.wording import counted
from multinet_eval.cli.commands import command
from multinet_eval.cli.dry_run import DryRun, print_forecast
from multinet_eval.cli.echo import echo
from multinet_eval.cli.options import MODEL, TASKS, ModelOptions
from multinet_eval.cli.output_options import RecordOptions, RunOutput
from multinet_eval.cli.playing import play
from multinet_eval.cli.run_options import CacheOptions, ObserverOptions, PlayingOptions, SequentialOptions
from multinet_eval.cli.settings_options import BackendOptions, EpisodeOptions, PolicyOptions, PresentationOptions
from multinet_eval.cli.tasks.finding import print_suite_warnings, suite_name, suite_named_by
from multinet_eval.settings.defaults import ALL_TILINGS, DEFAULT_SUITE

if TYPE_CHECKING:
    from gridworld.suites import Suite
    from multinet_eval.record.manifest import Manifest

DIRECTORY = "directory"
BESIDE_A_FOLDER = (None, DIRECTORY, "tiers")
"""Values of ``--benchmark`` allowed with ``--task-dir``; ``tiers`` for callers whose own folders have tiers."""


@command()
def evaluate(
    call: typer.Context,
    benchmark: str | None = typer.Option(
        None,
        "--benchmark",
        "-b",
        metavar="SUITE",
        help=f"Suite, SUITE/TASK_ID, generated:FAMILY?..., or a recipe file; {DEFAULT_SUITE} by default.",
        rich_help_panel=TASKS,
    ),
    task_dir: Path | None = typer.Option(
        None, metavar="DIR", help="Folder of task files, instead of a suite.", rich_help_panel=TASKS
    ),
    tier: str | None = typer.Option(
        None,
        metavar="TIERS",
        help="Difficulty tiers to play, such as 2, 1-3 or 1,4; all by default.",
        rich_help_panel=TASKS,
    ),
    model: str = typer.Option(
        ...,
        "--model",
        "-m",
        metavar="NAME[:MODEL]",
        help="Model to evaluate, such as random, optimal or openai:MODEL.",
        rich_help_panel=MODEL,
    ),
    *,
    arguments: ModelOptions,
    place: BackendOptions,
    presented: PresentationOptions,
    episodes: EpisodeOptions,
    policies: PolicyOptions,
    playing: PlayingOptions,
    caching: CacheOptions,
    decided: SequentialOptions,
    dry_run: DryRun = False,
    record: RecordOptions,
    observers: ObserverOptions,
    show: RunOutput,
) -> None:
    """Evaluate a model on a suite of tasks and report the results."""
    from multinet_eval.play.run import closing_if_refused, new_run, planned_manifest
    from multinet_eval.record.manifest import Suite
    from multinet_eval.settings.plugin_objects import make_model

    cache, made_observers = caching.make(), observers.make()
    options = playing.for_run()
    plugin, model_arguments = arguments.of(model)
    find_prices = playing.read_prices()
    name, found = _choose_tasks(benchmark, task_dir, tier)
    settings = place.settings(
        model=plugin,
        model_arguments=model_arguments,
        compares_tilings=place.tiling == ALL_TILINGS,
        presentation=presented.make(),
        policies=policies.make(),
        cache=cache,
        **episodes.settings(),
    )
    suite, made = Suite(name, found.tasks), make_model(plugin, model_arguments)
    with closing_if_refused(made):
        settings = attrs.evolve(settings, prices=find_prices(made.model_name))
        directory = record.choose(call, name, made.model_name)
        until = decided.make(recorded=directory is not None)
    if dry_run:
        if until is not None:
            with closing_if_refused(made):
                _print_savings(planned_manifest(settings, suite, made, until), show.quiet)
        print_forecast(settings, suite, made, show.as_json)
        return
    show.refuse_report(recorded=directory is not None)
    run = new_run(settings, suite, made, directory, until, playing.wait(show.tell))
    run.remember(options)
    if not show.quiet:
        _print_budgets(run.manifest)
    _print_savings(run.manifest, show.quiet)
    play(run, options, show, made_observers)


def _print_budgets(manifest: Manifest) -> None:
    """Print the step budgets that are not the tasks' own."""
    from multinet_eval.settings.run_settings import BY_TASK

    factor = manifest.settings.budget_factor
    own = sum(planned.max_steps is None for planned in manifest.plan)
    if own < len(manifest.plan):
        times = "as many times the optimum as the task says" if factor == BY_TASK else f"{factor} times the optimum"
        rest = f"; max_steps for {counted(own, 'episode')}" if own else ""
        echo(f"budget: {times} on each tiling{rest}", err=True)


MOST_OF_THEM = 0.75
"""Stopping after more than this share of the mazes saves little."""


def _print_savings(manifest: Manifest, quiet: bool) -> None:
    """Print when the comparison can be decided at the earliest; a quiet run only if nothing can be saved."""
    design = manifest.sequential
    if design is None:
        return
    number, first = len(design.mazes), design.earliest
    mazes = counted(number, "maze")
    if first is None or first == number:
        never = "cannot be decided at all" if first is None else "cannot be decided before the last one"
        echo(f"note: nothing can be saved: with {mazes}, the comparison with {design.against} {never}", err=True)
    elif first > MOST_OF_THEM * number:
        least = f"it takes at least {first} to decide the comparison with {design.against}"
        echo(f"note: next to nothing can be saved: with {mazes}, {least}", err=True)
    elif not quiet:
        echo(f"until decided: compared with {design.against}, after at least {first} of {mazes}", err=True)


def _choose_tasks(benchmark: str | None, task_dir: Path | None, tier: str | None) -> tuple[str, Suite]:
    """Return the name of the chosen suite, and its tasks."""
    from gridworld.suites import read_folder, read_installed
    from multinet_eval.cli.tasks.generate import prepare_suite
    from multinet_eval.settings.tiers import with_tiers

    if task_dir is not None:
        if benchmark not in BESIDE_A_FOLDER:
            raise ArgumentError(f"--task-dir and --benchmark '{benchmark}' exclude each other: expected one of them")
        name, suite = task_dir.resolve().name, read_folder(task_dir)
        print_suite_warnings(suite)
    elif benchmark == DIRECTORY:
        raise ArgumentError("--benchmark directory needs --task-dir")
    else:
        name = normal_name("benchmark", benchmark or DEFAULT_SUITE)
        _refuse_path(name)
        prepare_suite(name)
        suite = read_installed(name)
        if suite_named_by(name) is not None:
            name = suite_name(name)
    return name, suite if tier is None else with_tiers(suite, tier, name, "--tier")


def _refuse_path(name: str) -> None:
    """Raise ArgumentError with advice if ``--benchmark`` names a path that is not a suite."""
    from gridworld.suites.named import suite_recipes

    if name in get_registry().benchmarks or not exists(name) or suite_recipes(name):
        return
    found, advice = (
        ("folder", f"--task-dir {name}") if is_folder(name) else ("file", "--task-dir, which takes a folder")
    )
    raise ArgumentError(
        f"--benchmark: {name} is a {found}, expected an installed suite or a file of recipes; for your own tasks "
        f"use {advice}"
    )
