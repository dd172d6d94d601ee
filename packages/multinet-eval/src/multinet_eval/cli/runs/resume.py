"""``multinet runs resume``: continue a recorded run, or add repetitions to it."""

from __future__ import annotations

import typer

from gridworld.support.wording import counted
from multinet_eval.cli.commands import command
from multinet_eval.cli.echo import echo
from multinet_eval.cli.options import GivenAgain, ModelOptions, RetryFaults, RunPath, TakeOver
from multinet_eval.cli.output_options import RunOutput
from multinet_eval.cli.playing import play
from multinet_eval.cli.run_options import CacheOptions, ObserverOptions, PlayingOptions


@command()
def resume(
    call: typer.Context,
    directory: RunPath,
    epochs: int | None = typer.Option(None, min=1, help="Total number of repetitions of each task, to add some."),
    retry_faults: RetryFaults = False,
    take_over: TakeOver = False,
    *,
    arguments: ModelOptions,
    playing: PlayingOptions,
    again: GivenAgain,
    caching: CacheOptions,
    observers: ObserverOptions,
    show: RunOutput,
) -> None:
    """Continue a run where it stopped, or add repetitions.

    Answered requests are not repeated. Refused if result-affecting settings changed. Other arguments of the model,
    such as an address, can be overridden; in the run of somebody else, all that may name a server, a file or an
    environment variable must be given again. Workers and limits are those of the last session unless given.
    """
    from multinet_eval.play.run import open_run
    from multinet_eval.record.manifest import remembered_options
    from multinet_eval.record.record_folders import RUN
    from multinet_eval.record.run_directory import RunDirectory

    _, overridden = arguments.of()
    given, made_observers = again.of(overridden, caching.make()), observers.make()
    recorded = RunDirectory(directory).manifest
    playing = playing.with_recorded(remembered_options(recorded.circumstances, str(directory / RUN.file)), call)
    options = playing.for_run(retry_faults=retry_faults, take_over=take_over)
    show.refuse_report(recorded=True)
    prices = playing.read_prices()(recorded.model_name, recorded.settings.prices)
    run, changed = open_run(directory, given, epochs, prices=prices, wait=playing.wait(show.tell))
    for change in changed:
        echo(f"note: {change}", err=True)
    if epochs is not None and epochs <= recorded.settings.epochs:
        times = counted(recorded.settings.epochs, "time")
        echo(f"note: each task is already planned {times}; --epochs {epochs} adds none", err=True)
    run.remember(options)
    play(run, options, show, made_observers, overridden)
