"""``multinet runs resume`` and ``extend``: go on with a run that was left, or add repetitions to it."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from multinet_eval.cli.echo import echo
from multinet_eval.cli.errors import exit_on_error
from multinet_eval.cli.observing import ObserverArgument, ObserverName, make_observers
from multinet_eval.cli.options import DisablePlugin, ModelArgument, StrictPlugins, load_plugins
from multinet_eval.cli.playing import (
    AsJson,
    BatchSize,
    ExecutorName,
    MaxRequests,
    MaxTime,
    MaxTokens,
    Output,
    OutputOptions,
    Patience,
    Quiet,
    RayAddress,
    Verbose,
    Workers,
    play,
    playing_options,
    refuse_output,
)
from multinet_eval.cli.recording import RetryFaults, RunPath, TakeOver
from multinet_eval.cli.spending import (
    CacheFolder,
    CacheSampled,
    MaxCost,
    PricesFile,
    choose_cache,
    choose_prices,
    read_price_file,
)

if TYPE_CHECKING:
    from multinet_eval.asking.answer_cache import CacheSettings
    from multinet_eval.runs.observers import RunObserver
    from multinet_eval.runs.running import RunOptions

__all__ = ["extend", "go_on", "resume"]


def resume(
    directory: RunPath,
    model_arg: ModelArgument = None,
    retry_faults: RetryFaults = False,
    take_over: TakeOver = False,
    workers: Workers = 1,
    batch_size: BatchSize = 1,
    executor: ExecutorName = "local",
    ray_address: RayAddress = None,
    max_requests: MaxRequests = None,
    max_tokens: MaxTokens = None,
    max_time: MaxTime = None,
    max_cost: MaxCost = None,
    prices: PricesFile = None,
    cache: CacheFolder = None,
    cache_sampled: CacheSampled = False,
    patience: Patience = 120.0,
    observer: ObserverName = None,
    observer_arg: ObserverArgument = None,
    output: Output = None,
    as_json: AsJson = False,
    quiet: Quiet = False,
    verbose: Verbose = False,
    disable_plugin: DisablePlugin = None,
    strict_plugins: StrictPlugins = False,
) -> None:
    """Go on with a recorded run where it was left; nothing that was answered is asked again.

    It is refused where what decides the results is not as it was. Arguments of the model that do not, such as an
    address, may be given anew.
    """
    with exit_on_error():
        load_plugins(disable_plugin, strict_plugins)
        refuse_output(output)
        options = playing_options(
            workers,
            batch_size,
            executor,
            ray_address,
            max_requests,
            max_tokens,
            max_time,
            patience,
            retry_faults,
            take_over,
            max_cost,
        )
        show, kept = OutputOptions(output, as_json, quiet, verbose), choose_cache(cache, cache_sampled)
        go_on(directory, model_arg, None, options, show, prices, kept, make_observers(observer, observer_arg))


def extend(
    directory: RunPath,
    epochs: Annotated[int, typer.Option("--epochs", min=1, help="How many times each task is to be played in all.")],
    model_arg: ModelArgument = None,
    workers: Workers = 1,
    batch_size: BatchSize = 1,
    executor: ExecutorName = "local",
    ray_address: RayAddress = None,
    max_requests: MaxRequests = None,
    max_tokens: MaxTokens = None,
    max_time: MaxTime = None,
    max_cost: MaxCost = None,
    prices: PricesFile = None,
    cache: CacheFolder = None,
    cache_sampled: CacheSampled = False,
    patience: Patience = 120.0,
    observer: ObserverName = None,
    observer_arg: ObserverArgument = None,
    output: Output = None,
    as_json: AsJson = False,
    quiet: Quiet = False,
    verbose: Verbose = False,
    disable_plugin: DisablePlugin = None,
    strict_plugins: StrictPlugins = False,
) -> None:
    """Add repetitions of each task to a recorded run, and play them."""
    with exit_on_error():
        load_plugins(disable_plugin, strict_plugins)
        refuse_output(output)
        options = playing_options(
            workers,
            batch_size,
            executor,
            ray_address,
            max_requests,
            max_tokens,
            max_time,
            patience,
            max_cost=max_cost,
        )
        show, kept = OutputOptions(output, as_json, quiet, verbose), choose_cache(cache, cache_sampled)
        go_on(directory, model_arg, epochs, options, show, prices, kept, make_observers(observer, observer_arg))


def go_on(
    directory: Path,
    model_arg: list[str] | None,
    epochs: int | None,
    options: RunOptions,
    show: OutputOptions,
    prices_file: Path | None = None,
    cache: CacheSettings | None = None,
    observers: Iterable[RunObserver] = (),
) -> None:
    """Open a recorded run and play what is left; raises as `open_run` and `play` do."""
    from multinet_eval.runs.run_directory import RunDirectory
    from multinet_eval.runs.running import open_run

    recorded, tables = RunDirectory(directory).manifest, read_price_file(prices_file)
    prices = choose_prices(tables, recorded.model_name, options.limits.cost, recorded.settings.prices)
    run, changed = open_run(directory, model_arg or (), epochs, prices=prices, cache=cache)
    for change in changed:
        echo(f"note: {change}", err=True)
    play(run, options, show, observers)
