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
    ExecutorName,
    MaxRequests,
    MaxTime,
    MaxTokens,
    Output,
    OutputOptions,
    Patience,
    Quiet,
    Verbose,
    Workers,
    play,
    playing_options,
    refuse_output,
)
from multinet_eval.cli.recording import RunPath

if TYPE_CHECKING:
    from multinet_eval.runs.observers import RunObserver
    from multinet_eval.runs.running import RunOptions

__all__ = ["extend", "go_on", "resume"]

RetryFaults = Annotated[
    bool, typer.Option("--retry-faults", help="Play again what ended by an error that is not the model's.")
]
TakeOver = Annotated[bool, typer.Option("--take-over", help="Take the run from a process that holds it but has ended.")]


def resume(
    directory: RunPath,
    model_arg: ModelArgument = None,
    retry_faults: RetryFaults = False,
    take_over: TakeOver = False,
    workers: Workers = 1,
    executor: ExecutorName = "local",
    max_requests: MaxRequests = None,
    max_tokens: MaxTokens = None,
    max_time: MaxTime = None,
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
            workers, executor, max_requests, max_tokens, max_time, patience, retry_faults, take_over
        )
        observers = make_observers(observer, observer_arg)
        go_on(directory, model_arg, None, options, OutputOptions(output, as_json, quiet, verbose), observers)


def extend(
    directory: RunPath,
    epochs: Annotated[int, typer.Option("--epochs", min=1, help="How many times each task is to be played in all.")],
    model_arg: ModelArgument = None,
    workers: Workers = 1,
    executor: ExecutorName = "local",
    max_requests: MaxRequests = None,
    max_tokens: MaxTokens = None,
    max_time: MaxTime = None,
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
        options = playing_options(workers, executor, max_requests, max_tokens, max_time, patience)
        observers = make_observers(observer, observer_arg)
        go_on(directory, model_arg, epochs, options, OutputOptions(output, as_json, quiet, verbose), observers)


def go_on(
    directory: Path,
    model_arg: list[str] | None,
    epochs: int | None,
    options: RunOptions,
    show: OutputOptions,
    observers: Iterable[RunObserver] = (),
) -> None:
    """Open a recorded run and play what is left; raises as `open_run` and `play` do."""
    from multinet_eval.runs.running import open_run

    run, changed = open_run(directory, model_arg or (), epochs)
    for change in changed:
        echo(f"note: {change}", err=True)
    play(run, options, show, observers)
