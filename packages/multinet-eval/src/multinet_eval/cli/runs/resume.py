"""``multinet runs resume`` and ``extend``: go on with a run that was left, or add repetitions to it."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from gridworld.support.wording import counted
from multinet_eval.cli.commands import REQUIRED, command, option
from multinet_eval.cli.echo import echo
from multinet_eval.cli.options import ModelArgument, RetryFaults, RunPath, TakeOver
from multinet_eval.cli.playing import play
from multinet_eval.cli.run_options import CacheOptions, ObserverOptions, PlayingOptions, RunOutput

if TYPE_CHECKING:
    from multinet_eval.play.observers import RunObserver
    from multinet_eval.settings.run_settings import CacheSettings


@command(plugins="loaded or fail")
def resume(
    call: typer.Context,
    directory: RunPath,
    model_arg: ModelArgument = None,
    retry_faults: RetryFaults = False,
    take_over: TakeOver = False,
    *,
    playing: PlayingOptions,
    kept: CacheOptions,
    observers: ObserverOptions,
    show: RunOutput,
) -> None:
    """Go on with a recorded run where it was left; nothing that was answered is asked again.

    It is refused where what decides the results is not as it was. Arguments of the model that do not, such as an
    address, may be given anew. It is played as it was last time, with the same workers and limits, unless other ones
    are given.
    """
    cache, told, again = kept.make(), observers.make(), {"retry_faults": retry_faults, "take_over": take_over}
    go_on(call, directory, model_arg, None, playing, cache, told, show, **again)


@command(plugins="loaded or fail")
def extend(
    call: typer.Context,
    directory: RunPath,
    epochs: int = option(REQUIRED, "How many times each task is to be played in all.", min=1),
    model_arg: ModelArgument = None,
    *,
    playing: PlayingOptions,
    kept: CacheOptions,
    observers: ObserverOptions,
    show: RunOutput,
) -> None:
    """Add repetitions of each task to a recorded run, and play them."""
    go_on(call, directory, model_arg, epochs, playing, kept.make(), observers.make(), show)


def go_on(
    call: typer.Context,
    directory: Path,
    model_arg: list[str] | None,
    epochs: int | None,
    playing: PlayingOptions,
    cache: CacheSettings | None,
    observers: Iterable[RunObserver],
    show: RunOutput,
    **again: bool,
) -> None:
    """Play what is left of a recorded run as the options of a call say, or else as it was last time.

    Args:
        call: the call.
        directory: the run.
        model_arg: arguments of the model given in place of recorded ones, or beside them.
        epochs: how many repetitions there are to be; None for as many as are planned.
        playing: options of the call.
        cache: where answers are kept.
        observers: are told what happens.
        show: what is printed and written.
        again: other fields of `RunOptions`.

    Raises:
        RunError: the folder holds no run, or one that cannot be read.
        GridworldError: as `PlayingOptions.for_run`, `open_run` and `play` do.
    """
    from multinet_eval.play.run import open_run
    from multinet_eval.record.manifest import remembered_options
    from multinet_eval.record.record_folders import RUN
    from multinet_eval.record.run_directory import RunDirectory

    recorded = RunDirectory(directory).manifest
    playing = playing.or_else(remembered_options(recorded.circumstances, str(directory / RUN.file)), call)
    options = playing.for_run(**again)
    show.refuse_report(recorded=True)
    prices = playing.read_prices()(recorded.model_name, recorded.settings.prices)
    run, changed = open_run(directory, model_arg or (), epochs, prices=prices, cache=cache)
    for change in changed:
        echo(f"note: {change}", err=True)
    if epochs is not None and epochs <= recorded.settings.epochs:
        times = counted(recorded.settings.epochs, "time")
        echo(f"note: each task is already planned {times}; no more are added with --epochs {epochs}", err=True)
    run.remember(options)
    play(run, options, show, observers)
