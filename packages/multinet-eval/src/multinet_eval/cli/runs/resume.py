"""``multinet runs resume`` and ``extend``: continue a recorded run, or add repetitions to it."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from gridworld.support.wording import counted
from multinet_eval.cli.commands import command
from multinet_eval.cli.echo import echo
from multinet_eval.cli.options import ModelOptions, RetryFaults, RunPath, TakeOver
from multinet_eval.cli.output_options import RunOutput
from multinet_eval.cli.playing import play
from multinet_eval.cli.run_options import CacheOptions, ObserverOptions, PlayingOptions

if TYPE_CHECKING:
    from multinet_eval.play.observers import RunObserver
    from multinet_eval.settings.run_settings import CacheSettings


@command()
def resume(
    call: typer.Context,
    directory: RunPath,
    retry_faults: RetryFaults = False,
    take_over: TakeOver = False,
    *,
    arguments: ModelOptions,
    playing: PlayingOptions,
    caching: CacheOptions,
    observers: ObserverOptions,
    show: RunOutput,
) -> None:
    """Continue a recorded run where it stopped; answered requests are not repeated.

    Refused if result-affecting settings changed. Other arguments of the model, such as an address, can be overridden.
    Workers and limits are those of the last session unless given.
    """
    continue_run(
        call,
        directory,
        arguments.of()[1],
        None,
        playing,
        caching.make(),
        observers.make(),
        show,
        retry_faults=retry_faults,
        take_over=take_over,
    )


@command()
def extend(
    call: typer.Context,
    directory: RunPath,
    epochs: int = typer.Option(..., min=1, help="Total number of repetitions of each task."),
    *,
    arguments: ModelOptions,
    playing: PlayingOptions,
    caching: CacheOptions,
    observers: ObserverOptions,
    show: RunOutput,
) -> None:
    """Add repetitions of each task to a recorded run, and play them."""
    continue_run(call, directory, arguments.of()[1], epochs, playing, caching.make(), observers.make(), show)


def continue_run(
    call: typer.Context,
    directory: Path,
    overridden: list[str],
    epochs: int | None,
    playing: PlayingOptions,
    cache: CacheSettings | None,
    observers: Iterable[RunObserver],
    show: RunOutput,
    **again: bool,
) -> None:
    """Play the rest of a recorded run with the options of a call, or else with the options of the last session.

    Args:
        call: the call.
        directory: folder of the run.
        overridden: overridden or additional arguments of the model, ``key=value``.
        epochs: total number of repetitions; None for the planned number.
        playing: options of the call.
        cache: settings of the answer cache.
        observers: observers of the run.
        show: output options.
        again: other fields of `RunOptions`.

    Raises:
        RunError: the folder has no run, or the run cannot be read.
        GridworldError: as `PlayingOptions.for_run`, `open_run` and `play` do.
    """
    from multinet_eval.play.run import open_run
    from multinet_eval.record.manifest import remembered_options
    from multinet_eval.record.record_folders import RUN
    from multinet_eval.record.run_directory import RunDirectory

    recorded = RunDirectory(directory).manifest
    playing = playing.with_recorded(remembered_options(recorded.circumstances, str(directory / RUN.file)), call)
    options = playing.for_run(**again)
    show.refuse_report(recorded=True)
    prices = playing.read_prices()(recorded.model_name, recorded.settings.prices)
    run, changed = open_run(directory, overridden, epochs, prices=prices, cache=cache, wait=playing.wait(show.tell))
    for change in changed:
        echo(f"note: {change}", err=True)
    if epochs is not None and epochs <= recorded.settings.epochs:
        times = counted(recorded.settings.epochs, "time")
        echo(f"note: each task is already planned {times}; --epochs {epochs} adds none", err=True)
    run.remember(options)
    play(run, options, show, observers, overridden)
