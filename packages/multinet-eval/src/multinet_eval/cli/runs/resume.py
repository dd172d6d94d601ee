"""``multinet runs resume`` and ``extend``: go on with a run that was left, or add repetitions to it."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import attrs
import typer

from multinet_eval.cli.echo import echo
from multinet_eval.cli.errors import exit_on_error
from multinet_eval.cli.observing import ObserverOptions, observed
from multinet_eval.cli.options import DisablePlugin, ModelArgument, StrictPlugins, load_plugins
from multinet_eval.cli.playing import PlayingOptions, RunOutput, play, played, shown_run
from multinet_eval.cli.recording import RetryFaults, RunPath, TakeOver
from multinet_eval.cli.spending import CacheOptions, PricesFile, cached, choose_prices, read_price_file

if TYPE_CHECKING:
    from multinet_eval.play.observers import RunObserver
    from multinet_eval.play.run import RunOptions
    from multinet_eval.settings.run_settings import CacheSettings

__all__ = ["extend", "go_on", "options_to_go_on", "resume"]


@played
@cached
@observed
@shown_run
def resume(
    call: typer.Context,
    directory: RunPath,
    model_arg: ModelArgument = None,
    retry_faults: RetryFaults = False,
    take_over: TakeOver = False,
    *,
    playing: PlayingOptions,
    prices: PricesFile = None,
    kept: CacheOptions,
    observers: ObserverOptions,
    show: RunOutput,
    disable_plugin: DisablePlugin = None,
    strict_plugins: StrictPlugins = False,
) -> None:
    """Go on with a recorded run where it was left; nothing that was answered is asked again.

    It is refused where what decides the results is not as it was. Arguments of the model that do not, such as an
    address, may be given anew. It is played as it was last time, with the same workers and limits, unless other ones
    are given.
    """
    with exit_on_error():
        load_plugins(disable_plugin, strict_plugins)
        options = attrs.evolve(
            options_to_go_on(call, directory, playing), retry_faults=retry_faults, take_over=take_over
        )
        go_on(directory, model_arg, None, options, show, prices, kept.settings, observers.make())


@played
@cached
@observed
@shown_run
def extend(
    call: typer.Context,
    directory: RunPath,
    epochs: Annotated[int, typer.Option("--epochs", min=1, help="How many times each task is to be played in all.")],
    model_arg: ModelArgument = None,
    *,
    playing: PlayingOptions,
    prices: PricesFile = None,
    kept: CacheOptions,
    observers: ObserverOptions,
    show: RunOutput,
    disable_plugin: DisablePlugin = None,
    strict_plugins: StrictPlugins = False,
) -> None:
    """Add repetitions of each task to a recorded run, and play them."""
    with exit_on_error():
        load_plugins(disable_plugin, strict_plugins)
        options = options_to_go_on(call, directory, playing)
        go_on(directory, model_arg, epochs, options, show, prices, kept.settings, observers.make())


def options_to_go_on(call: typer.Context, directory: Path, playing: PlayingOptions) -> RunOptions:
    """How a recorded run is played: as the options of a call say, or else as it was last time.

    Raises:
        RunError: the folder holds no run, or one that cannot be read.
        GridworldError: as `PlayingOptions.for_run` does.
    """
    from multinet_eval.record.record_folders import RUN
    from multinet_eval.record.run_directory import RunDirectory
    from multinet_eval.record.run_options import remembered_options

    recorded = remembered_options(RunDirectory(directory).manifest.circumstances, str(directory / RUN.file))
    return playing.or_else(recorded, call).for_run()


def go_on(
    directory: Path,
    model_arg: list[str] | None,
    epochs: int | None,
    options: RunOptions,
    show: RunOutput,
    prices_file: Path | None = None,
    cache: CacheSettings | None = None,
    observers: Iterable[RunObserver] = (),
) -> None:
    """Open a recorded run, remember how it is played, and play what is left; raises as `open_run` and `play` do."""
    from gridworld.support.wording import counted
    from multinet_eval.play.run import open_run
    from multinet_eval.record.run_directory import RunDirectory

    show.refuse_report(recorded=True)
    recorded, tables = RunDirectory(directory).manifest, read_price_file(prices_file)
    prices = choose_prices(tables, recorded.model_name, options.limits.cost, recorded.settings.prices)
    run, changed = open_run(directory, model_arg or (), epochs, prices=prices, cache=cache)
    for change in changed:
        echo(f"note: {change}", err=True)
    if epochs is not None and epochs <= recorded.settings.epochs:
        times = counted(recorded.settings.epochs, "time")
        echo(f"note: each task is already planned {times}; no more are added with --epochs {epochs}", err=True)
    run.remember(options)
    play(run, options, show, observers)
