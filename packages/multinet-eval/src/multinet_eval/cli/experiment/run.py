"""``multinet experiment run``: play all conditions of a file, one after another, and compare them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import attrs
import typer

from multinet_eval.cli.dry_run import DryRun
from multinet_eval.cli.echo import echo, echo_json
from multinet_eval.cli.errors import FAILED, INTERRUPTED, exit_on_error
from multinet_eval.cli.experiment.options import Changes, ExperimentFile, read_suite
from multinet_eval.cli.observing import ObserverOptions, observed
from multinet_eval.cli.options import DisablePlugin, StrictPlugins, load_plugins
from multinet_eval.cli.playing import AsJson, OutputOptions, PlayingOptions, Quiet, Verbose, play_watched, played
from multinet_eval.cli.recording import RetryFaults, TakeOver
from multinet_eval.cli.spending import PricesFile, choose_prices, read_price_file

if TYPE_CHECKING:
    from multinet_eval.experiments.experiment_folder import ExperimentFolder
    from multinet_eval.experiments.playing import ExperimentOutcome, PlayedRun
    from multinet_eval.experiments.preparing import PreparedRun

__all__ = ["run_experiment"]


@played
@observed
def run_experiment(
    file: ExperimentFile,
    changes: Changes = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="DIR",
            help="Record the experiment in this folder, or go on with the one that is there. By default it is "
            "named after the file, in runs/.",
        ),
    ] = None,
    retry_faults: RetryFaults = False,
    take_over: TakeOver = False,
    *,
    playing: PlayingOptions,
    prices: PricesFile = None,
    dry_run: DryRun = False,
    observers: ObserverOptions,
    as_json: AsJson = False,
    quiet: Quiet = False,
    verbose: Verbose = False,
    disable_plugin: DisablePlugin = None,
    strict_plugins: StrictPlugins = False,
) -> None:
    """Play all conditions of an experiment, each as a recorded run, and print them in one table.

    Run again, it goes on where it was left. Limits are those of the whole experiment. A condition that fails is told
    of, and the others are played.
    """
    with exit_on_error():
        load_plugins(disable_plugin, strict_plugins)
        from multinet_eval.experiments.experiment_file import read_experiment
        from multinet_eval.experiments.experiment_folder import ExperimentFolder
        from multinet_eval.experiments.playing import play_experiment
        from multinet_eval.experiments.preparing import prepare_runs
        from multinet_eval.record.record_folders import EXPERIMENT, kind_of

        options = attrs.evolve(playing.for_run(), retry_faults=retry_faults, take_over=take_over)
        observers.make()  # so that what is wrong with them shows before anything is played
        experiment, tables = read_experiment(file, changes or ()), read_price_file(prices)
        runs = prepare_runs(
            experiment, read_suite, lambda name, own: choose_prices(tables, name, playing.max_cost, own)
        )
        path = output or _default_folder(experiment.name)
        if dry_run:
            recorded = ExperimentFolder.open(path, experiment, runs) if kind_of(path) is EXPERIMENT else None
            _tell_forecasts(runs, recorded, retry_faults, as_json)
            return
        folder = ExperimentFolder.open(path, experiment, runs)
        show = OutputOptions(quiet=quiet, verbose=verbose)
        outcome = play_experiment(
            folder,
            runs,
            options,
            lambda run, left: play_watched(run, left, show, observers.make()),
            lambda played: _tell(played, runs, quiet),
        )
        _report(outcome, folder.path, as_json, quiet)
        _exit(outcome)


def _default_folder(name: str) -> Path:
    from gridworld.support.file_names import safe_file_name
    from multinet_eval.record.record_folders import runs_folder

    return runs_folder() / safe_file_name(name)


def _tell(played: PlayedRun, runs: Sequence[PreparedRun], quiet: bool) -> None:
    run = played.prepared.run
    if played.problem is not None:
        echo(f"error: {run.folder}: {played.problem}", err=True)
    elif not quiet:
        echo(f"{runs.index(played.prepared) + 1} of {len(runs)}: {run.folder}", err=True)


def _tell_forecasts(
    runs: Sequence[PreparedRun], recorded: ExperimentFolder | None, retry_faults: bool, as_json: bool
) -> None:
    """Say what is left of each run would take; nothing is asked."""
    from multinet_eval.cli.dry_run import print_forecasts
    from multinet_eval.experiments.preparing import forecast_runs

    forecasts = forecast_runs(runs, None if recorded is None else recorded.of, retry_faults)
    if recorded is not None:
        echo(f"without what is finished in {recorded.path}", err=True)
    if as_json:
        echo_json([{"condition": run.run.condition, **forecast.to_dict()} for run, forecast in forecasts])
    else:
        print_forecasts([(run.run.folder, forecast) for run, forecast in forecasts])


def _report(outcome: ExperimentOutcome, path: Path, as_json: bool, quiet: bool) -> None:
    from multinet_eval.cli.experiment.tables import print_comparison
    from multinet_eval.experiments.comparison import compare

    rows = compare(outcome.runs)
    if as_json:
        echo_json({"folder": str(path), "runs": [row.to_dict() for row in rows]})
    elif not quiet:
        print_comparison(rows)
    if outcome.stopped is not None:
        echo(f"{outcome.stopped.message}; the same command goes on with it", err=True)
    if not quiet:
        echo(f"recorded in {path}", err=as_json)


def _exit(outcome: ExperimentOutcome) -> None:
    from multinet_eval.play.limits import StopReason

    if outcome.stopped is not None:
        raise typer.Exit(INTERRUPTED if outcome.stopped.reason is StopReason.INTERRUPTED else FAILED)
    if not all(run.complete and run.problem is None and run.scored for run in outcome.runs):
        raise typer.Exit(FAILED)
