"""Play a run with a live display, print its results, and exit with the code for its outcome."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from shlex import quote
from typing import TYPE_CHECKING

import typer

from gridworld.errors import ArgumentError
from gridworld.plugins.registry import owner_of
from gridworld.support.faults import calling
from gridworld.support.wording import counted, shorten, visible_line
from multinet_eval.cli import interrupted_code
from multinet_eval.cli.echo import echo
from multinet_eval.cli.errors import FAILED
from multinet_eval.cli.options import argument_words, reading
from multinet_eval.cli.output_files import make_page_writer, print_page_summary, reading_progress
from multinet_eval.cli.output_options import Printed, RunOutput

if TYPE_CHECKING:
    from multinet_eval.play.observers import RunObserver
    from multinet_eval.play.run import Run, RunOutcome
    from multinet_eval.record.events import Spent
    from multinet_eval.record.manifest import RunOptions

OTHER_ADDRESS = (*range(300, 400), 404)
"""HTTP statuses after which a run can be resumed with another address."""
NOTHING_ANSWERED = "no request was answered, so nothing is recorded; start again when this is fixed"
LIMIT_OPTIONS = {
    "requests": "--max-requests",
    "tokens": "--max-tokens",
    "cost": "--max-cost",
    "seconds": "--max-time",
}
"""Command-line option for each field of `BudgetLimits`."""


def play(
    run: Run,
    options: RunOptions,
    show: RunOutput,
    observers: Iterable[RunObserver] = (),
    overridden: Iterable[str] = (),
) -> None:
    """Play a run, print and write its results, and exit with 1 unless it finished without errors.

    Args:
        run: the run.
        options: how to play it.
        show: output options.
        observers: observers besides the live display.
        overridden: arguments of the model that differ from the recorded ones, as ``key=value``.
    """
    from multinet_eval.cli.result_tables import print_results_tables, read_mistakes

    try:
        outcome = play_watched(run, options, show, observers)
    except KeyboardInterrupt:
        if run.directory is not None and show.report is not None:
            echo(f"no page yet; write it with: multinet report {run.directory.path} -o {show.report}", err=True)
        raise
    outcome = run.discard_unanswered(outcome)
    results = outcome.results
    mistakes = read_mistakes(None if show.quiet and not show.as_json else outcome.directory, results, reading(None))
    done = show.print_and_write(
        results.to_dict(),
        lambda: print_results_tables(results, outcome.directory, mistakes),
        mistakes.to_dict() if outcome.directory is not None else {},
    )
    if not show.quiet and not show.as_json:
        _print_spending(outcome)
    _print_stop(outcome, run.directory is not None, overridden)
    unscored = sum(not result.scored for result in outcome.results.in_order)
    if unscored and outcome.results.complete and outcome.directory is not None:
        again = f"multinet runs resume {outcome.directory} --retry-faults"
        echo(f"{counted(unscored, 'episode')} not scored; play again with: {again}", err=True)
    if outcome.directory is not None and not show.quiet:
        echo(f"recorded in {outcome.directory}", err=show.as_json)
    if run.directory is not None and outcome.directory is not None and show.report is not None:
        with reading_progress(show.quiet) as progress:
            written = make_page_writer().write_runs([run.directory.root], show.report, progress=progress)
        done &= print_page_summary(written, err=True)
    _exit(outcome, done)


def play_watched(run: Run, options: RunOptions, show: Printed, observers: Iterable[RunObserver] = ()) -> RunOutcome:
    """Play a run with a live display and clean Ctrl-C; the arguments are as for `play`.

    Raises:
        ArgumentError: model and backend do not fit together, found before any episode was finished.
    """
    from multinet_eval.cli.interrupts import clean_interrupts
    from multinet_eval.cli.live_display import Reporter
    from multinet_eval.play.limits import StopReason

    if not show.quiet:
        _print_notices(run)
    reporter = Reporter(run.prices, progress=not show.quiet, in_flight=lambda: run.in_flight)
    with reporter, clean_interrupts(run, run.grace):
        outcome = run.play(options, reporter, *observers, report=lambda message: echo(f"warning: {message}", err=True))
    is_told = outcome.stopped is not None and outcome.stopped.reason is StopReason.PERMANENT
    if not (show.quiet or is_told or outcome.results.complete):
        for line in reporter.failures():
            echo(line, err=True)
    error = None if outcome.stopped is None else outcome.stopped.error
    if isinstance(error, ArgumentError) and not outcome.results.results:
        raise error
    return outcome


def _print_notices(run: Run) -> None:
    """Print whom the model waits for, and what is unknown on a backend without the kernel."""
    from gridworld.model_interface import AttendedModel

    if isinstance(run.model, AttendedModel):
        with calling(owner_of("model", run.model, run.model.model_name), "notice"):
            echo(run.model.notice(), err=True)
    backend = run.manifest.grounds[0]
    if not backend.on_kernel:
        unknown = "no optimum, no SPL, no description of steps"
        echo(f"{backend.backend} is not built on the kernel: {unknown}", err=True)


def _print_spending(outcome: RunOutcome) -> None:
    """Print failed requests, tokens and cost of all sessions, and cached answers, if there are any of these."""
    spent = outcome.spent
    if spent.tokens or spent.cached or spent.failed:
        echo(f"spent: {spending_text(spent, outcome.cost)}")


def spending_text(spent: Spent, cost: float | None) -> str:
    """Describe requests, tokens and cost; None for an unknown cost."""
    failed = f", {spent.failed:,} of them failed" if spent.failed else ""
    tokens = f"{spent.prompt_tokens:,} tokens of prompts, {spent.completion_tokens:,} of replies"
    parts = [f"{counted(spent.requests, 'request')}{failed}, {tokens}"]
    parts += [] if cost is None else [f"cost {cost:.4g}"]
    parts += [f"{spent.cached:,} answers from the cache"] if spent.cached else []
    return "; ".join(parts)


def _print_stop(outcome: RunOutcome, is_recorded: bool, overridden: Iterable[str]) -> None:
    """Print why an unfinished run stopped, and how to continue it."""
    from multinet_eval.play.limits import StopReason

    stopped = outcome.stopped
    if stopped is None or outcome.results.complete:
        return
    finished, planned = len(outcome.results.results), len(outcome.results.manifest.plan)
    if stopped.reason is not StopReason.PERMANENT:  # already reported with its episode
        echo(f"{stopped.message}, after {finished} of {planned} episodes", err=True)
    if outcome.directory is None:
        if outcome.unanswered and is_recorded:
            echo(NOTHING_ANSWERED, err=True)
        return
    option = None if stopped.limit is None else LIMIT_OPTIONS[stopped.limit]
    reached_again = "" if option is None or stopped.limit == "seconds" else f" {option} none"
    address = ""
    if stopped.request is not None:
        if stopped.request.advice:  # a run that is resumed keeps its settings
            return
        address = " --base-url URL" if stopped.request.status in OTHER_ADDRESS else ""
    kept = [each for each in overridden if not (address and each.startswith("base_url="))]
    again = "".join(f" {quote(word)}" for word in argument_words(kept)) + address
    echo(f"continue with: multinet runs resume {outcome.directory}{again}{reached_again}", err=True)
    if option is not None:
        echo(f"raise or remove the limit to finish the run: {option} N, or {option} none", err=True)


def print_nothing_read(kinds: Mapping[str, int], reply: str) -> None:
    """Say that no answer could be read, with one of them.

    Args:
        kinds: number of answers by kind.
        reply: the text of one of them.
    """
    counts = ", ".join(f"{count:,} {kind}" for kind, count in kinds.items() if count)
    echo(f"error: no answer could be read ({counts}); the first was: {visible_line(shorten(reply))}", err=True)


def _exit(outcome: RunOutcome, done: bool) -> None:
    from multinet_eval.play.limits import StopReason

    stopped = outcome.stopped
    if stopped is not None:
        if stopped.error is not None:
            raise stopped.error
        raise typer.Exit(interrupted_code() if stopped.reason is StopReason.INTERRUPTED else FAILED)
    if not done or any(not result.scored for result in outcome.results.in_order):
        raise typer.Exit(FAILED)
