"""Playing a run from the command line: options that say how, the live display, signals, results, and the exit code."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import attrs
import typer

from multinet_eval.cli.commands import taking
from multinet_eval.cli.echo import echo
from multinet_eval.cli.errors import FAILED, INTERRUPTED
from multinet_eval.cli.output_files import refuse_output
from multinet_eval.cli.spending import MaxCost, limit, whole_limit
from multinet_eval.settings.defaults import PATIENCE

if TYPE_CHECKING:
    from gridworld.model_interface import ModelInterface
    from multinet_eval.play.observers import RunObserver
    from multinet_eval.play.run import Run, RunOptions, RunOutcome
    from multinet_eval.record.manifest import Ground
    from multinet_eval.record.results import RunResults
    from multinet_eval.settings.spending import BudgetLimits

__all__ = [
    "AsJson",
    "AskingOptions",
    "OutputOptions",
    "PlayingOptions",
    "Quiet",
    "ResultOutput",
    "RunOutput",
    "Verbose",
    "asked",
    "play",
    "play_watched",
    "played",
    "print_results",
    "shown",
    "shown_results",
    "shown_run",
]

PLAYING, OUTPUT = "How to play", "Output"
GIVEN = ("COMMANDLINE", "ENVIRONMENT")
"""Parameter sources that count as given."""
LIMIT_OPTIONS = {
    "requests": "--max-requests",
    "tokens": "--max-tokens",
    "cost": "--max-cost",
    "seconds": "--max-time",
}
"""Field of `BudgetLimits` to the option that sets it."""

Workers = Annotated[
    int, typer.Option("--workers", min=1, help="How many requests are made at once.", rich_help_panel=PLAYING)
]
BatchSize = Annotated[
    int,
    typer.Option(
        "--batch-size",
        min=1,
        help="How many episodes each worker plays in lockstep, for local models that answer several questions at once.",
        rich_help_panel=PLAYING,
    ),
]
ExecutorName = Annotated[
    str, typer.Option("--executor", help="Where episodes are played: local, processes or ray.", rich_help_panel=PLAYING)
]
RayAddress = Annotated[
    str | None,
    typer.Option(
        "--ray-address",
        metavar="ADDRESS",
        help="The address of the Ray cluster, for --executor ray. By default a new one of this machine.",
        envvar="RAY_ADDRESS",
        show_envvar=True,
        rich_help_panel=PLAYING,
    ),
]
MaxRequests = Annotated[
    int | None,
    typer.Option(
        "--max-requests",
        parser=whole_limit,
        metavar="N|none",
        help="Maximum number of requests.",
        rich_help_panel=PLAYING,
    ),
]
MaxTokens = Annotated[
    int | None,
    typer.Option(
        "--max-tokens",
        parser=whole_limit,
        metavar="N|none",
        help="Maximum number of tokens.",
        rich_help_panel=PLAYING,
    ),
]
MaxTime = Annotated[
    float | None,
    typer.Option(
        "--max-time",
        parser=limit,
        metavar="SECONDS|none",
        help="Maximum duration of this session.",
        rich_help_panel=PLAYING,
    ),
]
Patience = Annotated[
    float,
    typer.Option(
        "--patience",
        min=0,
        metavar="SECONDS",
        help="Stop when the server has answered nothing for so long; 0 counts such faults like any other.",
        rich_help_panel=PLAYING,
    ),
]
Output = Annotated[
    Path | None,
    typer.Option("--output", "-o", metavar="FILE.json", help="Write the results to this file.", rich_help_panel=OUTPUT),
]
Report = Annotated[
    Path | None,
    typer.Option(
        "--report",
        metavar="FILE.html",
        help="Write a page that shows the run to this file, be it finished or not. Needs multinet-report.",
        rich_help_panel=OUTPUT,
    ),
]
AsJson = Annotated[
    bool, typer.Option("--json", help="Print the results as JSON instead of tables.", rich_help_panel=OUTPUT)
]
Quiet = Annotated[
    bool, typer.Option("--quiet", "-q", help="Show no progress and print no tables.", rich_help_panel=OUTPUT)
]
Verbose = Annotated[bool, typer.Option("--verbose", "-v", help="Print every step.", rich_help_panel=OUTPUT)]


def _writable(options: object, attribute: object, output: Path | None) -> None:
    refuse_output(output)


@attrs.frozen
class ResultOutput:
    """What is printed and written of results."""

    output: Output = attrs.field(default=None, validator=_writable)
    as_json: AsJson = False
    quiet: Quiet = False


@attrs.frozen
class OutputOptions(ResultOutput):
    """What is printed and written of a run."""

    verbose: Verbose = False


@attrs.frozen
class RunOutput(OutputOptions):
    """What is printed and written of a run that is played alone."""

    report: Report = None

    def refuse_report(self, recorded: bool) -> None:
        """Make sure that the page could be written, if one is asked for.

        Args:
            recorded: whether the run is.

        Raises:
            UnknownNameError: nothing is installed that writes pages.
            ArgumentError: the run is not recorded, or the file could not be written.
        """
        from gridworld.errors import ArgumentError
        from multinet_eval.cli.output_files import refuse_page

        if self.report is None:
            return
        refuse_page("--report", self.report)
        if not recorded:
            raise ArgumentError("--report shows what is recorded of a run: leave out --no-record, or name a --run-dir")


@attrs.frozen
class AskingOptions:
    """How many questions are asked at once, and for how long; nothing of it changes a result."""

    workers: Workers = 1
    max_requests: MaxRequests = None
    max_tokens: MaxTokens = None
    max_time: MaxTime = None
    max_cost: MaxCost = None
    patience: Patience = PATIENCE

    @property
    def limits(self) -> BudgetLimits:
        """What may be spent; raises ArgumentError if a limit is not a number of at least 0."""
        from multinet_eval.settings.spending import BudgetLimits

        return BudgetLimits(self.max_requests, self.max_tokens, self.max_cost, self.max_time)

    def for_run(self) -> RunOptions:
        """How a run is played by them; raises as `limits` does."""
        from multinet_eval.play.run import RunOptions

        return RunOptions(workers=self.workers, limits=self.limits, patience=self.patience)


@attrs.frozen
class PlayingOptions(AskingOptions):
    """How a run is played."""

    batch_size: BatchSize = 1
    executor: ExecutorName = "local"
    ray_address: RayAddress = None

    def for_run(self) -> RunOptions:
        """How a run is played by them.

        Raises:
            UnknownNameError, AmbiguousNameError: no plugin, or more than one, provides the executor.
            ArgumentError: what the executor needs is not installed, or a limit is not a number of at least 0.
        """
        from multinet_eval.play.pools.executors import find_executor

        find_executor(self.executor)
        address, options = None if self.executor == "local" else self.ray_address, super().for_run()
        return attrs.evolve(options, batch_size=self.batch_size, executor=self.executor, address=address)

    def or_else(self, recorded: RunOptions, call: typer.Context) -> PlayingOptions:
        """These, with those that a run was played with in place of each that a call does not give."""
        limits = recorded.limits
        instead: dict[str, Any] = {
            "workers": recorded.workers,
            "max_requests": limits.requests,
            "max_tokens": limits.tokens,
            "max_time": limits.seconds,
            "max_cost": limits.cost,
            "patience": recorded.patience,
            "batch_size": recorded.batch_size,
            "executor": recorded.executor,
            "ray_address": recorded.address,
        }
        sources = {name: call.get_parameter_source(name) for name in instead}
        given = {name for name, source in sources.items() if source is not None and source.name in GIVEN}
        if "executor" in given and self.executor != recorded.executor:
            given.add("ray_address")  # which is not that of another executor
        return attrs.evolve(self, **{name: value for name, value in instead.items() if name not in given})


asked = taking("asking", AskingOptions)
"""Gives a command the options of `AskingOptions` in place of its parameter ``asking``."""
played = taking("playing", PlayingOptions)
"""Gives a command the options of `PlayingOptions` in place of its parameter ``playing``."""
shown = taking("show", OutputOptions)
"""Gives a command the options of `OutputOptions` in place of its parameter ``show``."""
shown_run = taking("show", RunOutput)
"""Gives a command the options of `RunOutput` in place of its parameter ``show``."""
shown_results = taking("show", ResultOutput)
"""Gives a command the options of `ResultOutput` in place of its parameter ``show``."""


def play(run: Run, options: RunOptions, show: RunOutput, observers: Iterable[RunObserver] = ()) -> None:
    """Play a run, print and write what came of it, and exit with 1 if it was not played to its end without errors.

    Args:
        run: the run.
        options: how to play it.
        show: what is printed and written.
        observers: are told what happens, beside the live display.
    """
    try:
        outcome = play_watched(run, options, show, observers)
    except KeyboardInterrupt:
        if run.directory is not None and show.report is not None:
            echo(f"no page yet; write it with: multinet report {run.directory.path} -o {show.report}", err=True)
        raise
    done = print_results(outcome.results, show)
    if not show.quiet and not show.as_json:
        _tell_what_was_spent(outcome)
    _tell_what_stopped_it(outcome)
    _tell_what_can_be_played_again(outcome)
    if outcome.directory is not None and not show.quiet:
        echo(f"recorded in {outcome.directory}", err=show.as_json)
    if run.directory is not None and outcome.directory is not None and show.report is not None:
        done &= _write_report(run.directory.root, show.report, show.quiet)
    _exit(outcome, done)


def _write_report(directory: Path, report: Path, quiet: bool) -> bool:
    """Write the page; returns whether nothing is missing from it."""
    from multinet_eval.cli.output_files import make_page_writer, reading_progress, tell_page

    with reading_progress(quiet) as progress:
        written = make_page_writer().write_runs([directory], report, progress=progress)
    return tell_page(written, err=True)


def play_watched(
    run: Run, options: RunOptions, show: OutputOptions, observers: Iterable[RunObserver] = ()
) -> RunOutcome:
    """Play a run with a live display, stopped cleanly by Ctrl-C; the arguments are those of `play`.

    Raises:
        ArgumentError: it showed before any episode was finished that model and backend do not fit together.
    """
    from multinet_eval.cli.interrupts import clean_interrupts
    from multinet_eval.cli.progress import Reporter
    from multinet_eval.monitor.tally import Tally
    from multinet_eval.play.observers import Observers

    if not show.quiet:
        _tell_what_it_waits_for(run.model)
        _tell_what_is_absent(run.manifest.grounds[0])
    tally = Tally(run.prices)
    reporter = Reporter(tally, progress=not show.quiet, verbose=show.verbose, in_flight=lambda: run.in_flight)
    told = Observers([reporter, *observers], lambda message: echo(f"warning: {message}", err=True))
    with reporter, clean_interrupts(run, run.grace):
        outcome = run.play(options, told)
    _refuse_what_cannot_be_played(outcome)
    return outcome


def print_results(results: RunResults, show: OutputOptions) -> bool:
    """Print and write results; returns whether all of that was done."""
    from multinet_eval.cli.output_files import report_results
    from multinet_eval.cli.result_tables import print_results_tables

    return report_results(
        results.to_dict(), lambda: print_results_tables(results), show.output, show.as_json, show.quiet
    )


def _refuse_what_cannot_be_played(outcome: RunOutcome) -> None:
    """Raise what showed, before any episode was finished, that model and backend do not fit together."""
    from gridworld.errors import ArgumentError

    error = None if outcome.stopped is None else outcome.stopped.error
    if isinstance(error, ArgumentError) and not outcome.results.results:
        raise error


def _tell_what_it_waits_for(model: ModelInterface) -> None:
    from gridworld.model_interface import AttendedModel
    from gridworld.plugins.faults import blaming

    if isinstance(model, AttendedModel):
        with blaming(f"model '{model.model_name}'", "when it was asked what it waits for"):
            echo(model.notice(), err=True)


def _tell_what_is_absent(ground: Ground) -> None:
    """Say what cannot be known on a backend that is not built on the kernel."""
    if not ground.on_kernel:
        echo(
            f"{ground.backend} is not built on the kernel: no optimum, no SPL, no description of what steps did",
            err=True,
        )


def _tell_what_was_spent(outcome: RunOutcome) -> None:
    """Say what the requests of all sessions have cost, if they have cost anything or were spared."""
    spent = outcome.spent
    parts = [
        f"{spent.requests} requests, {spent.prompt_tokens} tokens of prompts, {spent.completion_tokens} of replies"
    ]
    parts += [] if outcome.cost is None else [f"cost {outcome.cost:.4g}"]
    parts += [f"{spent.cached} answers from the cache"] if spent.cached else []
    if spent.tokens or spent.cached:
        echo(f"spent: {'; '.join(parts)}")


def _tell_what_stopped_it(outcome: RunOutcome) -> None:
    from multinet_eval.play.session import StopReason

    stopped = outcome.stopped
    if stopped is None or outcome.results.complete:
        return
    finished, planned = len(outcome.results.results), len(outcome.results.manifest.plan)
    if stopped.reason is not StopReason.PERMANENT:  # which has been told of by the episode that ended by it
        echo(f"{stopped.message}, after {finished} of {planned} episodes", err=True)
    if outcome.directory is None:
        return
    option = None if stopped.limit is None else LIMIT_OPTIONS[stopped.limit]
    reached_again = "" if option is None or stopped.limit == "seconds" else f" {option} none"
    echo(f"go on with: multinet runs resume {outcome.directory}{reached_again}", err=True)
    if option is not None:
        echo(f"change or remove the limit to finish the run: {option} N, or {option} none", err=True)


def _tell_what_can_be_played_again(outcome: RunOutcome) -> None:
    """Say how to play again what ended by an error that is not the model's, once nothing else is left to be played."""
    from gridworld.support.wording import counted

    unscored = sum(not result.scored for result in outcome.results.in_order)
    if unscored and outcome.results.complete and outcome.directory is not None:
        again = f"multinet runs resume {outcome.directory} --retry-faults"
        echo(f"{counted(unscored, 'episode')} not scored; play again with: {again}", err=True)


def _exit(outcome: RunOutcome, done: bool) -> None:
    from multinet_eval.play.session import StopReason

    stopped = outcome.stopped
    if stopped is not None:
        if stopped.error is not None:
            raise stopped.error
        raise typer.Exit(INTERRUPTED if stopped.reason is StopReason.INTERRUPTED else FAILED)
    if not done or any(not result.scored for result in outcome.results.in_order):
        raise typer.Exit(FAILED)
